"""Engine manifests: what `engine.yaml` says, checked when it is loaded.

A manifest is all the harness knows of an engine. Its schema is
`workflow/schemas/engine.schema.json`; `docs/adding-an-engine.md` explains it.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from assay.inputs import alone, placeholders, tiers
from assay.inputs.study import Study, strangers
from assay.inputs.validation import ConfigurationError, check, found, nearest, read_yaml
from assay.inputs.variant import Variant
from assay.system import tools

Grid = Mapping[str, Any]
"""Keys of a variant, each with a value or a list of values."""

_NATIVE = re.compile(rb"(-march|-mcpu|-mtune|target-cpu)=native")


@dataclass(frozen=True)
class Build:
    """How an engine is built. `command` runs in the engine's folder; `outputs` lie in {build}."""

    command: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    timeout_s: float


@dataclass(frozen=True)
class Verify:
    """The correctness gate. `command` runs in the engine's folder; exit code 0 means correct.

    `inputs` are globs of the files that it reads beside the build.
    """

    command: tuple[str, ...]
    inputs: tuple[str, ...]
    timeout_s: float


@dataclass(frozen=True)
class Metric:
    """A metric a harness prints: a printed value times `factor` is in `unit`.

    A shot prints it once, or at least once where it is `repeated`. An `exact` one is the same in
    all shots of a cell with the same seed, and in all engines that say that they `agree`.
    """

    column: str
    unit: str
    factor: float
    better: str
    exact: bool
    agree: bool
    repeated: bool


@dataclass(frozen=True)
class Bench:
    """One workload of an engine: a command for each variant and scale.

    `scale` names what the scale counts. `scales` maps smoke, full and published to their sizes;
    tier standard selects from full (`assay/inputs/tiers.py`). `metrics` maps a printed name to its
    metric; `only` says of some of them which values of a variant's keys they are printed for.
    `races` says what kind of a race a column is; one without is accounting or a by-product. It is
    the reference engine that says so, for all engines: no plan depends on it.
    `seconds` is how long one shot is expected to take.
    """

    workload: str
    title: str
    scale: str
    harness: str
    command: tuple[str, ...]
    setup: tuple[str, ...]
    variants: tuple[Variant, ...]
    scales: Mapping[str, tuple[int, ...]]
    timeout_s: float
    seconds: float
    metrics: Mapping[str, Metric]
    only: Mapping[str, Grid]
    races: Mapping[str, str]

    def printed(self, variant: Variant) -> dict[str, Metric]:
        """The metrics that a shot of a variant prints."""
        return {
            name: metric
            for name, metric in self.metrics.items()
            if _is_one(variant, self.only.get(name, {}))
        }


@dataclass(frozen=True)
class Manifest:
    """A valid manifest; `path` is its file. `version` and `weight` are empty but for peers.

    `tools` names what the engine is built and run with, as `assay/system/tools.py` knows it. `hot`
    are globs of what a timing can depend on; one that begins with ! takes out what others found
    before.
    """

    path: Path
    name: str
    subsystem: str
    title: str
    language: str
    license: str
    role: str
    version: str
    weight: str
    tools: tuple[str, ...]
    hot: tuple[str, ...]
    build: Build
    verify: Verify
    benches: tuple[Bench, ...]


def load(path: Path) -> Manifest:
    """Read the manifest in file `path`.

    Raises ConfigurationError with one line `file:line: key: expected X, found Y` a problem.
    """
    loaded = _read(path, path.read_bytes() if path.is_file() else b"")
    problems = [f"{path}: {problem}" for problem in dict.fromkeys(_problems(loaded))]
    if problems:
        raise ConfigurationError(problems)
    return loaded


@cache  # a page asks for every engine many times, and checking a manifest takes 0.1 s
def _read(path: Path, content: bytes) -> Manifest:
    """The manifest of a file that has this content."""
    value = read_yaml(path)
    check(value, "engine", path)
    return Manifest(
        path=path,
        name=value["name"],
        subsystem=value["subsystem"],
        title=value["title"],
        language=value["language"],
        license=value["license"],
        role=value["role"],
        version=value.get("version", ""),
        weight=value.get("weight", ""),
        tools=tuple(value["tools"]),
        hot=tuple(value["hot"]),
        build=Build(
            command=tuple(value["build"]["command"]),
            inputs=tuple(value["build"]["inputs"]),
            outputs=tuple(value["build"]["outputs"]),
            timeout_s=value["build"]["timeout_s"],
        ),
        verify=Verify(
            command=tuple(value["verify"]["command"]),
            inputs=tuple(value["verify"].get("inputs", ())),
            timeout_s=value["verify"]["timeout_s"],
        ),
        benches=tuple(map(_bench, value["benches"])),
    )


def discover(root: Path, study: Study, subsystem: str) -> list[Manifest]:
    """The engines of `subsystem` that take part in `study`: the reference engine, then its peers.

    Every name of the study is checked, then every manifest of the subsystem, also of engines that
    are left out.
    Raises ConfigurationError with the problems of all of them.
    """
    if unknown := list(strangers(study, root)):
        raise ConfigurationError(unknown)
    home = root / "engines" / subsystem
    manifests: list[Manifest] = []
    problems: list[str] = []
    for path in [home / "engine.yaml", *sorted(home.glob("peers/*/engine.yaml"))]:
        try:
            manifests.append(load(path))
        except ConfigurationError as error:
            problems += error.problems
        else:
            problems += _misplaced(manifests[-1], home)
    problems += [*_disagreements(manifests), *alone.slips(manifests)]
    selections = tiers.load(root, subsystem)
    problems += tiers.strangers(root)
    if not problems:
        problems += [p for each in selections.values() for p in tiers.problems(each, manifests)]
    if problems:
        raise ConfigurationError(problems)
    return [m for m in manifests if tiers.takes_part(m, study, selections)]


def sources(manifest: Manifest) -> list[Path]:
    """The files that the engine is built from, sorted."""
    return _found(manifest, manifest.build.inputs)


def gate_sources(manifest: Manifest) -> list[Path]:
    """The files that the correctness gate reads beside the build, sorted."""
    return _found(manifest, manifest.verify.inputs)


def hot_sources(manifest: Manifest) -> list[Path]:
    """The files that a timing can depend on, sorted: the decision of the last glob holds."""
    hot: set[Path] = set()
    for glob in manifest.hot:
        paths = set(_found(manifest, (glob.removeprefix("!"),)))
        hot = hot - paths if glob.startswith("!") else hot | paths
    return sorted(hot)


def source_hash(manifest: Manifest) -> str:
    """What the build depends on, as 16 hex digits: its command, its outputs and its sources.

    The same on every machine. Benches are not part of it: their commands stand in the plan.
    """
    recipe = [manifest.build.command, manifest.build.inputs, manifest.build.outputs]
    return _hash(manifest, recipe, sources(manifest))


def gate_hash(manifest: Manifest) -> str:
    """What the gate depends on beside the build, as 16 hex digits: its command and its data."""
    recipe = [manifest.verify.command, manifest.verify.inputs]
    return _hash(manifest, recipe, gate_sources(manifest))


def hot_hash(manifest: Manifest) -> str:
    """What a timing can depend on, as 16 hex digits: a run under another one is stale.

    That is the contents of the hot files. Of the build's command it is only whether the compiler is
    told of the processor: how a command is quoted or where it writes changes no timing.
    """
    flags = tuple(word for word in map(_native, manifest.build.command) if word)
    return _hash(manifest, [flags], hot_sources(manifest))


def is_native(manifest: Manifest) -> bool:
    """Whether the build is for the processor that it runs on: a compiler is told so."""
    return any(map(_native, manifest.build.command)) or any(
        _NATIVE.search(path.read_bytes()) for path in sources(manifest)
    )


def _native(word: str) -> str:
    match = _NATIVE.search(word.encode())
    return match[0].decode() if match else ""


def _found(manifest: Manifest, globs: tuple[str, ...]) -> list[Path]:
    """The files that globs find, sorted.

    Those of a reference engine never reach into `peers/`, which lies in its folder.
    """
    home = manifest.path.parent
    return sorted(
        {
            Path(os.path.normpath(path))
            for glob in globs
            for path in home.glob(glob)
            if path.is_file() and path.relative_to(home).parts[0] != "peers"
        }
    )


def _hash(manifest: Manifest, recipe: list[tuple[str, ...]], paths: list[Path]) -> str:
    digest = hashlib.sha256(json.dumps(recipe).encode())
    for path in paths:
        name = os.path.relpath(path, manifest.path.parent)
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"\n{name} {content}".encode())
    return digest.hexdigest()[:16]


def _bench(value: Mapping[str, Any]) -> Bench:
    grids = value.get("variants", {})
    scales = {"published": value["scales"]["full"], **value["scales"]}
    return Bench(
        workload=value["workload"],
        title=value["title"],
        scale=value["scale"],
        harness=value["harness"],
        command=tuple(value["command"]),
        setup=tuple(value.get("setup", ())),
        variants=tuple(
            variant
            for grid in (grids if isinstance(grids, list) else [grids])
            for variant in _variants(grid)
        ),
        scales={tier: tuple(sizes) for tier, sizes in scales.items()},
        timeout_s=value["timeout_s"],
        seconds=value["seconds"],
        metrics={
            name: Metric(
                column=metric["column"],
                unit=metric["unit"],
                factor=metric.get("factor", 1.0),
                better=metric["better"],
                exact=metric.get("exact", False),
                agree=metric.get("agree", False),
                repeated=metric.get("repeated", False),
            )
            for name, metric in value["metrics"].items()
        },
        only={n: metric["only"] for n, metric in value["metrics"].items() if "only" in metric},
        races={m["column"]: m["race"] for m in value["metrics"].values() if "race" in m},
    )


def _is_one(variant: Variant, grid: Grid) -> bool:
    """Whether the variant has one of the grid's values for each of its keys."""
    return all(
        variant.get(name) in (values if isinstance(values, list) else [values])
        for name, values in grid.items()
    )


def _variants(grid: Grid) -> Iterator[Variant]:
    """The cross product of a mapping whose values are single or lists."""
    choices = [value if isinstance(value, list) else [value] for value in grid.values()]
    for values in product(*choices):
        yield dict(zip(grid, values, strict=True))


def _problems(manifest: Manifest) -> Iterator[str]:
    """What the schema cannot say."""
    home = manifest.path.parent
    for i, name in enumerate(manifest.tools):
        if name not in tools.TOOLS:
            meant = nearest(name, tools.TOOLS)
            yield (
                f"tools[{i}]: expected a tool of assay/system/tools.py, nearest {meant!r},"
                f" found {found(name)}"
            )
    for i, glob in enumerate(manifest.hot):
        if not _found(manifest, (glob.removeprefix("!"),)):
            yield f"hot[{i}]: expected a glob that finds a file, found {found(glob)}"
    for where, part in (("build", manifest.build), ("verify", manifest.verify)):
        for i, glob in enumerate(part.inputs):
            if not any(home.glob(glob)):
                yield f"{where}.inputs[{i}]: expected a glob that finds a file, found {found(glob)}"
        yield from placeholders.problems(f"{where}.command", part.command, {"build"})
    seen: set[tuple[str, frozenset[tuple[str, object]]]] = set()
    for i, bench in enumerate(manifest.benches):
        columns = [metric.column for metric in bench.metrics.values()]
        if not any(m.column == "time" and m.unit == "s" for m in bench.metrics.values()):
            yield f"benches[{i}].metrics: expected one with column time and unit s, found none"
        if len(set(columns)) != len(columns):
            yield f"benches[{i}].metrics: expected each column once, found {', '.join(columns)}"
        yield from _unlike(f"benches[{i}].metrics", bench, manifest)
        for variant in bench.variants:
            known = {"build", "stores", "scratch", "scale", "seed", *variant}
            yield from placeholders.problems(f"benches[{i}].command", bench.command, known)
            yield from placeholders.problems(f"benches[{i}].setup", bench.setup, known)
            cell = (bench.workload, frozenset(variant.items()))
            if cell in seen:
                yield (
                    f"benches[{i}].variants: expected each variant of a workload once,"
                    f" found {found(variant)} again"
                )
            seen.add(cell)


def _unlike(where: str, bench: Bench, manifest: Manifest) -> Iterator[str]:
    """What of a bench's metrics cannot be."""
    variants = [variant for every in manifest.benches for variant in every.variants]
    for name, metric in bench.metrics.items():
        only = bench.only.get(name, {})
        if only and metric.column == "time":
            wanted = "nothing, as every shot has a time"
            yield f"{where}.{name}.only: expected {wanted}, found {found(only)}"
        if only and not any(_is_one(variant, only) for variant in variants):
            yield f"{where}.{name}.only: expected a variant of the engine, found {found(only)}"
        if metric.agree and not metric.exact:
            yield f"{where}.{name}.agree: expected exact, too, found {found(metric.exact)}"
        race = bench.races.get(metric.column, "")
        if race and (metric.exact or manifest.role == "peer"):
            why = "an exact counter" if metric.exact else "a peer, as the reference engine says it"
            yield f"{where}.{name}.race: expected nothing of {why}, found {race}"
        elif race and metric.better == "higher":
            yield f"{where}.{name}.race: expected a metric of which less is better, found {race}"


def _misplaced(manifest: Manifest, home: Path) -> Iterator[str]:
    """Where the manifest lies and what it says of itself must agree."""
    folder = manifest.path.parent
    wanted = {"subsystem": home.name, "role": "peer", "name": folder.name}
    if folder == home:
        wanted |= {"role": "reference", "name": "reference"}
    for name, value in wanted.items():
        if getattr(manifest, name) != value:
            actual = getattr(manifest, name)
            yield f"{manifest.path}: {name}: expected {value} in this folder, found {actual}"


def _disagreements(manifests: list[Manifest]) -> Iterator[str]:
    """Engines are compared by column and scale, so these must mean the same in each of them."""
    meaning: dict[tuple[str, str], tuple[object, Path]] = {}
    for manifest in manifests:
        for i, bench in enumerate(manifest.benches):
            facts: dict[str, object] = {"scale": bench.scale}
            for metric in bench.metrics.values():
                how = {key: getattr(metric, key) for key in ("unit", "better", "exact")}
                facts[f"metrics: column {metric.column}"] = how
                if manifest.role == "reference":
                    race = bench.races.get(metric.column, "nothing")
                    facts[f"metrics: race of {metric.column}"] = race
            for name, value in facts.items():
                first, path = meaning.setdefault((bench.workload, name), (value, manifest.path))
                if value != first:
                    yield (
                        f"{manifest.path}: benches[{i}].{name}:"
                        f" expected {found(first)} as in {path}, found {found(value)}"
                    )
