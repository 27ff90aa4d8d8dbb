"""Oxigraph as a library: what an LDP server in the same process would ask of it.

    bench.py get tuples STORE CHILDREN SEED    all triples of the container, as tuples
    bench.py triples STORE CHILDREN SEED       all resources by their type
    bench.py put REQUESTS STORE CHILDREN SEED  documents, each as a graph

The store is one that `ldpload prepare` made. Prints JSON lines.
"""

import json
import resource as process
import statistics
import sys
import time

import documents
from pyoxigraph import Literal, NamedNode, RdfFormat, Store

PARENT = NamedNode("http://localhost/ldp/pomegranate")
LDP = "http://www.w3.org/ns/ldp#"
HAS_PARENT = NamedNode("http://fedora.info/definitions/v4/repository#hasParent")
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
REPEAT_S = 0.3


def main():
    what, *rest, path, children, seed = sys.argv[1:]
    store, children, seed = Store(path), int(children), int(seed)
    if what == "put":
        measure_put(store, int(rest[0]), seed)
    elif what == "get":
        measure(lambda: parent(store), children)
    else:
        # The children and their container.
        measure(
            lambda: list(store.quads_for_pattern(None, TYPE, NamedNode(f"{LDP}Resource"))),
            children + 1,
        )


def parent(store):
    """The triples of the container, made of what its children say."""
    contains = f"{LDP}contains"
    found = store.quads_for_pattern(None, HAS_PARENT, PARENT)
    return [(PARENT.value, contains, quad.subject.value) for quad in found]


def measure(once, expected):
    """Print the median time of a call after the first."""
    times = []
    while len(times) < 6 or sum(times) < REPEAT_S:
        start = time.perf_counter()
        found = once()
        times.append(time.perf_counter() - start)
    if len(found) != expected:
        sys.exit(f"expected {expected} triples, found {len(found)}")
    report(time=statistics.median(times[1:]))


def measure_put(store, count, seed):
    """Print the mean time of a document, parsed and stored."""
    previous, times = PARENT.value, []
    for i in range(count):
        url = f"{PARENT.value}/{documents.name(seed, i)}"
        text = documents.turtle(seed, i, previous) + (
            f"<> a <{LDP}Resource>, <{LDP}Container> ; <{HAS_PARENT.value}> <{PARENT.value}> .\n"
        )
        start = time.perf_counter()
        graph = NamedNode(url)
        store.load(text.encode(), RdfFormat.TURTLE, base_iri=url, to_graph=graph)
        times.append(time.perf_counter() - start)
        found = {q.object for q in store.quads_for_pattern(graph, None, None, graph)}
        if not found.issuperset(map(Literal, documents.literals(seed, i))):
            sys.exit(f"{url} is not what was sent")
        previous = url
    report(time=statistics.fmean(times), p50=statistics.median(times))


def report(**metrics):
    metrics["peak_memory"] = 1024 * process.getrusage(process.RUSAGE_SELF).ru_maxrss
    for metric, value in metrics.items():
        print(json.dumps({"metric": metric, "value": value}))


main()
