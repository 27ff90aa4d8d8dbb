"""`bench.py get AS|triples|put STORE CHILDREN SEED`: one shot of the Python interface.

get: the container of all children; as its own lazy graph (imr), as tuples, as a graph of rdflib.
triples: all resources of type ldp:Resource.
put: new children, as text in Turtle.

The store is one that `ldpload prepare` made. Prints JSON lines.
"""

import json
import resource as process
import statistics
import sys
import time
from pathlib import Path

import documents

sys.path.insert(0, str(Path(__file__).parent / "python"))
try:
    import ldp
except ModuleNotFoundError:
    sys.exit("the Python package was not built: the log of the engine's build says why")

PARENT = "/pomegranate"
LDP = "http://www.w3.org/ns/ldp#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
PUTS, WARM_PUTS, VERIFIED = 300, 30, 15
# A time is the median of at least so many, and of as many as fit into so many seconds.
TIMES, SECONDS, MOST = 5, 0.3, 1000


def main():
    what, *kind, path, children, seed = sys.argv[1:]
    with ldp.Repository(path, read_only=what != "put") as repository:
        if what == "get":
            get(repository, kind[0], int(children))
        elif what == "triples":
            triples(repository, int(children))
        else:
            put(repository, int(seed))


def get(repository, kind, children):
    shapes = {"imr": lambda graph: graph, "tuples": list, "rdflib": lambda g: g.to_rdflib()}

    def check(found):
        listed = sum(str(p) == f"{LDP}contains" for _, p, _ in found)
        if listed != children:
            sys.exit(f"{PARENT}: expected {children} children, found {listed}")

    repeat(lambda: shapes[kind](repository.resource.get(PARENT).imr), check)


def triples(repository, children):
    def check(found):
        # The root and the container have the type too.
        if len(found) != children + 2:
            sys.exit(f"expected {children + 2} resources, found {len(found)}")

    repeat(lambda: repository.query.triple_match(None, TYPE, f"{LDP}Resource"), check)


def put(repository, seed):
    previous, times = f"info:fcres{PARENT}", []
    for i in range(WARM_PUTS + PUTS):
        uid, text = f"{PARENT}/{documents.name(seed, i)}", documents.turtle(seed, i, previous)
        before = time.perf_counter()
        repository.resource.create_or_replace(uid, rdf_data=text, rdf_fmt="text/turtle")
        times.append(time.perf_counter() - before)
        if i % VERIFIED == 0:
            found = repository.resource.get(uid).user_data
            literals = {o.value for _, _, o in found if isinstance(o, ldp.Literal)}
            if len(found) != 200 or literals != set(documents.literals(seed, i)):
                sys.exit(f"{uid} is not what was sent")
        previous = f"info:fcres{uid}"
    times = times[WARM_PUTS:]
    report(time=statistics.fmean(times), p50=statistics.median(times))


def repeat(once, check):
    """Print the time of `once` after a first, untimed one."""
    check(once())
    times, start = [], time.perf_counter()
    while len(times) < TIMES or (time.perf_counter() - start < SECONDS and len(times) < MOST):
        before = time.perf_counter()
        found = once()
        times.append(time.perf_counter() - before)
    check(found)
    report(time=statistics.median(times))


def report(**metrics):
    metrics["peak_memory"] = 1024 * process.getrusage(process.RUSAGE_SELF).ru_maxrss
    for metric, value in metrics.items():
        print(json.dumps({"metric": metric, "value": value}))


main()
