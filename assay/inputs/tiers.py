"""Tiers: which cells of an engine a study measures, and which peers take part.

Tiers `full` and `published` measure the sizes that a manifest lists for them; `smoke` the first of
its sizes for each harness. `standard` selects from `full` by `config/tiers/standard.yaml`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.inputs.study import Study
from assay.inputs.validation import check, key, nearest, place, read_yaml
from assay.inputs.variant import Variant

if TYPE_CHECKING:  # assay.manifest asks this module which engines take part
    from assay.inputs.manifest import Bench, Manifest

FILE = Path("config/tiers/standard.yaml")

Cell = tuple["Bench", "Variant", int]


@dataclass(frozen=True)
class Rule:
    """Cells by workload; `engines`, `variant` and `scales` narrow them where they are not empty."""

    workload: str
    engines: tuple[str, ...]
    variant: Mapping[str, tuple[str, ...]]
    scales: tuple[int, ...]

    def selects(self, engine: str, cell: Cell) -> bool:
        bench, variant, scale = cell
        return (
            bench.workload == self.workload
            and (not self.engines or engine in self.engines)
            and (not self.scales or scale in self.scales)
            and all(str(variant.get(name)) in values for name, values in self.variant.items())
        )


@dataclass(frozen=True)
class Selection:
    """What the tier measures of a subsystem: peers, and rules by profile ("": all the others)."""

    subsystem: str
    peers: tuple[str, ...]
    rules: Mapping[str, tuple[Rule, ...]]

    def of(self, profile: str) -> tuple[Rule, ...]:
        return self.rules.get(profile, self.rules[""])


def load(root: Path, subsystem: str) -> Selection | None:
    """What tier standard selects of a subsystem; None: all of full.

    Raises ConfigurationError where the file does not agree with its schema.
    """
    path = root / FILE
    value = read_yaml(path)
    check(value, "tier", path)
    if subsystem not in value:
        return None
    about = value[subsystem]
    keyed = {"": about["cells"], **about.get("profiles", {})}
    return Selection(
        subsystem,
        tuple(about["peers"]),
        {profile: tuple(map(_rule, rules)) for profile, rules in keyed.items()},
    )


def problems(root: Path, selection: Selection, engines: Sequence["Manifest"]) -> Iterator[str]:
    """A line for each word of a selection that selects nothing of all the subsystem's engines."""
    peers = [engine.name for engine in engines if engine.role == "peer"]
    value = read_yaml(root / FILE)
    for i, name in enumerate(selection.peers):
        if name not in peers:
            at: list[str | int] = [selection.subsystem, "peers", i]
            meant = _meant(name, peers)
            yield f"{place(root / FILE, at, name)}: {key(at)}: expected a peer, {meant}"
    for profile, rules in selection.rules.items():
        for i, rule in enumerate(rules):
            at = [selection.subsystem, *(["profiles", profile] if profile else ["cells"]), i]
            held = value
            for step in at:
                held = held[step]
            for problem in _problems(rule, engines):
                yield f"{place(root / FILE, at, held)}: {key(at)}.{problem}"


def takes_part(engine: "Manifest", study: Study, selection: Selection | None) -> bool:
    """Whether an engine is in the study."""
    if engine.role == "reference":
        return True
    if study.peers == "none" or f"{engine.subsystem}/{engine.name}" in study.exclude:
        return False
    if study.peers == "all" or study.tier in ("full", "published"):
        return True
    if study.tier == "standard" and selection:
        return engine.name in selection.peers
    return engine.weight == "light"


def cells(
    engine: "Manifest", study: Study, selection: Selection | None, profile: str
) -> Iterator[Cell]:
    """The cells of an engine that the study measures under a profile."""
    if study.tier == "smoke":
        yield from {cell[0].harness: cell for cell in reversed([*_all(engine, "smoke")])}.values()
        return
    rules = selection.of(profile) if selection and study.tier == "standard" else ()
    for cell in _all(engine, "published" if study.tier == "published" else "full"):
        if not rules or any(rule.selects(engine.name, cell) for rule in rules):
            yield cell


def _all(engine: "Manifest", tier: str) -> Iterator[Cell]:
    for bench in engine.benches:
        for variant in bench.variants:
            for scale in bench.scales[tier]:
                yield bench, variant, scale


def _rule(value: Mapping[str, Any]) -> Rule:
    return Rule(
        workload=value["workload"],
        engines=tuple(value.get("engines", ())),
        variant={
            name: tuple(map(str, values if isinstance(values, list) else [values]))
            for name, values in value.get("variant", {}).items()
        },
        scales=tuple(value.get("scales", ())),
    )


def _problems(rule: Rule, engines: Sequence["Manifest"]) -> Iterator[str]:
    """Each word of a rule that selects nothing in tier full, with the nearest that would."""
    every = [(engine.name, cell) for engine in engines for cell in _all(engine, "full")]
    left = [(name, cell) for name, cell in every if cell[0].workload == rule.workload]
    if not left:
        known = {cell[0].workload for _, cell in every}
        yield f"workload: expected one that full measures, {_meant(rule.workload, known)}"
        return
    wanted = {
        "engines": rule.engines,
        **{f"variant.{name}": values for name, values in rule.variant.items()},
        "scales": tuple(map(str, rule.scales)),
    }
    for part, words in wanted.items():
        of = {id(pair): _word(part, *pair) for pair in left}
        known = set(of.values())
        for word in words:
            if word not in known:
                told = _meant(word, known)
                yield f"{part}: expected one that full measures there, {told}"
        left = [pair for pair in left if not words or of[id(pair)] in words]


def _word(part: str, engine: str, cell: Cell) -> str:
    """What a cell has where a rule has `part`."""
    if part == "engines":
        return engine
    return str(cell[2]) if part == "scales" else str(cell[1].get(part.removeprefix("variant.")))


def _meant(name: str, known: Sequence[str] | set[str]) -> str:
    return f"nearest {nearest(name, known)!r}, found {name!r}" if known else f"found {name!r}"
