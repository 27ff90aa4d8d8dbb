"""Planted cells of subsystem `ldp`: made up, of a plausible size, with the shape of a session."""

from collections.abc import Iterator
from dataclasses import replace

from assay.calibration.simulation import Simulated

PUT_MS = {
    "reference": 0.5,
    "fcrepo-4-7-5": 42.0,
    "lakesuperior-a18": 43.0,
    "lakesuperior-a17": 56.0,
    "lakesuperior-a21": 46.0,
    "fcrepo-6-1-0": 8.0,
    "community-solid-server-7": 26.0,
    "oxigraph": 4.5,
}
"""Median ms of a PUT at the promise that the system makes."""

PROMISES = {"reference": ("sync", "bg", "none"), "fcrepo-4-7-5": ("bg",), "fcrepo-6-1-0": ("bg",)}
PROMISES |= dict.fromkeys(("community-solid-server-7", "oxigraph"), ("none",))

GET_US = {
    "reference": 0.15,
    "fcrepo-4-7-5": 100.0,
    "lakesuperior-a18": 106.0,
    "lakesuperior-a17": 120.0,
    "lakesuperior-a21": 90.0,
    "fcrepo-6-1-0": 11.0,
    "community-solid-server-7": 300.0,
    "oxigraph": 6.0,
}
"""Median us of a GET of the parent, a child."""

COUNT_US = {"reference": 0.2, "lakesuperior-a18": 48.0, "lakesuperior-a17": 80.0, "oxigraph": 7.0}
BYTES = {"reference": 19_000.0, "lakesuperior-a18": 81_000.0, "fcrepo-4-7-5": 300_000.0}
FLOORS = {"parse": 165e3, "append": 9e3, "sync": 120e3, "loopback": 40e3, "scan": 500e3}
STAGES = {"time_http": 40e-6, "time_parse": 180e-6, "time_log": 140e-6, "time_index": 110e-6}
COUNTED = {
    "put_clients": "clients",
    "put_rate": "requests a second",
    "put_stages": "triples",
    "recover": "megabytes",
    "cli_start": "processes",
    "floor": "triples",
}


def counted(workload: str) -> str:
    """What the scale of a workload counts."""
    return COUNTED.get(workload, "children")


def cells() -> list[Simulated]:
    """Every cell of a session, with holes."""
    return [_with_hole(cell) for cell in (*_writes(), *_reads(), *_reference_only())]


def _scales(engine: str) -> tuple[int, ...]:
    if engine == "reference":
        return (100, 1_000, 3_000, 10_000)
    return (1_000, 10_000) if engine == "lakesuperior-a18" else (1_000,)


def _writes() -> Iterator[Simulated]:
    for workload, slower in (("put", 1.0), ("post", 1.05)):
        for engine, ms in PUT_MS.items():
            for promise in PROMISES.get(engine, ("sync",)):
                for connection in ("new", "kept") if engine == "reference" else ("new",):
                    factor = {"sync": 1.0, "bg": 0.6, "none": 0.6}[promise]
                    factor = slower * (factor if engine == "reference" else 1.0)
                    variant = f"connection={connection},durability={promise}"
                    for children in _scales(engine):
                        truth = _time(ms * factor * 1e6) | {
                            "cpu_time_per_op": 0.8 * ms * factor * 1e-3,
                            "peak_memory": 1e8,
                        }
                        yield Simulated(workload, engine, variant, children, truth)


def _reads() -> Iterator[Simulated]:
    for engine, us in GET_US.items():
        for children in _scales(engine):
            for name, slower in (("turtle", 1.0), ("ntriples", 1.1), ("jsonld", 1.4)):
                truth = _time(1e3 * (us * slower * children + 300)) | {"time_first": 1.0}
                yield Simulated("get_parent", engine, f"format={name}", children, truth)
            size = BYTES.get(engine, 100_000.0)
            truth = _time(2e9 if engine != "reference" else 3e7) | {
                "store_bytes": size * children,
                "store_bytes_per_resource": size,
                "peak_memory": 1e9,
            }
            yield Simulated("start", engine, "", children, truth)
    for engine, us in COUNT_US.items():
        for children in _scales(engine):
            for cache, slower in (("cold", 2.0), ("warm", 1.0)):
                truth = _time(1e3 * (us * slower * children + 300))
                yield Simulated("sparql_count", engine, f"cache={cache}", children, truth)
    for children in _scales("reference"):
        for shape, ns in (("imr", 0.0), ("tuples", 400.0), ("rdflib", 7_000.0)):
            truth = _time(20_000 + ns * children)
            yield Simulated("py_get_parent", "reference", f"as={shape}", children, truth)
    yield Simulated("py_get_parent", "lakesuperior-a18", "as=imr", 1_000, _time(7.8e6))
    for engine, ns in (("reference", 2e6), ("lakesuperior-a18", 65e6)):
        yield Simulated("py_triples", engine, "", 1_000, _time(ns))
        yield Simulated("py_put", engine, "", 1_000, _time(ns))


def _reference_only() -> Iterator[Simulated]:
    for part, ns in FLOORS.items():
        yield Simulated("floor", "reference", f"part={part}", 200, _time(ns))
    yield Simulated("put_stages", "reference", "", 200, {"time": sum(STAGES.values())} | STAGES)
    for promise, ms in (("sync", 0.5), ("bg", 0.3), ("none", 0.3)):
        for clients in (1, 2, 4, 8):
            variant = f"durability={promise}"
            truth = _time(1e6 * max(ms / clients, 0.25))
            yield Simulated("put_clients", "reference", variant, clients, truth)
        truth = {"growth": 1.1, "store_bytes_per_resource": 19_000.0} | _time(ms * 1e6)
        yield Simulated("load", "reference", f"durability={promise}", 10_000, truth)
    for rate in (200, 800):
        truth = _time(6e5) | {"latency_p50": 6e-4, "latency_p90": 9e-4, "latency_p99": 2e-3}
        yield Simulated("put_rate", "reference", "durability=sync", rate, truth)
    for workload in ("mixed", "patch", "delete_tree", "binary_put", "binary_get", "sparql_lookup"):
        yield Simulated(workload, "reference", "", 1_000, _time(3e5))
    for workload, seconds in (("bulk_load", 4.0), ("export", 1.0), ("check", 1.5)):
        yield Simulated(workload, "reference", "", 10_000, _time(seconds * 1e9), cv=0.06)
    yield Simulated("recover", "reference", "", 100, _time(6e8), cv=0.06)


def _time(ns: float) -> dict[str, float]:
    return {"time": ns * 1e-9, "peak_rss": 3e8}


def _with_hole(cell: Simulated) -> Simulated:
    """One shot that timed out, and a peer whose correctness gate refused it."""
    if cell.engine == "community-solid-server-7":
        refused = ("refused", "verify: exit code 1")
        return replace(cell, failed=dict.fromkeys(range(1000), refused))
    if cell.engine == "lakesuperior-a17" and cell.workload == "put":
        return replace(cell, failed={2: ("timeout", "not finished after 60 s")})
    return cell
