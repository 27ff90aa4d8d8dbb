"""Sessions: the shots of a plan, run one at a time, alone on the machine, one JSON line each.

Some end before their plan does (assay/measure/stopping.py).

Where a session lies is in `assay/raw/layout.py`. Lines are only ever appended. A session that was
killed goes on with the first missing shot; one that is complete is not run again.
"""

import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

from assay.engines import store
from assay.engines.build import made
from assay.inputs import placeholders
from assay.inputs.study import PILOT
from assay.measure import expected, limits, lock, noise, origin, profile, shot, stopping
from assay.measure.ground import Ground
from assay.measure.progress import Progress
from assay.raw import layout, outside, shotlog
from assay.raw.harness import HARNESSES, MOST, Ended
from assay.raw.records import (
    Measured,
    Plan,
    Planned,
    Pointer,
    Result,
    State,
    Surroundings,
    Traffic,
)
from assay.system import excerpt, files, machine
from assay.system.machine import Facts
from assay.system.step import TAIL_LINES


class Run(NamedTuple):
    """What a shot adds to its plan; `argv` and `env` are those that it really had."""

    argv: list[str]
    env: dict[str, str]
    result: Result
    surroundings: Surroundings


@dataclass(frozen=True)
class Runner:
    """What is the same for all shots of a session.

    `stores` maps engines to folders for what their shots make once and read often. `lock` is the
    descriptor that holds the lock.
    """

    root: Path
    plan: Plan
    machine: str
    facts: Facts
    applied: profile.Applied
    stores: Mapping[str, Path]
    lock: int

    @property
    def ground(self) -> Ground:
        """Where shots work."""
        return Ground(self.root, self.applied.disk)


def run(
    plan_path: Path,
    pointer_path: Path,
    root: Path,
    lock_path: Path = lock.PATH,
    patience_s: float = noise.PATIENCE_S,
) -> None:
    """Run what is missing of a plan, then write the pointer.

    The pointer says where the session is; where there is a pointer the session has ended.
    A shot that fails is a line with its reason and does not end the session. What ends it early is
    noted, and its missing shots are holes for that reason: other subsystems are measured all the
    same. `patience_s` bounds the time the session waits for a quiet machine; tier smoke, which
    infers nothing, does not wait.
    Raises ValueError for a plan that was edited and for a broken raw file.
    """
    root = root.resolve()
    plan = shotlog.plan(plan_path, advice="plan again")
    facts = machine.facts(root)
    name = machine.key(facts)
    place = layout.Place(name, plan["subsystem"], plan["profile"], plan["key"])
    folder = layout.folder(root, place)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / layout.SHOTS
    if not _is_complete(log, plan):
        shotlog.forget_stop(folder)
        if not (folder / layout.PLAN).exists():
            files.write_json(folder / layout.MACHINE, facts)
            files.write_json(folder / layout.ORIGIN, origin.of(plan["settings"], root))
            files.write_json(folder / layout.PLAN, plan)
        what = f"session {plan['key']} of {plan['subsystem']} in {root}"
        limits.clear()  # what a killed runner left behind may hold the lock
        try:
            entries = _entries(root, plan)
            stores = {entry.parent.name: store.shared(entry) for entry in entries}
            with (
                lock.held(what, lock_path) as held,
                _stops_on_signal(log, plan),
                store.using(entries),
                profile.enforced(plan["hardware"], machine.scratch(root)) as applied,
            ):
                gate = noise.Gate(0.0 if plan["tier"] == "smoke" else patience_s)
                runner = Runner(root, plan, name, facts, applied, stores, held)
                _run_missing(runner, log, gate)
        except Exception as error:
            traceback.print_exc()
            reason = excerpt.line(f"the session ended early: {type(error).__name__}: {error}")
            shotlog.stop(folder, plan["blocks"], reason)
    statuses = Counter(line["status"] for line in shotlog.read(log))
    planned = len(shotlog.wanted(folder, plan))
    pointer: Pointer = {
        "session_dir": folder.relative_to(root).as_posix(),
        "key": plan["key"],
        "machine": name,
        "shots": planned,
        "failed": planned - statuses["ok"] - statuses["refused"],
        "refused": statuses["refused"],
    }
    files.write_json(pointer_path, pointer)
    if not _is_complete(log, plan):
        print(
            f"What was measured is kept: the same study with `--forcerun {pointer_path}` goes on"
            " with the first missing shot."
        )
    print(
        f"{pointer['shots']} shots, {pointer['failed']} failed, {pointer['refused']} refused;"
        f" raw data is in {pointer['session_dir']}"
    )


def _build(root: Path, plan: Plan, engine: str) -> Path:
    """The build in the store, by its own path: some of what was built knows where it was built."""
    return made(root / "build" / plan["subsystem"] / engine / "build.json").resolve()


def _entries(root: Path, plan: Plan) -> list[Path]:
    """The entries in the store of what was built."""
    ready = [name for name, engine in plan["engines"].items() if engine["status"] == "ok"]
    return [_build(root, plan, name).parent for name in ready]


def _is_complete(log: Path, plan: Plan) -> bool:
    return log.exists() and len(list(shotlog.read(log))) == len(shotlog.wanted(log.parent, plan))


def _run_missing(runner: Runner, log: Path, gate: noise.Gate) -> None:
    shotlog.cut_torn_line(log)
    done = {line["id"] for line in shotlog.read(log)}
    missing = [planned for planned in runner.plan["shots"] if planned["id"] not in done]
    every_s = expected.shots_s(runner.plan, runner.root)
    expected_s = {planned["id"]: every_s[planned["id"]] for planned in missing}
    took_s = dict[str, float]()
    progress = Progress(runner.plan, expected_s)
    block, unquiet = -1, list[str]()
    link = shotlog.last(log)
    with log.open("ab") as out:
        for planned in missing:
            if _is_overdue(runner.plan, log, expected_s, took_s):
                break
            progress.begin(planned)
            if planned["block"] != block:
                block = planned["block"]
                if planned["slot"] == 0 and _ends(runner.plan, log, block):
                    break
                unquiet = gate.wait()
            line = _line(runner, planned, unquiet)
            link = shotlog.append(out, line, link)
            took_s[planned["id"]] = line["took_s"] - line.get("store_s", 0.0)
            progress.end(planned)
    progress.close()


def _ends(plan: Plan, log: Path, blocks: int) -> bool:
    """Whether the plan's rule ends the session after so many whole blocks; then that is noted."""
    if "stop" not in plan or blocks == 0:
        return False
    lines = list(shotlog.read(log))
    if blocks == PILOT:
        print(f"\n{stopping.outlook(plan, blocks, lines)}")
    if reason := stopping.reason(plan, blocks, lines):
        shotlog.stop(log.parent, blocks, reason)
        print(f"\nEnds after {blocks} blocks: {reason}")
    return bool(reason)


def _is_overdue(
    plan: Plan, log: Path, expected_s: Mapping[str, float], took_s: Mapping[str, float]
) -> bool:
    """Whether the session takes too long to go on; then that is noted, and what to look at told."""
    if reason := stopping.overdue(plan, expected_s, took_s):
        shotlog.stop(log.parent, plan["blocks"], reason)
        print(f"\n{plan['subsystem']}/{plan['profile']}: {reason}. Look at what took longest:")
        print(*stopping.slowest(plan, expected_s, took_s), sep="\n")
    return bool(reason)


def _line(runner: Runner, planned: Planned, unquiet: list[str]) -> Measured:
    """Run a shot; all there is to know of it, to judge it and to repeat it."""
    began = time.monotonic()
    engine = runner.plan["engines"][planned["engine"]]
    if engine["status"] == "ok":
        run = _run(runner, planned, unquiet)
    else:
        refused = _result(shot.not_run("refused", engine["reason"]))
        nowhere = Surroundings(cwd="", before={}, after={}, noisy=False, noise=[])
        run = Run(planned["argv"], planned["env"], refused, nowhere)
    return {
        **planned,
        "argv": run.argv,
        "env": run.env,
        "session": runner.plan["key"],
        "subsystem": runner.plan["subsystem"],
        "tier": runner.plan["tier"],
        "machine": runner.machine,
        "machine_facts": runner.facts,
        "profile": runner.plan["profile"],
        "profile_applied": dict(runner.applied.applied),
        "profile_not_applied": dict(runner.applied.not_applied),
        "profile_effects": dict(runner.applied.effects),
        "engine_hash": engine["source_hash"],
        **run.result,
        **run.surroundings,
        "took_s": round(time.monotonic() - began, 3),
    }


def _run(runner: Runner, planned: Planned, unquiet: list[str]) -> Run:
    ground, harness = runner.ground, HARNESSES[planned["harness"]]
    scratch = ground.folder / planned["id"]
    exported = scratch.with_suffix(".json")
    kept, own = runner.stores[planned["engine"]], [scratch, exported]
    store_s = 0.0
    uses_stores = any("{stores}" in word for word in (*planned["setup"], *planned["argv"]))
    values = {
        "build": _build(runner.root, runner.plan, planned["engine"]),
        "scratch": scratch,
        "threads": runner.applied.threads,
    }
    env = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        **dict.fromkeys(("HOME", "TMPDIR"), str(scratch)),
        **{name: placeholders.fill([text], values)[0] for name, text in planned["env"].items()},
    }

    def filled(words: list[str], stores: Path) -> list[str]:
        return placeholders.fill(words, {**values, "stores": stores})

    def start(argv: list[str], stores: Path) -> shot.Finished:
        applied = runner.applied
        with limits.grouped(applied.backend, applied.limits) as group:
            return shot.run(
                argv,
                scratch,
                env | {"ASSAY_PADDING": "x" * planned["padding"]},
                planned["timeout_s"],
                applied.cpus,
                keep_open=[runner.lock],
                group=group,
                writable=[*own, stores] if uses_stores else own,
            )

    def not_begun(argv: list[str], outcome: shot.Finished) -> Run:
        about = Surroundings(cwd=str(scratch), before={}, after={}, noisy=False, noise=[])
        return Run(argv, env, _result(outcome, during="setup: "), about)

    not_outside = [*own, runner.root]
    there = outside.seen(not_outside, outside.places())
    try:
        with ground.untimed():
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            exported.touch()
            if uses_stores:
                kept.mkdir(parents=True, exist_ok=True)
            if setup := filled(planned["setup"], kept):
                listed = _changed_at(kept)
                prepared = start(setup, kept)
                store_s = prepared.wall_s if _changed_at(kept) != listed else 0.0
                if prepared.status != "ok":
                    return not_begun(setup, prepared)
                os.sync()  # so that what the setup wrote is not written out during the shot
            try:
                stores = ground.stores(kept, planned["argv"])
            except OSError as error:
                return not_begun(planned["argv"], shot.not_run("failed", str(error)))
            ground.cool(planned["variant"])
        argv = harness.command(filled(planned["argv"], stores), exported)
        before, calibrated = _state(ground.folder)
        counters, own_s, traffic = noise.Counters.read(), _own_s(ground), ground.traffic
        outcome = start(argv, stores)
        own_s = _own_s(ground) - own_s + outcome.cpu_user_s + outcome.cpu_system_s
        disturbed = noise.disturbances(counters, noise.Counters.read(), own_s)
        carried = ground.traffic
        with ground.untimed():
            shutil.rmtree(scratch)  # before the calibration: what is not yet written never will be
            if outcome.status != "ok":
                ground.forget_stores(kept)
        after, calibrated_after = _state(ground.folder)
        ended = Ended(outcome.exit_code, outcome.stdout, outcome.stderr, outcome.reason)
        said = harness.output(ended, exported)
        noisy = [*unquiet, *disturbed, *noise.drift(calibrated, calibrated_after)]
        about: Surroundings = {
            "cwd": str(scratch),
            "outside": outside.changed(there, outside.seen(not_outside, outside.places())),
            "before": before,
            "after": after,
            "noisy": bool(noisy),
            "noise": noisy,
        }
        if store_s:
            about["store_s"] = store_s
        if traffic and carried:
            about["disk"] = cast(Traffic, carried.since(traffic)._asdict())
        result = _result(replace(outcome, stdout=said.stdout, reason=said.reason))
        return Run(argv, env, result, about)
    finally:
        with ground.untimed():
            shutil.rmtree(scratch, ignore_errors=True)
            exported.unlink(missing_ok=True)


def _state(folder: Path) -> tuple[State, noise.Calibration]:
    calibration = noise.calibrate(folder)
    state: State = {
        **machine.volatile(),
        "calibration_cpu_s": calibration.cpu_s,
        "calibration_fdatasync_s": calibration.fdatasync_s,
    }
    return state, calibration


def _changed_at(folder: Path) -> int:
    """When the list of what lies in a folder changed."""
    return folder.stat().st_mtime_ns if folder.exists() else 0


def _own_s(ground: Ground) -> float:
    """CPU seconds of this process, without its children, and of the emulated disk."""
    times = os.times()
    return times.user + times.system + ground.cpu_s


def _result(outcome: shot.Finished, during: str = "") -> Result:
    """What a line tells of an outcome; all of what a shot printed only if it may be a result."""
    native = outcome.stdout
    if outcome.status == "ok" and len(native) > MOST:
        reason = f"printed {len(native):,} characters, expected at most {MOST:,} of a harness"
        outcome = replace(outcome, status="failed", reason=reason)
    reason = excerpt.lines(during + outcome.reason, TAIL_LINES + 1)
    if outcome.status != "ok" and not reason:
        reason = f"{outcome.status}, with no reason printed"
    return {
        "status": outcome.status,
        "reason": reason,
        "exit_code": outcome.exit_code,
        "started_at": outcome.started_at,
        "wall_s": outcome.wall_s,
        "cpu_user_s": outcome.cpu_user_s,
        "cpu_system_s": outcome.cpu_system_s,
        "peak_rss_bytes": outcome.peak_rss_bytes,
        "group_peak_bytes": outcome.usage.peak_bytes,
        "throttled_s": outcome.usage.throttled_s,
        "voluntary_switches": outcome.voluntary_switches,
        "involuntary_switches": outcome.involuntary_switches,
        "native": native if outcome.status == "ok" else native[-excerpt.TAIL :],
        "stderr_tail": outcome.stderr[-excerpt.TAIL :],
    }


@contextmanager
def _stops_on_signal(log: Path, plan: Plan) -> Iterator[None]:
    """Turn SIGTERM and Ctrl-C into an orderly end: the shot is killed, and a line says how far."""

    def stop(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    previous = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    except SystemExit:
        done, wanted = len(list(shotlog.read(log))), len(plan["shots"])
        print(
            f"\nStopped after {done} of {wanted} shots; the same command goes on from there.",
            file=sys.stderr,
        )
        raise
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
