"""Planted cells of subsystem `rewardpool`: made up, of a plausible size, with holes."""

from dataclasses import replace

import numpy as np

from assay.calibration.simulation import Simulated

# Median ns a draw by (engine, durability, commit): made up, of a plausible size.
_DRAWS = {
    ("reference", "none", 1): 21.0,
    ("reference", "none", 10_000): 7.5,
    ("reference", "mmap", 1): 30.0,
    ("reference", "mmap", 10_000): 8.5,
    ("reference", "file", 1): 400.0,
    ("reference", "file", 10_000): 9.5,
    ("reference", "group", 10_000): 31.0,
    ("reference", "each", 1): 150_000.0,
    ("reference", "relaxed", 10_000): 27.0,
    ("channel-text", "none", 1): 480.0,
    ("channel-text", "none", 10_000): 470.0,
    ("channel-text", "mmap", 1): 800.0,
    ("channel-text", "file", 1): 1500.0,
    ("channel-text", "relaxed", 10_000): 760.0,
    ("channel-text", "relaxed-mmap", 10_000): 780.0,
}
_PEERS = {
    "tidwall-wal": (500.0, 210.0),
    "etcd-wal": (600.0, 250.0),
    "raft-wal": (900.0, 320.0),
    "rosedb-wal": (450.0, 120.0),
    "pebble-record": (110.0, 150.0),
}
_SYNC_NS = 150_000.0
FLOORS = {"lock": 11.0, "random": 4.0, "store": 3.0, "write": 300.0, "sync": 140_000.0}

_SCALES = {
    "draw": "draws",
    "published_stock": "draws",
    "select": "items",
    "floor": "operations",
    "append": "records",
    "concurrent": "clients",
    "recover": "draws",
    "snapshot_load": "items",
    "cli_draw": "draws",
}


def cells() -> list[Simulated]:
    """Every cell of a full session of the reward pool, at one or more scales, with a hole."""
    made = []
    for (engine, durability, commit), ns in _DRAWS.items():
        variant = f"commit={commit},durability={durability}"
        heap = 216.0 if engine == "channel-text" else 0.0
        wal = 0.0 if durability == "none" else 20.4 if heap else 16.0 if commit == 1 else 1.003
        for scale in (2_000,) if durability == "each" else (100_000, 1_000_000):
            truth = _draw(variant, ns, heap, wal, scale)
            made.append(Simulated("draw", engine, variant, scale, truth))
            if engine == "channel-text" or durability in ("none", "mmap"):
                made.append(Simulated("published_stock", engine, variant, scale, truth))
    for part, ns in FLOORS.items():
        made.append(Simulated("floor", "reference", f"part={part}", 1_000, {"time": ns * 1e-9}))
    for selector, base, slope in (("alias", 6, 0.5), ("fenwick", 8, 14), ("linear", 3, 0)):
        for items in (10, 1_000, 100_000, 1_000_000):
            ns = base + slope * np.log2(items) + (0.3 * items if selector == "linear" else 0)
            truth = {"time": ns * 1e-9}
            made.append(Simulated("select", "reference", f"selector={selector}", items, truth))
    for engine, (each, batched) in {"reference": (60.0, 35.0), **_PEERS}.items():
        for sync in ("none", "commit"):
            for batch in (1, 100, 1_000, 10_000):
                ns = batched + (each - batched) / batch + (sync == "commit") * _SYNC_NS / batch
                variant = f"batch={batch},sync={sync}"
                made.append(Simulated("append", engine, variant, 10_000, {"time": ns * 1e-9}))
    for clients in (1, 8, 64, 512):
        ns = _SYNC_NS / clients + 700
        truth = {"time": ns * 1e-9, "draws_per_second": 1e9 / ns}
        made.append(Simulated("concurrent", "reference", "durability=group", clients, truth))
    for workload, fixed, each, scales in (
        ("recover", 2e-3, 1.6e-8, (100_000, 1_000_000)),
        ("snapshot_load", 2e-3, 3e-8, (10_000, 1_000_000)),
        ("cli_draw", 3e-3, 2.5e-8, (1, 100_000)),
    ):
        for scale in scales:
            seconds = fixed + each * scale
            truth = {"time": seconds, "cpu_time": seconds, "peak_rss": 2e7}
            made.append(Simulated(workload, "reference", "", scale, truth, cv=0.06))
    return _with_holes(made)


def counted(workload: str) -> str:
    """What the scale of a workload counts."""
    return _SCALES[workload]


def _draw(variant: str, ns: float, heap: float, wal: float, scale: int) -> dict[str, float]:
    commit = int(variant.split(",")[0].removeprefix("commit="))
    synced = any(f"durability={mode}" in variant for mode in ("group", "each", "relaxed"))
    return {
        "time": ns * 1e-9,
        "draws_per_second": 1e9 / ns,
        "heap_bytes_per_draw": heap,
        "allocs_per_draw": heap / 72,
        "gc_count": heap * scale / 4e6,
        "wal_bytes_per_draw": wal,
        "wal_file_size": wal * scale,
        "ok_draws": scale,
        "empty_draws": 0,
        "syncs": scale / commit if synced else 0,
        "cpu_time_per_draw": 0.9 * ns * 1e-9,
        "cpu_time": 0.9 * ns * 1e-9 * scale,
        "peak_rss": 3e7,
    }


def _with_holes(cells: list[Simulated]) -> list[Simulated]:
    """One shot that timed out, and a peer whose correctness gate refused it."""
    timeout = {2: ("timeout", "not finished after 60 s")}
    refused = ("refused", "verify: exit code 1")
    holed = []
    for cell in cells:
        if cell.engine == "raft-wal":
            cell = replace(cell, failed=dict.fromkeys(range(1000), refused))
        elif cell.engine == "etcd-wal" and cell.variant == "batch=1,sync=commit":
            cell = replace(cell, failed=timeout)
        holed.append(cell)
    return holed
