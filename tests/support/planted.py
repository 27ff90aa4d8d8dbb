"""Planted data: whole folders of tidy tables made from a scripted truth, for tests.

`study` draws the sessions of a subsystem with the shape of real ones. Nothing in them was measured;
their engines say so in their titles.
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from assay.analyse import estimates, pairs, verdicts
from assay.analyse.session import Session
from assay.calibration import simulation
from assay.calibration.simulation import Simulated
from assay.inputs import claims, manifest
from assay.system import files
from assay.tables import io

__all__ = ["Simulated", "measurements", "study"]

SESSION = {
    "key": "k",
    "profile": "native",
    "machine": "m",
    "seed": 1,
    "tier": "standard",
    "blocks": 8,
    "started_at": "2026-01-01T00:00:00Z",
    "commit": "c",
    "dirty": False,
    "machine_facts": {"governor": "performance", "file_system": "ext4"},
    "plan": {"toolchain": {"go": "1.26.8"}},
    "other_sessions": [],
}
"""What a session tells of itself."""


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
_FLOORS = {"lock": 11.0, "random": 4.0, "store": 3.0, "write": 300.0, "sync": 140_000.0}


ROOT = Path(__file__).parents[2]


def _metrics() -> dict[str, dict[str, object]]:
    """Unit, direction and exactness of all metrics in the manifests, and of those of the runner."""
    found: dict[str, dict[str, object]] = {
        "cpu_time": {"unit": "s", "better": "lower", "exact": False},
        "peak_rss": {"unit": "B", "better": "lower", "exact": False},
    }
    for path in sorted((ROOT / "engines").rglob("engine.yaml")):
        for metric in (
            one for bench in manifest.load(path).benches for one in bench.metrics.values()
        ):
            found[metric.column] = {
                "unit": metric.unit, "better": metric.better, "exact": metric.exact
            }  # fmt: skip
    return found


measurements = partial(simulation.measurements, metrics=_metrics())


def rewardpool() -> list[Simulated]:
    """Every cell of a full session of the reward pool, at one or more scales, with a hole."""
    cells = []
    for (engine, durability, commit), ns in _DRAWS.items():
        variant = f"commit={commit},durability={durability}"
        heap = 216.0 if engine == "channel-text" else 0.0
        wal = 0.0 if durability == "none" else 20.4 if heap else 16.0 if commit == 1 else 1.003
        for scale in (2_000,) if durability == "each" else (100_000, 1_000_000):
            truth = _draw(variant, ns, heap, wal, scale)
            cells.append(Simulated("draw", engine, variant, scale, truth))
            if engine == "channel-text" or durability in ("none", "mmap"):
                cells.append(Simulated("published_stock", engine, variant, scale, truth))
    for part, ns in _FLOORS.items():
        cells.append(Simulated("floor", "reference", f"part={part}", 1_000, {"time": ns * 1e-9}))
    for selector, base, slope in (("alias", 6, 0.5), ("fenwick", 8, 14), ("linear", 3, 0)):
        for items in (10, 1_000, 100_000, 1_000_000):
            ns = base + slope * np.log2(items) + (0.3 * items if selector == "linear" else 0)
            truth = {"time": ns * 1e-9}
            cells.append(Simulated("select", "reference", f"selector={selector}", items, truth))
    for engine, (each, batched) in {"reference": (60.0, 35.0), **_PEERS}.items():
        for sync in ("none", "commit"):
            for batch in (1, 100, 1_000, 10_000):
                ns = batched + (each - batched) / batch + (sync == "commit") * _SYNC_NS / batch
                variant = f"batch={batch},sync={sync}"
                cells.append(Simulated("append", engine, variant, 10_000, {"time": ns * 1e-9}))
    for clients in (1, 8, 64, 512):
        ns = _SYNC_NS / clients + 700
        truth = {"time": ns * 1e-9, "draws_per_second": 1e9 / ns}
        cells.append(Simulated("concurrent", "reference", "durability=group", clients, truth))
    for workload, fixed, each, scales in (
        ("recover", 2e-3, 1.6e-8, (100_000, 1_000_000)),
        ("snapshot_load", 2e-3, 3e-8, (10_000, 1_000_000)),
        ("cli_draw", 3e-3, 2.5e-8, (1, 100_000)),
    ):
        for scale in scales:
            seconds = fixed + each * scale
            truth = {"time": seconds, "cpu_time": seconds, "peak_rss": 2e7}
            cells.append(Simulated(workload, "reference", "", scale, truth, cv=0.06))
    return _with_holes(cells)


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


def profiles(subsystem: str) -> tuple[str, ...]:
    """The hardware profiles of a subsystem in config/study.yaml."""
    config = yaml.safe_load((ROOT / "config" / "study.yaml").read_text())
    return (*config["profiles"], *config["more_profiles"]["full"].get(subsystem, []))


SLOWER = {"native": 1.0, "container": 1.1, "server-hdd": 1.5}
"""What a profile costs: the factor on every time."""


def study(
    folder: Path,
    blocks: int = 8,
    seed: int = 1,
    tier: str = "standard",
    subsystem: str = "rewardpool",
    profiles: tuple[str, ...] = ("native",),
) -> None:
    """Fill `folder` like data/tidy/<subsystem>: its tables and session.json, a session a profile.

    Of the last of several profiles, the disk was not enforced.
    """
    tables, sessions = [], []
    for nth, profile in enumerate(profiles):
        drift, noisy = 0.02, 0.02
        cells = SUBSYSTEMS[subsystem]()
        rows = measurements(cells, blocks, seed + nth, tier, drift, noisy, subsystem)
        key = f"planted-{profile}" if nth else "planted"
        rows = rows.assign(profile=profile, session=key)
        rows.loc[rows["metric"] == "time", "value"] *= SLOWER[profile]
        lost = {"disk": "planted data"} if nth and nth == len(profiles) - 1 else {}
        facts = {"key": key, "profile": profile, "profile_not_applied": lost, "seed": seed + nth}
        tables.append(rows)
        sessions.append(_session(rows, subsystem) | facts | {"blocks": blocks, "tier": tier})
    io.write("measurements", pd.concat(tables, ignore_index=True), folder)
    estimates.estimate(folder)
    files.write_json(folder / "session.json", sessions[0] | {"other_sessions": sessions[1:]})
    first = Session.load(folder)
    asked = claims.pairs(
        claims.FOLDER / f"{subsystem}.yaml", claims.engines(ROOT / "engines" / subsystem)
    )
    io.write("pairs", pairs.table(asked, [first, *first.others]), folder)


def session(rows: pd.DataFrame, facts: Mapping[str, Any]) -> Session:
    """A session with these measurements, what follows from them, and these facts."""
    return Session(Path(), facts, rows, **estimates.tables(rows))


def _session(rows: pd.DataFrame, subsystem: str) -> dict[str, Any]:
    """What session.json tells of a session but for its place in the study."""
    known = claims.engines(ROOT / "engines" / subsystem)
    shots = rows.drop_duplicates("shot")
    refused = set(shots.loc[shots["status"] == "refused", "engine"])
    engines = {
        name: {
            "title": f"{name} (planted data)",
            "role": "reference" if name == "reference" else "peer",
            "version": "0",
            "language": "go",
            "license": "Apache-2.0",
            "hot_hash": manifest.hot_hash(known[name]) if name in known else "",
            "status": "refused" if name in refused else "ok",
            "reason": "verify: exit code 1" if name in refused else "",
        }
        for name in shots["engine"].unique()
    }
    workloads = {
        name: {"title": f"{name} (planted data)", "scale": _counted(subsystem, name)}
        for name in shots["workload"].unique()
    }
    return {
        "machine": "planted",
        "machine_facts": {
            "cpu_model": "planted data",
            "cores": 2,
            "cpus": 2,
            "memory_gib": 4,
            "file_system": "planted data",
            "system": "planted data",
        },
        "left_out": {},
        "outside": {},
        "stopped": "",
        "profile_applied": {"threads": "planted"},
        "started_at": "2026-01-01T00:00:00Z",
        "ended_at": "2026-01-01T00:10:00Z",
        "commit": "",
        "dirty": False,
        "command": "planted data",
        "session_dir": "planted data",
        "plan": {
            "engines": engines,
            "workloads": workloads,
            "toolchain": {"go": "planted data"},
        },
        "shots": len(shots),
        "failed": int(shots["status"].isin(["failed", "timeout", "oom"]).sum()),
        "refused": int((shots["status"] == "refused").sum()),
        "noisy": int(shots["noisy"].sum()),
    }


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


def _counted(subsystem: str, workload: str) -> str:
    """What the scale of a workload counts."""
    if subsystem in OTHERS:
        return str(OTHERS[subsystem].counted(workload))
    return _SCALES.get(workload, "items")


OTHERS = {
    path.stem.removeprefix("planted_"): import_module(path.stem)
    for path in sorted(Path(__file__).parent.glob("planted_*.py"))
}
"""Modules `planted_<subsystem>.py`, with `cells()` and what a scale counts: `counted(workload)`."""

SUBSYSTEMS = {"rewardpool": rewardpool} | {name: module.cells for name, module in OTHERS.items()}


def judge(data: Path) -> None:
    """Judge the claims of all subsystems by the sessions in `data`, one folder a subsystem."""
    for path in sorted(claims.FOLDER.glob("*.yaml")):
        verdicts.write(path, ROOT / "engines" / path.stem, data / path.stem)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--subsystem", choices=SUBSYSTEMS, default="rewardpool")
    given = arguments.parse_args()
    study(given.folder, subsystem=given.subsystem)
