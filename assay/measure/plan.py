"""Plans: every shot of a session, in seeded random order, written before any of them runs.

A plan is data that does not depend on the machine. Its `key` is the hash of what is measured.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from assay.analyse import arms
from assay.inputs import alone, manifest, placeholders, tiers
from assay.inputs.manifest import Bench, Manifest
from assay.inputs.study import Study
from assay.inputs.variant import Variant, variant_string
from assay.measure import profile
from assay.raw.records import Engine, LeftOut, Metric, Plan, Planned, PlannedCell, Stop
from assay.raw.shotlog import VERSION, key
from assay.system.step import LEFT_OUT

# The environment of a shot is padded by up to a page, because the size of the environment shifts
# the stack and so the alignment of data: Mytkowicz et al., "Producing wrong data without doing
# anything obviously wrong!", ASPLOS 2009.
MAX_PADDING = 4096

# What `build.json` and `verify.json` hold where a step did not run.
_NO_OUTCOME = {"status": "failed", "reason": "there is no outcome", "source_hash": ""}


def make(
    study: Study,
    subsystem: str,
    profile_name: str,
    builds: Mapping[str, Mapping[str, Any]],
    verifications: Mapping[str, Mapping[str, Any]],
    root: Path = Path(),
) -> Plan:
    """The plan of a session.

    `builds` and `verifications` map the name of an engine to the content of its `build.json` and
    `verify.json`. An engine that failed either is refused: it keeps its shots, which become rows
    with the reason. One that is left out has no shots, and stands in the plan with what it lacks.
    The toolchain of the plan is that of its engines' builds. A block holds every cell once, but for
    those of which the tier runs fewer, and again those that `assay.analyse.arms` names, in random
    order but with what is compared side by side. The seed of a shot depends on workload, scale and
    block: all engines get the same input in a block, and another one in the next, so that a finding
    does not rest on one input.

    Raises ConfigurationError for a wrong manifest or hardware profile.
    """
    manifests = manifest.discover(root, study, subsystem)
    missing = {
        engine.name: LeftOut(title=engine.title, reason=builds[engine.name]["reason"])
        for engine in manifests
        if builds.get(engine.name, _NO_OUTCOME)["status"] == LEFT_OUT
    }
    engines = [engine for engine in manifests if engine.name not in missing]
    selections = tiers.load(root, subsystem)
    measured = {
        engine.name: [
            (cell, tiers.blocks(engine.name, cell, study, selections))
            for cell in tiers.cells(engine, study, selections, profile_name)
        ]
        for engine in engines
    }
    shots = list[Planned]()
    for block in range(study.blocks):
        cells = [
            cell
            for engine in engines
            for cell in _cells(engine, measured[engine.name], study, block)
        ]
        order = random.Random(f"{study.seed}/{subsystem}/{profile_name}/{block}")
        for slot, cell in enumerate(_in_order(cells, order)):
            shots.append(
                {
                    "id": f"{block:02d}-{slot:04d}",
                    "block": block,
                    "slot": slot,
                    **cell,
                    "padding": order.randrange(MAX_PADDING),
                }
            )
    plan: Plan = {
        "version": VERSION,
        "subsystem": subsystem,
        "profile": profile_name,
        "hardware": profile.load(profile_name, root),
        "tier": study.tier,
        "seed": study.seed,
        "blocks": study.blocks,
        "engines": {
            engine.name: _engine(
                engine,
                builds.get(engine.name, _NO_OUTCOME),
                verifications.get(engine.name, _NO_OUTCOME),
            )
            for engine in engines
        },
        "toolchain": _toolchain(builds[engine.name] for engine in engines if engine.name in builds),
        "settings": json.loads(study.settings),
        "workloads": {
            bench.workload: {"title": bench.title, "scale": bench.scale}
            for engine in reversed(engines)  # the reference engine, the first, has the last word
            for bench in engine.benches
        },
        "shots": shots,
        "key": "",
    }
    if study.stop:
        plan["stop"] = cast(Stop, study.stop)
    if missing:
        plan["left_out"] = missing
    plan["key"] = key(plan)
    return plan


def describe(plan: Plan, expected: Mapping[str, float]) -> str:
    """A plan for people: its engines, its workloads, and how long it will take.

    `expected` has the seconds of each shot, by its id.
    """
    lines = [
        f"Plan {plan['key']}: {plan['subsystem']}, profile {plan['profile']}, tier {plan['tier']},"
        f" seed {plan['seed']}",
        f"{plan['blocks']} blocks, {len(plan['shots'])} shots,"
        f" about {duration(sum(expected.values()))} on a quiet machine{_end(plan)}",
        f"{_twice(plan)} cells of the reference engine run twice in a block, as the A/A arm",
        f"{_again(plan)} cells with exact counters run twice in the first block, to compare these",
        "",
        "Engines",
    ]
    for name, engine in plan["engines"].items():
        version = f" {engine['version']}" if engine["version"] else ""
        refused = f" - refused: {engine['reason'].splitlines()[0]}" if engine["reason"] else ""
        lines.append(f"  {name}: {engine['title']}{version}{refused}")
    for name, absent in plan.get("left_out", {}).items():
        lines.append(f"  {name}: {absent['title']} - left out: {absent['reason']}")
    lines += ["", "Workloads"]
    for name, workload in plan["workloads"].items():
        shots = [shot for shot in plan["shots"] if shot["workload"] == name]
        if shots:
            cells = {(s["engine"], variant_string(s["variant"]), s["scale"]) for s in shots}
            sizes = ", ".join(f"{size:,}" for size in sorted({s["scale"] for s in shots}))
            takes = duration(sum(expected[shot["id"]] for shot in shots))
            lines.append(
                f"  {name}: {workload['title']}; {len(cells)} cells,"
                f" {workload['scale']} {sizes}; about {takes}"
            )
    if single := alone.told(plan):
        lines += ["", "Compared with no other engine", *single]
    return "\n".join(lines)


def _twice(plan: Plan) -> str:
    """How many cells of the reference engine carry the A/A arm: "12 of 46"."""
    first = [shot for shot in plan["shots"] if shot["block"] == 0]
    arms_of = [s["arm"] for s in first if plan["engines"][s["engine"]]["role"] == "reference"]
    return f"{arms_of.count('B')} of {arms_of.count('A')}"


def _again(plan: Plan) -> int:
    """How many cells run once more in the first block for their counters alone."""
    return sum(shot["arm"] == arms.COUNTED for shot in plan["shots"])


def _end(plan: Plan) -> str:
    """What may end the session before its last block."""
    stop = plan.get("stop", {})
    if "budget_s" in stop:
        return f"; as many of them as fit into {duration(stop['budget_s'])}"
    if "precision" in stop:
        return f"; fewer, once 9 in 10 cells are known to ±{100 * stop['precision']:g} %"
    return ""


def duration(seconds: float) -> str:
    """A length of time for people: "40 s", "12 min", "1 h 05 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _cells(
    engine: Manifest, measured: Iterable[tuple[tiers.BenchCell, int]], study: Study, block: int
) -> Iterator[PlannedCell]:
    """The cells of an engine in a block, each in its arms; `measured` has the blocks of each.

    A cell that runs in fewer blocks than the others has no A/A arm: it says nothing of the noise.
    """
    cells = [(_cell(engine.name, *cell, f"{study.seed}/{block}"), most) for cell, most in measured]
    smoke = study.tier == "smoke"
    twice: set[int] = set()
    if engine.role == "reference":
        whole = [place for place, (_, most) in enumerate(cells) if most == study.blocks]
        groups = [f"{cells[place][0]['workload']}/{cells[place][0]['harness']}" for place in whole]
        drawn = arms.doubled(groups, study.seed, 0 if smoke else arms.LEAST)
        twice = {whole[nth] for nth in drawn}
    for place, (cell, most) in enumerate(cells):
        if block >= most:
            continue
        yield cell
        if place in twice:
            yield {**cell, "arm": "B"}
        elif (
            block == 0 and not smoke and any(metric["exact"] for metric in cell["metrics"].values())
        ):
            yield {**cell, "arm": arms.COUNTED}


def _cell(engine: str, bench: Bench, variant: Variant, scale: int, seeded: str) -> PlannedCell:
    """A cell in arm A, with an input that depends on what is `seeded`, the workload and scale."""
    seed = random.Random(f"{seeded}/{bench.workload}/{scale}").randrange(1, 2**31)
    values, metrics = {**variant, "scale": scale, "seed": seed}, bench.printed(variant)
    return {
        "engine": engine,
        "workload": bench.workload,
        "variant": dict(variant),
        "scale": scale,
        "seed": seed,
        "harness": bench.harness,
        "argv": placeholders.bind(bench.command, values),
        "setup": placeholders.bind(bench.setup, values),
        "env": profile.environment(),
        "timeout_s": bench.timeout_s,
        "expect_s": bench.seconds,
        "metrics": cast(dict[str, Metric], {n: asdict(m) for n, m in metrics.items()}),
        "arm": "A",
    }


def _engine(engine: Manifest, build: Mapping[str, Any], verification: Mapping[str, Any]) -> Engine:
    reason = ""
    if build["status"] != "ok":
        reason = f"the build failed: {build['reason']}"
    elif verification["status"] != "ok":
        reason = f"the correctness gate failed: {verification['reason']}"
    return {
        "title": engine.title,
        "role": engine.role,
        "version": engine.version,
        "language": engine.language,
        "license": engine.license,
        "source_hash": build["source_hash"],
        "hot_hash": manifest.hot_hash(engine),
        "status": "refused" if reason else "ok",
        "reason": reason,
    }


def _in_order(cells: Iterable[PlannedCell], order: random.Random) -> list[PlannedCell]:
    """The cells of a block: workloads at a scale, in each its variants, in each engines and arms.

    Each in random order. Engines and arms that follow each other meet the same moment of a machine
    whose speed changes by the second; a whole block apart, the noise of their ratio is larger.
    """
    drawn: dict[tuple[Any, ...], float] = {}

    def rank(cell: PlannedCell) -> tuple[float, float, float]:
        group = (cell["workload"], cell["scale"])
        variant = (*group, variant_string(cell["variant"]))
        return (
            drawn.setdefault(group, order.random()),
            drawn.setdefault(variant, order.random()),
            order.random(),
        )

    return sorted(cells, key=rank)


def _toolchain(builds: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Tool name to version: all that these builds tell of."""
    told: dict[str, str] = {}
    for build in builds:
        told |= build.get("toolchain", {})
    return dict(sorted(told.items()))
