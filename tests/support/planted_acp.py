"""Planted cells of subsystem `acp`: made up, of a plausible size, with the shape of a session."""

from collections.abc import Iterator
from dataclasses import replace

from assay.calibration.simulation import Simulated

SCALES = (256, 512, 1024, 2048, 4096, 8192)
OLD_SCALES = SCALES[:3]
GENERATIONS = ("acp-core-2025", "acp-core-2024")
PEERS = (*GENERATIONS, "openfga", "spicedb", "casbin", "cedar-go")

REGISTER_NS = {
    "reference": 400.0,
    "acp-core-2025": 125_000.0,
    "openfga": 400_000.0,
    "spicedb": 250_000.0,
    "casbin": 3_000.0,
    "cedar-go": 1_100.0,
}
"""Median ns a registration; that of the old generation grows, see `_register`."""

CHECK_NS = {
    "reference": 90.0,
    "acp-core-2025": 98_000.0,
    "acp-core-2024": 99_000.0,
    "openfga": 75_000.0,
    "spicedb": 600_000.0,
    "casbin": 5_000.0,
    "cedar-go": 1_100.0,
}
WRONG = {"acp-core-2025": (269, 239), "acp-core-2024": (269, 239)}
"""Checks of `CHECKS` that were wrongly allowed and wrongly refused."""

CHECKS = 15_040
FLOORS = {
    "map-insert": 220.0,
    "slab-insert": 50.0,
    "map-lookup": 30.0,
    "slab-lookup": 12.0,
    "append": 20.0,
    "write": 350.0,
    "sync": 280_000.0,
}
MEMORY = {"reference": 120.0, "acp-core-2025": 1_018.0}
COUNTED = {
    **dict.fromkeys(("register", "check_doc_access", "is_doc_registered"), "documents"),
    **dict.fromkeys(("check_denied", "grant", "revoke", "list_docs", "open"), "documents"),
    **dict.fromkeys(("recover", "bulk_import"), "documents"),
    **dict.fromkeys(("check_algebra", "register_sync", "check_parallel"), "documents"),
    "check_readers": "readers",
    "check_cost": "readers",
    "explain": "readers",
    "list_actors": "actors",
    "check_chain": "groups",
    "check_folder": "folders",
    "batch_check": "checks in a call",
    "algebra": "scenarios",
    "policy_compile": "terms",
}


def counted(workload: str) -> str:
    """What the scale of a workload counts."""
    return COUNTED.get(workload, "operations")


def cells() -> list[Simulated]:
    """Every cell of a session, with holes."""
    found = [*_register(), *_look_ups(), *_shared(), *_reference_only(), *_algebra()]
    return [_with_hole(cell) for cell in found]


def _register() -> Iterator[Simulated]:
    for store, slower in (("memory", 1.0), ("persistent", 0.9)):
        for engine, ns in REGISTER_NS.items():
            if store == "persistent" and engine not in ("reference", *GENERATIONS):
                continue
            for documents in SCALES:
                truth = _registered(engine, documents, ns * slower)
                yield Simulated("register", engine, f"store={store}", documents, truth)
        for documents in OLD_SCALES:
            truth = _registered("acp-core-2024", documents, 1_450.0 * documents * slower)
            yield Simulated("register", "acp-core-2024", f"store={store}", documents, truth)
    for documents in OLD_SCALES:
        truth = _registered("reference", documents, 20.0 * documents)
        truth["scanned_per_doc"] = float(documents - 1)
        yield Simulated("register", "reference", "index=scan,store=memory", documents, truth)


def _registered(engine: str, documents: int, ns: float) -> dict[str, float]:
    keeps_owners = float(engine in ("reference", *GENERATIONS))
    return {
        **_time(ns * documents, heap=45_000.0 * documents),
        "time_per_doc": ns * 1e-9,
        "memory_per_doc": MEMORY.get(engine, 700.0),
        "refuses_second_owner": keeps_owners,
        "refuses_invalid_actor": keeps_owners,
        "refuses_strangers_grant": keeps_owners,
        **({"scanned_per_doc": 0.0, "wal_bytes_per_doc": 47.0} if engine == "reference" else {}),
    }


def _look_ups() -> Iterator[Simulated]:
    for workload, faster in (("check_doc_access", 1.0), ("is_doc_registered", 0.5)):
        for engine, ns in CHECK_NS.items():
            stores = (
                ("memory", "persistent") if engine in ("reference", *GENERATIONS) else ("memory",)
            )
            for store in stores:
                for documents in OLD_SCALES if engine == "acp-core-2024" else SCALES:
                    old = engine == "acp-core-2024" and workload == "is_doc_registered"
                    warm = ns * faster * (documents / 256 if old else 1.0)
                    for mode, colder in (("cold", 1.7), ("warm", 1.0)):
                        variant = f"mode={mode},store={store}"
                        truth = _time(warm * colder, heap=35_000.0)
                        yield Simulated(workload, engine, variant, documents, truth)
        for scan in OLD_SCALES:
            variant = "index=scan,mode=warm,store=memory"
            yield Simulated(workload, "reference", variant, scan, _time(10.0 * scan * faster))
        truth = _time(30.0 * faster)
        variant = "level=handle,mode=warm,store=memory"
        yield Simulated(workload, "reference", variant, 8192, truth)


def _shared() -> Iterator[Simulated]:
    for engine, ns in CHECK_NS.items():
        if engine == "acp-core-2024":
            continue
        for workload, factor, scales in (
            ("check_denied", 1.3, (8192,)),
            ("grant", 8.0, (1024,)),
            ("revoke", 8.0, (1024,)),
            ("check_readers", 1.3, (1, 1_000, 100_000)),
            ("batch_check", 0.7, (1, 100, 1_000)),
            ("list_docs", 500.0, (1024, 8192)),
            ("list_actors", 500.0, (1_000,)),
        ):
            for scale in scales:
                yield Simulated(workload, engine, "store=memory", scale, _time(ns * factor))
        for workload, each, lengths in (
            ("check_chain", 0.5, (1, 16, 256, 4096)),
            ("check_folder", 0.5, (1, 16)),
            ("check_algebra", 0.0, (64, 1024)),
        ):
            if engine not in ("casbin", "cedar-go"):
                for scale in lengths:
                    yield Simulated(workload, engine, "", scale, _time(ns * (1 + each * scale)))


def _reference_only() -> Iterator[Simulated]:
    for part, ns in FLOORS.items():
        yield Simulated("floor", "reference", f"part={part}", 8192, _time(ns))
    for sync, waiting, ns in (
        ("none", 1, 900.0),
        ("batch", 1, 290_000.0),
        ("batch", 8, 45_000.0),
        ("batch", 64, 7_000.0),
        ("each", 1, 290_000.0),
    ):
        variant = f"sync={sync},waiting={waiting}"
        truth = {**_time(ns), "syncs_per_op": 0.0 if sync == "none" else 1 / waiting}
        yield Simulated("register_sync", "reference", variant, 4096, truth)
    for end, ns in (("closed", 100.0), ("killed", 700.0)):
        for documents in (8192, 100_000):
            yield Simulated("open", "reference", f"end={end}", documents, _time(ns * documents))
    for workload, ns in (("recover", 700.0), ("bulk_import", 2_500.0)):
        for documents in (8192, 1_000_000):
            truth = {"time": ns * 1e-9 * documents, "peak_rss": 3e8}
            yield Simulated(workload, "reference", "", documents, truth, cv=0.06)
    for goroutines in (1, 2):
        variant = f"goroutines={goroutines},store=memory"
        yield Simulated("check_parallel", "reference", variant, 8192, _time(90.0 / goroutines))
    for actor, probes in (("owner", 1.0), ("reader", 2.0), ("stranger", 4.0)):
        for readers in (1, 10_000):
            truth = _time(50.0) | {"probes": probes, "visits": 0.0}
            yield Simulated("check_cost", "reference", f"actor={actor}", readers, truth)
    for what, ns in (("explain", 8_000.0), ("verify", 4_000.0)):
        for answer in ("allow", "deny"):
            variant = f"answer={answer},what={what}"
            yield Simulated("explain", "reference", variant, 1_000, _time(ns))
    for terms in (100, 3_000):
        yield Simulated("policy_compile", "reference", "", terms, _time(1_000.0 * terms))


def _algebra() -> Iterator[Simulated]:
    for engine in ("reference", *GENERATIONS):
        allowed, refused = WRONG.get(engine, (0, 0))
        truth = _time(1_000.0) | {
            "checks": float(CHECKS),
            "right": float(CHECKS - allowed - refused),
            "wrongly_allowed": float(allowed),
            "wrongly_refused": float(refused),
            "unanswered": 0.0,
        }
        yield Simulated("algebra", engine, "", 188, truth)


def _time(ns: float, heap: float = 0.0) -> dict[str, float]:
    return {
        "time": ns * 1e-9,
        "cpu_time_per_op": 1.1 * ns * 1e-9,
        "heap_bytes_per_op": heap,
        "allocs_per_op": heap / 55,
        "peak_rss": 3e8,
    }


def _with_hole(cell: Simulated) -> Simulated:
    """One shot that timed out, and a peer whose correctness gate refused it."""
    if cell.engine == "spicedb":
        refused = ("refused", "verify: exit code 1")
        return replace(cell, failed=dict.fromkeys(range(1000), refused))
    if cell.engine == "openfga" and cell.workload == "register" and cell.scale == 8192:
        return replace(cell, failed={2: ("timeout", "not finished after 60 s")})
    return cell
