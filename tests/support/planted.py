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
from typing import Any, TypeVar

import pandas as pd
import yaml

from assay.analyse import estimates, pairs, quotients, ratios, verdicts
from assay.analyse.ratios import Ratio
from assay.analyse.session import Session
from assay.calibration import simulation
from assay.calibration.simulation import Simulated
from assay.inputs import claims, manifest
from assay.system import files
from assay.tables import io
from assay.tables.rows import Row

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


def profiles(subsystem: str) -> tuple[str, ...]:
    """The hardware profiles of a subsystem in config/study.yaml."""
    config = yaml.safe_load((ROOT / "config" / "study.yaml").read_text())
    return (*config["profiles"], *config["more_profiles"]["full"].get(subsystem, []))


SLOWER = {"native": 1.0, "container": 1.1, "server-hdd": 1.5, "published-server": 1.6}
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


Some = TypeVar("Some", bound=Session)


def estimated(session: Some, estimates: pd.DataFrame) -> Some:
    """The same with other estimates, and what they come to over print, bounds and theory."""
    return replace(session, estimates=estimates, quotients=quotients.table(estimates))


def paired(session: Session, cell: Row, base: Row, metric: str = "time") -> Ratio:
    """The ratio of two cells of a session, paired by block: what tables are held against."""
    above, below = (
        session.good(side["workload"], metric)
        .query(" and ".join(f"{name} == {value!r}" for name, value in side.items()))
        .set_index("block")["value"]
        for side in (cell, base)
    )
    both = pd.concat([above, below], axis="columns").to_numpy()
    effect = ratios.ratio(both[:, 0], both[:, 1])
    assert effect
    return effect


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
        name: {"title": f"{name} (planted data)", "scale": str(MODULES[subsystem].counted(name))}
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


MODULES = {
    path.stem.removeprefix("planted_"): import_module(path.stem)
    for path in sorted(Path(__file__).parent.glob("planted_*.py"))
}
"""Modules `planted_<subsystem>.py`, with `cells()` and what a scale counts: `counted(workload)`."""

SUBSYSTEMS = {name: module.cells for name, module in MODULES.items()}


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
