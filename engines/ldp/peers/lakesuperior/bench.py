"""Measure the Python interface of Lakesuperior: `bench.py WORKLOAD [AS] STORE CHILDREN SEED`.

py_get_parent: the container of all children: its own graph (imr), tuples, a graph of rdflib.
py_triples: the store's method `triples`, for all resources of type ldp:Resource.
py_put: new children, as text in Turtle.

Prints JSON lines, and writes settings and logs to the current directory. Runs in Python 3.7.
"""

import contextlib
import json
import os
import statistics
import sys
import time

import documents
import settings

PARENT = "/pomegranate"
PREPARED_SEED = 1  # of the documents in a prepared store
LDP = "http://www.w3.org/ns/ldp#"
PUTS, WARM_PUTS, VERIFIED = 30, 5, 5
# A time is the median of at least so many, and of as many as fit into so many seconds.
TIMES, SECONDS, MOST = 5, 0.3, 100


def setup(store):
    """Lakesuperior's modules for resources and for what all share, on the folder `store`."""
    os.environ["FCREPO_CONFIG_DIR"] = str(settings.write(store, "."))
    with contextlib.redirect_stdout(sys.stderr):  # importing prints
        import lakesuperior.env_setup  # noqa: F401
        from lakesuperior import env
        from lakesuperior.api import resource
    return env.app_globals.rdf_store, resource


def reading(store):
    """A transaction to read in; 1.0.0a17 has it as a class."""
    if hasattr(store, "txn_ctx"):
        return store.txn_ctx()
    from lakesuperior.store.ldp_rs.lmdb_store import TxnManager

    return TxnManager(store)


def report(**metrics):
    for name, value in metrics.items():
        print(json.dumps({"metric": name, "value": value}))


def expect(wanted, found, what):
    if wanted != found:
        sys.exit(f"{what}: expected {wanted}, found {found}")


def measure(once, check):
    """Reports the time of the first call, and the median of those after it; checks each result."""
    times = []
    while len(times) <= TIMES or (sum(times) < SECONDS and len(times) <= MOST):
        before = time.perf_counter()
        result = once()
        times.append(time.perf_counter() - before)
        check(result)
    report(time=statistics.median(times[1:]), time_first=times[0])


def py_get_parent(kind, store, children, _seed):
    rdf_store, resource = setup(store)
    from rdflib import URIRef

    contains = URIRef(LDP + "contains")

    def triples(graph):
        with reading(rdf_store):  # the graph of 1.0.0a21 reads terms from the store when asked
            return list(graph)

    def once():
        graph = resource.get(PARENT).imr
        if kind == "tuples":
            return triples(graph)
        if kind == "rdflib" and hasattr(graph, "as_rdflib"):
            with reading(rdf_store):
                made = graph.as_rdflib()
            return getattr(made, "graph", made)  # 1.0.0a18 makes a resource of rdflib
        return graph  # in 1.0.0a17, imr is a graph of rdflib

    def check(result):
        found = result if kind == "tuples" else triples(result)
        expect(children, sum(p == contains for _, p, _ in found), f"children of {PARENT}")

    measure(once, check)


def py_triples(store, children, _seed):
    rdf_store, _ = setup(store)
    from rdflib import RDF, URIRef

    pattern = (None, RDF.type, URIRef(LDP + "Resource"))

    def once():
        with reading(rdf_store):
            return sum(1 for _ in rdf_store.triples(pattern, None))

    # The root and the container have the type too.
    measure(once, lambda found: expect(children + 2, found, "resources"))


def py_put(store, children, seed):
    rdf_store, resource = setup(store)
    from rdflib import Graph

    def expect_document(seed, i, previous):
        uid = f"{PARENT}/{documents.name(seed, i)}"
        sent = Graph().parse(
            data=documents.turtle(seed, i, previous), format="turtle", publicID=f"info:fcres{uid}"
        )
        with reading(rdf_store):
            found = set(resource.get(uid).imr)
        expect(set(), set(sent) - found, f"triples of {uid} that were lost")

    expect_document(PREPARED_SEED, 0, f"info:fcres{PARENT}")
    times = []
    previous = f"info:fcres{PARENT}"
    for i in range(WARM_PUTS + PUTS):
        uid = f"{PARENT}/{documents.name(seed, i)}"
        turtle = documents.turtle(seed, i, previous)
        before = time.perf_counter()
        resource.create_or_replace(uid, rdf_data=turtle, rdf_fmt="turtle")
        times.append(time.perf_counter() - before)
        if i % (PUTS // VERIFIED) == 0:
            expect_document(seed, i, previous)
        previous = f"info:fcres{uid}"
    report(time=statistics.mean(times[WARM_PUTS:]), p50=statistics.median(times[WARM_PUTS:]))


if __name__ == "__main__":
    workload, *kind, store, children, seed = sys.argv[1:]
    {"py_get_parent": py_get_parent, "py_triples": py_triples, "py_put": py_put}[workload](
        *kind, store, int(children), int(seed)
    )
