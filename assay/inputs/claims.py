"""Claims: sentences of reports as data, and pairs of cells, checked when they are loaded.

A claim says that a metric of `cell`, the ratio of `cell` to `base`, or the exponent with which the
metric grows with the scale, lies below or above a value or within an interval. Its schema is
`workflow/schemas/claims.schema.json`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from assay.inputs import manifest
from assay.inputs.manifest import Manifest
from assay.inputs.validation import ConfigurationError, check, one_of, place, read_yaml
from assay.inputs.variant import variant_string

FOLDER = Path(__file__).parents[2] / "config" / "claims"

OWN = "This study"
"""Where our goals and the sentences of the README stand: no published report says them."""

RUNNER_METRICS = ["cpu_time", "peak_rss"]
"""What the runner measures of each shot, besides the metrics of the manifest."""

LEAST_SCALES = 4
"""Fewest scales that make a curve: a law with a fixed cost passes through any three points."""

EACH = "each"
"""In a pair, the engine that stands for every engine, compared with itself."""

Engines = Mapping[str, Manifest]


@dataclass(frozen=True)
class Cell:
    """A cell that a claim names; `scale` is None when the claim is about a range of scales."""

    engine: str
    workload: str
    variant: str
    scale: int | None


@dataclass(frozen=True)
class Claim:
    """What is claimed, in our words, and how it is tested.

    The claimed quantity lies in low..high, a ratio, an exponent or SI units; one of the two may be
    0 or infinite. `tolerance` is how far it may lie outside without contradiction: a share, of an
    exponent a difference.
    `cell` is None when the claim is not testable, for the reason given.
    """

    id: str
    subsystem: str
    text: str
    report: str
    section: str
    not_testable: str
    metric: str
    cell: Cell | None
    base: Cell | None
    low: float
    high: float
    tolerance: float
    scales: tuple[float, float]
    profile: str
    exponent: bool = False

    @property
    def statistic(self) -> str:
        """What is claimed: a ratio, an exponent or a median; nothing that is not testable."""
        if self.cell is None:
            return ""
        return "exponent" if self.exponent else "ratio" if self.base else "median"


@dataclass(frozen=True)
class Pair:
    """Two cells that a report compares; without scales, at every scale that both have."""

    cell: Cell
    base: Cell

    def of(self, engine: str) -> "Pair":
        """The same of an engine, where the pair is of each."""
        cell, base = (replace(side, engine=engine) for side in (self.cell, self.base))
        return Pair(cell, base) if self.cell.engine == EACH else self


def load(path: Path, known: Engines) -> list[Claim]:
    """The claims in file `path`, about the engines that are known (name to manifest).

    Raises ConfigurationError with one line `file:line: id: key: expected X, found Y` a problem.
    Without any engine, as long as the subsystem has none, names cannot be checked.
    """
    value = read_yaml(path)
    check(value, "claims", path)
    claims = [_claim(claim, value["subsystem"]) for claim in value["claims"]]
    problems = [
        f"{place(path, ['claims', i], value['claims'][i])}: {claim.id}: {problem}"
        for i, claim in enumerate(claims)
        for problem in _problems(claim, claims[:i], known)
    ]
    if path.stem != value["subsystem"]:
        named = value["subsystem"]
        where = place(path, ["subsystem"], named)
        problems.insert(0, f"{where}: subsystem: expected {path.stem}, found {named}")
    if problems:
        raise ConfigurationError(problems)
    return claims


def pairs(path: Path, known: Engines) -> list[Pair]:
    """The pairs in file `path`. Raises ConfigurationError as `load` does."""
    value = read_yaml(path)
    check(value, "claims", path)
    told = value.get("pairs", [])
    declared = [_pair(each) for each in told]
    problems = [
        f"{place(path, ['pairs', i], told[i])}: {problem}"
        for i, pair in enumerate(declared)
        for problem in _problems_of_pair(pair, declared[:i], known)
    ]
    if problems:
        raise ConfigurationError(problems)
    return declared


def load_all(folder: Path, homes: Path) -> dict[str, list[Claim]]:
    """The claims in every file of `folder`, by subsystem; the engines lie in folders of `homes`.

    Raises ConfigurationError with the problems of all files, their pairs included.
    """
    loaded: dict[str, list[Claim]] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.yaml")):
        known = engines(homes / path.stem)
        try:
            loaded[path.stem] = load(path, known)
            pairs(path, known)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return loaded


def engines(home: Path) -> dict[str, Manifest]:
    """The engines of the subsystem in folder `home` by name; none when it has no manifest yet."""
    paths = [*home.glob("engine.yaml"), *sorted(home.glob("peers/*/engine.yaml"))]
    return {loaded.name: loaded for loaded in map(manifest.load, paths)}


def _claim(value: Mapping[str, Any], subsystem: str) -> Claim:
    workload = value.get("workload", "")
    low, high = value.get("interval", (0, inf))
    exponent = value.get("statistic") == "exponent"
    least = -inf if exponent else 0
    if "value" in value:
        above = value["comparator"] == "above"
        low, high = (value["value"], inf) if above else (least, value["value"])
    return Claim(
        id=value["id"],
        subsystem=subsystem,
        text=value["claim"],
        report=value["source"]["report"],
        section=value["source"]["section"],
        not_testable=value.get("not_testable", ""),
        metric=value.get("metric", "time"),
        cell=_cell(value.get("cell"), workload),
        base=_cell(value.get("base"), workload),
        low=low,
        high=high,
        tolerance=value.get("tolerance", 0.0),
        scales=tuple(value.get("scales", (1, inf))),
        profile=value.get("profile", ""),
        exponent=exponent,
    )


def _pair(value: Mapping[str, Any]) -> Pair:
    of_both = {name: value[name] for name in ("engine", "workload") if name in value}
    cell, base = (_cell({**of_both, **value[side]}, "") for side in ("cell", "base"))
    assert cell and base
    return Pair(cell, base)


def _cell(value: Mapping[str, Any] | None, workload: str) -> Cell | None:
    if value is None:
        return None
    return Cell(
        engine=value.get("engine", "reference"),
        workload=value.get("workload", workload),
        variant=variant_string(value.get("variant", {})),
        scale=value.get("scale"),
    )


def _problems(claim: Claim, earlier: Sequence[Claim], known: Engines) -> Iterator[str]:
    """What the schema cannot say."""
    if claim.id in {other.id for other in earlier}:
        yield "expected an id of its own, found one that is there above"
    if not claim.low < claim.high or claim.scales[0] > claim.scales[1]:
        yield "interval, scales: expected the lower end first, found the higher"
    if claim.cell and claim.base and (claim.cell.scale is None) != (claim.base.scale is None):
        yield "cell, base: expected a scale of both or of neither, found one"
    cells = {name: cell for name, cell in (("cell", claim.cell), ("base", claim.base)) if cell}
    sizes = []
    for name, cell in cells.items() if known else ():
        try:
            sizes.append(_sizes(cell, claim.metric, known))
        except LookupError as error:
            yield f"{name}.{error.args[0]}"
    shared = set.intersection(*sizes) if sizes else set()
    a_range = len(sizes) == len(cells) > 0 and cells["cell"].scale is None
    inside = [size for size in shared if claim.scales[0] <= size <= claim.scales[1]]
    if a_range and not inside:
        yield "scales: expected a scale at which every cell is measured, found none"
    elif a_range and claim.exponent and len(inside) < LEAST_SCALES:
        yield f"scales: expected {LEAST_SCALES} scales for an exponent, found {len(inside)}"


def _problems_of_pair(pair: Pair, earlier: Sequence[Pair], known: Engines) -> Iterator[str]:
    if pair in earlier or pair.cell == pair.base:
        yield "expected two cells that are compared nowhere above, found them again"
    if (pair.cell.engine == EACH) != (pair.base.engine == EACH):
        yield f"cell, base: expected engine {EACH} of both or of neither, found one"
        return
    if (pair.cell.scale is None) != (pair.base.scale is None):
        yield "cell, base: expected a scale of both or of neither, found one"
    shared, wrong = set(), ""
    for engine_pair in map(pair.of, known if pair.cell.engine == EACH else [pair.cell.engine]):
        try:
            cell, base = (
                _sizes(side, "time", known) for side in (engine_pair.cell, engine_pair.base)
            )
            shared |= cell & base if engine_pair.cell.scale is None else cell
        except LookupError as error:
            wrong = wrong or error.args[0]
    if known and not shared:
        yield wrong or "scales: expected one at which both cells are measured, found none"


def _sizes(cell: Cell, metric: str, known: Engines) -> set[int]:
    """The scales of a cell in any tier.

    LookupError that names the first part that no manifest has, with the nearest that one has.
    """
    benches = known[one_of("engine", cell.engine, known)].benches
    one_of("workload", cell.workload, {bench.workload for bench in benches})
    of_variant = {
        variant_string(variant): (bench, variant)
        for bench in benches
        for variant in bench.variants
        if bench.workload == cell.workload
    }
    bench, variant = of_variant[one_of("variant", cell.variant, of_variant)]
    columns = {about.column for about in bench.printed(variant).values()}
    one_of("metric", metric, columns.union(RUNNER_METRICS))
    sizes = {size for sizes in bench.scales.values() for size in sizes}
    if cell.scale is not None:
        one_of("scale", str(cell.scale), {str(size) for size in sizes})
    return sizes
