"""Planted cells of subsystem `smt`: made up, of a plausible size, with the shape of a session."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.analyse.theory import hashes_per_update, proof_siblings
from assay.calibration.simulation import Simulated

SCALES = (100_000, 500_000, 1_000_000, 5_000_000)
PEERS = ("pokt-smt-v0-10", "pokt-smt-v0-14", "go-ethereum", "nomt", "jmt", "monotree")
LIBRARIES = PEERS[:2]

HOW_LONG = {
    "reference": 1.0,
    "pokt-smt-v0-10": 16.0,
    "pokt-smt-v0-14": 20.0,
    "go-ethereum": 6.0,
    "nomt": 9.0,
    "jmt": 30.0,
    "monotree": 25.0,
}
"""How many times as long as the reference an engine takes."""

MEMORY = {"reference": 160.0, "go-ethereum": 420.0, "nomt": 600.0}

# Median ns an operation of the reference at 100,000 keys.
_OPS = {
    "get_hit": 300.0,
    "get_miss": 280.0,
    "prove_hit": 900.0,
    "prove_miss": 950.0,
    "delete_hit": 200.0,
}
_PUBLISHED = {
    "published_update": 250.0,
    "published_update_commit": 1_200.0,
    "published_get": 300.0,
    "published_prove": 900.0,
    "published_delete": 60.0,
    "published_delete_commit": 1_000.0,
}
FLOORS = {
    "hash-std": 140.0,
    "hash-shani": 55.0,
    "sha-key": 30.0,
    "load": 100.0,
    "write": 20.0,
    "sync": 150_000.0,
}


def counted(_workload: str) -> str:
    """What the scale of a workload counts."""
    return "keys"


def cells() -> list[Simulated]:
    """Every cell of a session with several scales of the reference, and holes."""
    found = [*_published(), *_honest(), *_reference_only(), *_proofs()]
    return [_with_hole(cell) for cell in found]


def _published() -> Iterator[Simulated]:
    for engine in ("reference", *LIBRARIES):
        for trie, extra in (("smt", 1.0), ("smst", 1.2)):
            large = engine == "pokt-smt-v0-10" and trie == "smt"
            for keys in (100_000, 1_000_000) if engine == "reference" or large else (100_000,):
                factor = HOW_LONG[engine] * extra * _growth(keys)
                for workload, ns in (("published_fill", 300.0), ("published_fill_commit", 700.0)):
                    truth = _time(ns * factor * keys, heap=1_600.0 * keys * factor / 16)
                    yield Simulated(workload, engine, f"trie={trie}", keys, _with_root(truth))
            for workload, ns in _PUBLISHED.items():
                truth = _time(ns * HOW_LONG[engine] * extra, heap=48.0)
                if workload not in ("published_get", "published_prove"):
                    truth = _with_root(truth)
                yield Simulated(workload, engine, f"trie={trie}", 100_000, truth)


def _honest() -> Iterator[Simulated]:
    for engine, slower in HOW_LONG.items():
        tries = ("smt", "smst") if engine in ("reference", "pokt-smt-v0-14") else ("smt",)
        for trie in tries:
            for keys in SCALES if engine == "reference" else SCALES[:3:2]:
                factor = slower * _growth(keys) * (1.2 if trie == "smst" else 1.0)
                memory = {"memory_per_key": MEMORY.get(engine, 750.0)}
                full = _hashes(keys, keys)
                for workload, ns in (("fill", 300.0), ("fill_one_by_one", 500.0)):
                    truth = _time(ns * factor) | full | memory
                    if workload == "fill" or engine not in LIBRARIES:
                        yield Simulated(workload, engine, f"trie={trie}", keys, truth)
                for workload, ns in _OPS.items():
                    how = "" if workload == "delete_hit" else "how=single,"
                    yield Simulated(workload, engine, f"{how}trie={trie}", keys, _time(ns * factor))
                for batch, ns in ((1, 4_000.0), (100, 1_500.0), (1_000, 900.0), (10_000, 700.0)):
                    truth = _time(ns * factor) | _hashes(keys, batch)
                    yield Simulated(
                        "update_commit", engine, f"batch={batch},trie={trie}", keys, truth
                    )
                for workload in ("insert_commit", "delete_commit"):
                    variant = f"batch=10000,trie={trie}"
                    yield Simulated(workload, engine, variant, keys, _time(800.0 * factor))


def _reference_only() -> Iterator[Simulated]:
    for engine in ("reference", "nomt"):
        for keys in (100_000, 1_000_000):
            truth = _time(1_100.0 * HOW_LONG[engine] * _growth(keys)) | {
                "written_bytes_per_op": 80.0
            }
            yield Simulated("durable_commit", engine, "batch=10000,trie=smt", keys, truth)
    for part, ns in FLOORS.items():
        yield Simulated("floor", "reference", f"part={part}", 1_000_000, {"time": ns * 1e-9})
    for keys in (100_000, 1_000_000):
        for workload, ns in (("get_hit", 130.0), ("prove_hit", 300.0)):
            yield Simulated(workload, "reference", "how=batch,trie=smt", keys, _time(ns))
        for trie in ("smt", "smst"):
            yield Simulated("verify", "reference", f"trie={trie}", keys, _time(2_000.0))
            yield Simulated("closest", "reference", f"trie={trie}", keys, _time(1_500.0))
            yield Simulated("snapshot_read", "reference", f"trie={trie}", keys, _time(500.0))
            for number in (16, 256):
                variant = f"keys={number},trie={trie}"
                yield Simulated("multiproof", "reference", variant, keys, _time(700.0))
        yield Simulated("open", "reference", "trie=smt", keys, _time(150.0))
        for workload, ns in (("cli_load", 900.0), ("cli_open", 700.0)):
            yield Simulated(workload, "reference", "", keys, _time(ns * keys))
        yield Simulated("cli_verify", "reference", "", keys, _time(2e6))
        for hashing, ns in (("std", 700.0), ("shani", 400.0)):
            for workers in (1, 2):
                variant = f"hash={hashing},trie=smt,workers={workers}"
                yield Simulated("fill_how", "reference", variant, keys, _time(ns / workers))


def _proofs() -> Iterator[Simulated]:
    for engine in ("reference", *LIBRARIES):
        for trie, digest in (("smt", 32), ("smst", 40 if engine == "pokt-smt-v0-10" else 48)):
            for codec, more in (("gob", 188), ("gob_compact", 198), ("binary", -30)):
                if codec == "binary" and engine != "reference":
                    continue
                for keys in (100_000, 1_000_000):
                    size = round((1 + proof_siblings(keys)) * (digest + (codec != "binary")) + more)
                    truth = _time(2_000.0) | {
                        "proof_bytes": size,
                        "proof_bytes_min": size - 130,
                        "proof_bytes_max": size + 500,
                    }
                    yield Simulated("proof_size", engine, f"codec={codec},trie={trie}", keys, truth)


def _time(ns: float, heap: float = 0.0) -> dict[str, float]:
    return {
        "time": ns * 1e-9,
        "cpu_time_per_op": 1.1 * ns * 1e-9,
        "heap_bytes_per_op": heap,
        "allocs_per_op": heap / 16,
        "peak_rss": 3e8,
    }


def _with_root(truth: Mapping[str, float]) -> dict[str, float]:
    return {**truth, "time_with_root": 1.5 * truth["time"]}


def _hashes(keys: int, batch: int) -> Mapping[str, float]:
    return {"hashes_per_op": hashes_per_update(keys, batch)}


def _growth(keys: int) -> float:
    """An operation takes longer in a larger trie: exponent 0.1."""
    return float((keys / 100_000) ** 0.1)


def _with_hole(cell: Simulated) -> Simulated:
    """One shot that timed out, and a peer whose correctness gate refused it."""
    if cell.engine == "jmt":
        refused = ("refused", "verify: exit code 1")
        return replace(cell, failed=dict.fromkeys(range(1000), refused))
    if cell.engine == "go-ethereum" and cell.variant == "batch=1,trie=smt":
        return replace(cell, failed={2: ("timeout", "not finished after 60 s")})
    return cell
