"""The types of what a session leaves on disk; data/README.md is made from them.

`VERSION` in `assay/raw/shotlog.py` says when a change here needs another version.
"""

from typing import Annotated, Any, NotRequired, TypedDict

from assay.system import machine

Variant = dict[str, str | int | float]


class Stop(TypedDict, total=False):
    """What may end a session before the last block of its plan: one of the two."""

    precision: Annotated[float, "relative half-width of the intervals that are asked for"]
    budget_s: Annotated[float, "seconds that the session may take"]


class LeftOut(TypedDict):
    """A peer that the machine cannot have."""

    title: Annotated[str, "name of the engine for people"]
    reason: Annotated[str, "what the machine lacks"]


class Engine(TypedDict):
    """An engine of a plan."""

    title: Annotated[str, "name of the engine for people"]
    role: Annotated[str, "`reference` or `peer`"]
    version: Annotated[str, "version of the published system; empty for an engine of this project"]
    language: Annotated[str, "what the engine is written in"]
    license: Annotated[str, "its licence"]
    source_hash: Annotated[str, "hash of its sources; empty when it was not built"]
    hot_hash: Annotated[str, "hash of the files that a timing can depend on"]
    status: Annotated[str, "`ok`, or `refused` where the build or the correctness gate failed"]
    reason: Annotated[str, "why the engine is refused; empty when it is not"]


class Workload(TypedDict):
    """A workload of a plan."""

    title: Annotated[str, "what is measured, for people"]
    scale: Annotated[str, "what the scale counts"]


class Metric(TypedDict):
    """A metric that a shot prints: what is printed times `factor` is in `unit`."""

    column: Annotated[str, "metric of the tidy tables"]
    unit: Annotated[str, "SI base unit"]
    factor: Annotated[float, "from what is printed to the unit"]
    better: Annotated[str, "`lower` or `higher`"]
    exact: Annotated[bool, "whether it is the same in all shots of a cell with the same seed"]
    agree: Annotated[bool, "whether it is the same in all engines that say so, too"]
    repeated: Annotated[bool, "whether a shot may print it more than once"]


class PlannedCell(TypedDict):
    """A cell of a plan, in one of its arms."""

    engine: Annotated[str, "what is measured"]
    workload: Annotated[str, "by what operation"]
    variant: Annotated[Variant, "configuration of the engine"]
    scale: Annotated[int, "size of the workload"]
    seed: Annotated[int, "seed of the input"]
    harness: Annotated[str, "what measures, and prints the result"]
    argv: Annotated[list[str], "command; what only the machine knows is in braces"]
    setup: Annotated[list[str], "command that runs before it and is not measured; may be empty"]
    env: Annotated[dict[str, str], "environment beside a short fixed list, as above"]
    timeout_s: Annotated[float, "seconds after which the shot is killed"]
    expect_s: Annotated[float, "seconds that the shot is expected to take"]
    metrics: Annotated[dict[str, Metric], "what the shot prints, by its name in print"]
    arm: Annotated[str, "`A`; `B` or `C` for a second, identical run (docs/method.md)"]


class Planned(PlannedCell):
    """A shot as it is planned."""

    id: Annotated[str, "name of the shot, unique in its session"]
    block: Annotated[int, "pass over all cells"]
    slot: Annotated[int, "place in the random order of the block"]
    padding: Annotated[int, "bytes by which the environment is padded"]


class Plan(TypedDict):
    """Every shot of a session, written down before any of them runs."""

    version: Annotated[int, "of plans and raw data; one of another version is refused"]
    subsystem: Annotated[str, "what is studied"]
    profile: Annotated[str, "name of the hardware profile"]
    hardware: Annotated[dict[str, Any], "the profile, as in `config/hardware/`"]
    tier: Annotated[str, "how much is measured"]
    seed: Annotated[int, "seed of the study"]
    blocks: Annotated[int, "number of blocks, or the most there may be"]
    stop: NotRequired[Annotated[Stop, "what may end the session before"]]
    engines: Annotated[dict[str, Engine], "engines, by name"]
    left_out: NotRequired[Annotated[dict[str, LeftOut], "peers that the machine cannot have"]]
    toolchain: Annotated[dict[str, str], "versions of the tools that built the engines"]
    settings: Annotated[dict[str, Any], "the study, as in `config/study.yaml`"]
    workloads: Annotated[dict[str, Workload], "workloads, by name"]
    shots: Annotated[list[Planned], "shots, in their order"]
    key: Annotated[str, "hash of all that decides the shots"]


class Effect(TypedDict):
    """What a limit did when it was tried at the start of the session."""

    wanted: Annotated[float, "what the profile asks for"]
    measured: Annotated[float, "what was measured"]
    unit: Annotated[str, "unit of both"]
    holds: Annotated[bool, "whether the two agree"]
    words: Annotated[str, "the same, for people"]


class State(machine.State, total=False):
    """The state of the machine beside a shot; empty where the shot did not run."""

    calibration_cpu_s: Annotated[float, "seconds of a fixed loop on the CPU"]
    calibration_fdatasync_s: Annotated[float, "seconds of an fdatasync where the shot works"]


class Result(TypedDict):
    """What became of a shot. Times and switches are sums over its processes."""

    status: Annotated[str, "`ok`, `failed`, `timeout`, `oom` or `refused`"]
    reason: Annotated[str, "why it is not ok; empty when it is"]
    exit_code: Annotated[int | None, "minus the signal that ended it; null when it never began"]
    started_at: Annotated[str, "when it began, UTC, ISO 8601"]
    wall_s: Annotated[float, "duration of the whole process, s"]
    cpu_user_s: Annotated[float, "CPU time in programs, s"]
    cpu_system_s: Annotated[float, "CPU time in the kernel, s"]
    peak_rss_bytes: Annotated[int, "peak resident memory"]
    group_peak_bytes: Annotated[int | None, "peak memory with page cache, of the shot's group"]
    throttled_s: Annotated[float | None, "time in which the group had used up its quota, s"]
    voluntary_switches: Annotated[int, "times that a process gave its CPU up"]
    involuntary_switches: Annotated[int, "times that it was taken away"]
    native: Annotated[str, "what the harness printed; of a shot that is not ok the end"]
    stderr_tail: Annotated[str, "the end of standard error"]


class Traffic(TypedDict):
    """What the emulated disk carried for a shot: not what the page cache answered."""

    reads: Annotated[int, "reads"]
    read_bytes: Annotated[int, "bytes that they read"]
    writes: Annotated[int, "writes"]
    written_bytes: Annotated[int, "bytes that they wrote"]


class Surroundings(TypedDict):
    """What was around a shot."""

    cwd: Annotated[str, "folder that it worked in"]
    outside: NotRequired[Annotated[list[str], "what changed elsewhere while it ran"]]
    disk: NotRequired[Annotated[Traffic, "what the emulated disk carried for it"]]
    store_s: NotRequired[Annotated[float, "seconds in which its setup made a store to be kept"]]
    before: Annotated[State, "the machine before it"]
    after: Annotated[State, "the machine after it"]
    noisy: Annotated[bool, "true when the machine was not quiet"]
    noise: Annotated[list[str], "why it was not"]


class Measured(Planned, Result, Surroundings):
    """A shot that ran, or was refused: as planned, but with what its command really was."""

    session: Annotated[str, "key of the plan"]
    subsystem: Annotated[str, "as in the plan"]
    tier: Annotated[str, "as in the plan"]
    machine: Annotated[str, "key of the machine"]
    machine_facts: Annotated[machine.Facts, "what it is"]
    profile: Annotated[str, "as in the plan"]
    profile_applied: Annotated[dict[str, str], "how each limit of the profile is enforced"]
    profile_not_applied: Annotated[dict[str, str], "why others are not"]
    profile_effects: Annotated[dict[str, Effect], "what the limits did when they were tried"]
    engine_hash: Annotated[str, "hash of the engine's sources"]
    took_s: Annotated[float, "seconds that the shot took with all that is around it"]


class Line(Measured):
    """A line: a shot, and the link to the lines before it."""

    chain: Annotated[str, "hash of the line and of the `chain` before it"]


class Shot(Line, total=False):
    """A line as it is read, with its `values`; without a line no more than its plan and status."""

    values: Annotated[dict[str, float], "by column what an ok one measured"]


class Stopped(TypedDict):
    """Where a session ended before its plan did: by a rule, or because it could not go on."""

    blocks: Annotated[int, "blocks that it is to have"]
    reason: Annotated[str, "why no more"]


class Origin(TypedDict):
    """Where a session comes from."""

    commit: Annotated[str, "commit that it began at; empty where git does not tell"]
    dirty: Annotated[bool | None, "whether the tree differed from it; null as above"]
    command: Annotated[str, "command that repeats it"]


class Pointer(TypedDict):
    """Where a session is. Where there is a pointer the session has ended."""

    session_dir: Annotated[str, "its folder, from the project"]
    key: Annotated[str, "key of its plan"]
    machine: Annotated[str, "key of its machine"]
    shots: Annotated[int, "that it was to have"]
    failed: Annotated[int, "of these neither ok nor refused"]
    refused: Annotated[int, "of these refused"]


class Selected(TypedDict):
    """What of its plan a session tells beside its tables."""

    engines: Annotated[dict[str, Engine], "as in the plan"]
    workloads: Annotated[dict[str, Workload], "as in the plan"]
    toolchain: Annotated[dict[str, str], "as in the plan"]


class SessionFacts(Origin):
    """How tidy tables came about: `session.json` lies beside them."""

    key: Annotated[str, "key of the plan"]
    profile: Annotated[str, "as in the plan"]
    tier: Annotated[str, "as in the plan"]
    seed: Annotated[int, "as in the plan"]
    blocks: Annotated[int, "blocks that it has"]
    stopped: Annotated[str, "why it has fewer than its plan; empty when it has them all"]
    profile_applied: Annotated[dict[str, str], "how each limit was enforced in every shot"]
    profile_not_applied: Annotated[dict[str, str], "why others were not, in some shot"]
    profile_effects: Annotated[dict[str, Effect], "what the limits did when they were tried"]
    machine: Annotated[str, "key of the machine"]
    machine_facts: Annotated[machine.Facts, "what it is"]
    started_at: Annotated[str, "when the first shot began; empty when none did"]
    ended_at: Annotated[str, "when the last shot ended"]
    session_dir: Annotated[str, "folder of its raw data"]
    plan: Annotated[Selected, "what it measured, and by what tools"]
    left_out: Annotated[dict[str, LeftOut], "peers that the machine could not have"]
    shots: Annotated[int, "shots, as planned"]
    failed: Annotated[int, "of these neither ok nor refused"]
    refused: Annotated[int, "of these refused"]
    noisy: Annotated[int, "of these on a machine that was not quiet"]
    outside: Annotated[dict[str, list[str]], "by engine what changed elsewhere in its shots"]
    committed: NotRequired[Annotated[bool, "true in the committed run"]]
    other_sessions: NotRequired[
        Annotated[list["SessionFacts"], "of the first: those of other profiles and machines"]
    ]
