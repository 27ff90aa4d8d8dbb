"""Tiers: which cells of an engine a study measures, and which peers take part.

Tier `full` measures the sizes that a manifest lists for it; `smoke` the first of its sizes for each
harness. `standard` selects from `full` by `config/tiers/standard.yaml`. `published` measures what
`data/published` prints, by the systems of `config/tiers/published.yaml`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.inputs import printed
from assay.inputs.study import PROFILE, Study, unknown
from assay.inputs.validation import Keys, check, key, nearest, place, read_yaml
from assay.inputs.variant import Variant, variant_keys

if TYPE_CHECKING:  # assay.manifest asks this module which engines take part
    from assay.inputs.manifest import Bench, Manifest

FOLDER = Path("config/tiers")

BenchCell = tuple["Bench", "Variant", int]


@dataclass(frozen=True)
class Rule:
    """Cells by workload; `engines`, `variant` and `scales` narrow them where they are not empty.

    One that is `whole` is of a printed number: a variant has no other keys than those of `variant`.
    """

    workload: str
    engines: tuple[str, ...]
    variant: Mapping[str, tuple[str, ...]]
    scales: tuple[int, ...]
    whole: bool = False

    def selects(self, engine: str, cell: BenchCell) -> bool:
        """Whether the rule is about this cell of this engine."""
        bench, variant, scale = cell
        return (
            bench.workload == self.workload
            and (not self.engines or engine in self.engines)
            and (not self.scales or scale in self.scales)
            and all(str(variant.get(name)) in values for name, values in self.variant.items())
            and (not self.whole or len(variant) == len(self.variant))
        )


@dataclass(frozen=True)
class Selection:
    """What a tier measures of a subsystem: peers, and rules by profile ("": all the others).

    `path` is the file that says so. Of the `printed` scales it leaves out those that are `not_yet`,
    each with the reason. `machines` maps parts of printed headings to the profile that stands for
    the machine they tell of. `fewer` are cells with the number of the first blocks that they run
    in.
    """

    subsystem: str
    path: Path
    peers: tuple[str, ...]
    rules: Mapping[str, tuple[Rule, ...]]
    printed: frozenset[int]
    not_yet: Mapping[int, str]
    machines: Mapping[str, str]
    fewer: tuple[tuple[int, tuple[Rule, ...]], ...]

    @property
    def tier(self) -> str:
        """The tier whose file it stands in."""
        return self.path.stem

    def of(self, profile: str) -> tuple[Rule, ...]:
        """The rules for a hardware profile."""
        return self.rules.get(profile, self.rules[""])

    def profile_of(self, section: str) -> str:
        """The one profile that answers what a section of a report prints; empty where all may."""
        return _profile_of(self.machines, section)


Selections = Mapping[str, Selection]
"""What tiers select of a subsystem, by their names; one that is missing measures all of full."""


def load(root: Path, subsystem: str) -> Selections:
    """What the tiers with a file of their own select of a subsystem.

    Raises ConfigurationError where a file does not agree with its schema.
    """
    selections = {}
    for tier in ("standard", "published"):
        path = root / FOLDER / f"{tier}.yaml"
        value = read_yaml(path)
        check(value, "tier", path)
        if subsystem in value:
            told = printed.cells(root, subsystem) if tier == "published" else {}
            selections[tier] = _selection(subsystem, path, value[subsystem], told)
    return selections


def strangers(root: Path) -> Iterator[str]:
    """A line for each profile in a file of a tier that nothing below `root` has."""
    for path in sorted((root / FOLDER).glob("*.yaml")):
        value = read_yaml(path)
        yield from unknown(root, path, value, _names(value))


def _names(value: Mapping[str, Any]) -> Iterator[tuple[Keys, str, str]]:
    for subsystem, about in value.items():
        for profile in about.get("profiles", ()):
            yield [subsystem, "profiles", profile], profile, PROFILE
        for i, machine in enumerate(about.get("machines", ())):
            yield [subsystem, "machines", i, "profile"], machine["profile"], PROFILE


def _selection(
    subsystem: str, path: Path, about: Mapping[str, Any], told: Mapping[str, set[printed.Cell]]
) -> Selection:
    """What a file says of a subsystem, beside the printed cells that are `told` by section."""
    not_yet = {
        scale: each["reason"] for each in about.get("not_yet", ()) for scale in each["scales"]
    }
    machines = {each["section"]: each["profile"] for each in about.get("machines", ())}
    keyed: dict[str, Sequence[Mapping[str, Any]]] = {
        "": about.get("cells", ()),
        **dict.fromkeys(machines.values(), ()),
        **about.get("profiles", {}),
    }
    answers = {
        profile: _printed(
            cell
            for section, cells in told.items()
            if _profile_of(machines, section) == (profile if profile in machines.values() else "")
            for cell in cells
            if cell[2] not in not_yet
        )
        for profile in keyed
    }
    return Selection(
        subsystem,
        path,
        tuple(about["peers"]),
        {profile: (*map(_rule, cells), *answers[profile]) for profile, cells in keyed.items()},
        frozenset(cell[2] for cells in told.values() for cell in cells if cell[2] is not None),
        not_yet,
        machines,
        tuple(
            (each["blocks"], tuple(map(_rule, each["cells"])))
            for each in about.get("fewer_blocks", ())
        ),
    )


def _profile_of(machines: Mapping[str, str], section: str) -> str:
    return next((profile for part, profile in machines.items() if part in section), "")


def _printed(cells: Iterable[printed.Cell]) -> tuple[Rule, ...]:
    """A rule for each cell that is printed."""
    return tuple(
        Rule(
            workload,
            engines=(),
            variant={name: (value,) for name, value in variant_keys(variant).items()},
            scales=() if scale is None else (scale,),
            whole=True,
        )
        for workload, variant, scale in sorted(set(cells), key=str)
    )


def problems(selection: Selection, engines: Sequence["Manifest"]) -> Iterator[str]:
    """A line for each word of a selection that selects nothing of all the subsystem's engines."""
    peers = [engine.name for engine in engines if engine.role == "peer"]
    path, value = selection.path, read_yaml(selection.path)
    subsystem = selection.subsystem
    for i, name in enumerate(selection.peers):
        if name not in peers:
            at: list[str | int] = [subsystem, "peers", i]
            meant = _meant(name, peers)
            yield f"{place(path, at, name)}: {key(at)}: expected a peer, {meant}"
    lists: list[tuple[list[str | int], tuple[Rule, ...]]] = [
        ([subsystem, *(["profiles", profile] if profile else ["cells"])], rules)
        for profile, rules in selection.rules.items()
    ]
    for nth, (_, rules) in enumerate(selection.fewer):
        lists.append(([subsystem, "fewer_blocks", nth, "cells"], rules))
    for key_of, rules in lists:
        for i, rule in enumerate(rule for rule in rules if not rule.whole):
            at = [*key_of, i]
            held = value
            for step in at:
                held = held[step]
            for problem in _problems(rule, engines, selection.tier):
                yield f"{place(path, at, held)}: {key(at)}.{problem}"
    if not selection.rules[""]:
        at, held = [subsystem], value[subsystem]
        wanted = "cells, or numbers that are printed" if selection.tier == "published" else "cells"
        yield f"{place(path, at, held)}: {key(at)}: expected {wanted}, found none"
    for scale in selection.not_yet:
        if scale not in selection.printed:
            at = [subsystem, "not_yet"]
            where = place(path, at, value[subsystem]["not_yet"])
            yield f"{where}: {key(at)}: expected a printed scale, found {scale}"


def takes_part(engine: "Manifest", study: Study, selections: Selections) -> bool:
    """Whether an engine is in the study."""
    if engine.role == "reference":
        return True
    if study.peers == "none" or f"{engine.subsystem}/{engine.name}" in study.exclude:
        return False
    if not isinstance(study.peers, str):
        return required(engine, study)
    if study.peers == "all":
        return True
    if study.tier in selections:
        return engine.name in selections[study.tier].peers
    return study.tier in ("full", "published") or engine.weight == "light"


def required(engine: "Manifest", study: Study) -> bool:
    """Whether the study cannot begin without the engine: a reference engine, or a peer by name."""
    named = () if isinstance(study.peers, str) else study.peers
    return engine.role == "reference" or f"{engine.subsystem}/{engine.name}" in named


def cells(
    engine: "Manifest", study: Study, selections: Selections, profile: str
) -> Iterator[BenchCell]:
    """The cells of an engine that the study measures under a profile."""
    if study.tier == "smoke":
        yield from {cell[0].harness: cell for cell in reversed([*_all(engine, "smoke")])}.values()
        return
    selection = selections.get(study.tier)
    for cell in _all(engine, "published" if study.tier == "published" else "full"):
        if not selection or any(r.selects(engine.name, cell) for r in selection.of(profile)):
            yield cell


def blocks(engine: str, cell: BenchCell, study: Study, selections: Selections) -> int:
    """How many blocks of the study a cell runs in: all, or so many of the first."""
    fewer = selections[study.tier].fewer if study.tier in selections else ()
    return min(
        (most for most, rules in fewer if any(rule.selects(engine, cell) for rule in rules)),
        default=study.blocks,
    )


def _all(engine: "Manifest", tier: str) -> Iterator[BenchCell]:
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


def _problems(rule: Rule, engines: Sequence["Manifest"], tier: str) -> Iterator[str]:
    """Each word of a rule of a tier that selects nothing, with the nearest that would."""
    sizes = "published" if tier == "published" else "full"
    every = [(engine.name, cell) for engine in engines for cell in _all(engine, sizes)]
    left = [(name, cell) for name, cell in every if cell[0].workload == rule.workload]
    if not left:
        known = {cell[0].workload for _, cell in every}
        yield f"workload: expected one that {sizes} measures, {_meant(rule.workload, known)}"
        return
    wanted = {
        "engines": rule.engines,
        **{f"variant.{name}": values for name, values in rule.variant.items()},
        "scales": tuple(map(str, rule.scales)),
    }
    for part, words in wanted.items():
        word_of = {id(pair): _word(part, *pair) for pair in left}
        known = set(word_of.values())
        for word in words:
            if word not in known:
                told = _meant(word, known)
                yield f"{part}: expected one that {sizes} measures there, {told}"
        left = [pair for pair in left if not words or word_of[id(pair)] in words]


def _word(part: str, engine: str, cell: BenchCell) -> str:
    """What a cell has where a rule has `part`."""
    if part == "engines":
        return engine
    return str(cell[2]) if part == "scales" else str(cell[1].get(part.removeprefix("variant.")))


def _meant(name: str, known: Sequence[str] | set[str]) -> str:
    return f"nearest {nearest(name, known)!r}, found {name!r}" if known else f"found {name!r}"
