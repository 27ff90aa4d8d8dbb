"""Imports point down: each part of the package stands on those before it, and on no other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "assay"

LAYERS = (
    "system",  # what the operating system gives
    "inputs",  # what a person writes
    "engines",  # from sources to binaries, kept by content
    "tables",  # the tidy tables
    "raw",  # what a session leaves
    "published",  # what the published reports print
    "analyse",  # from raw data to estimates and verdicts
    "calibration",  # the method, held against planted truth
    "disk",  # the emulated magnetic disk
    "measure",  # plans and sessions
    "pipeline",  # what a run tells
    "present.kit",
    "present.sections",
    "present.subsystems",
    "present.pages",
    "__main__",
)
"""From the ground up. docs/design.md says what each holds."""


def layer(module: str) -> int:
    """The place in LAYERS of a module, named from the package's root."""
    [place] = [i for i, name in enumerate(LAYERS) if f"{module}.".startswith(f"{name}.")]
    return place


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name not in ("", "present"):
            yield name, path


def imported(tree: ast.AST) -> Iterator[str]:
    """What a module imports of this package; what only a type checker reads does not count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "assay":
            for alias in node.names:
                yield f"{node.module}.{alias.name}".removeprefix("assay.")
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        else:
            yield from imported(node)


@pytest.mark.parametrize(
    ("name", "path"), [pytest.param(*found, id=found[0]) for found in modules()]
)
def test_a_module_imports_what_lies_below_it(name: str, path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [used for used in imported(tree) if layer(used) > layer(name)] == []


def test_a_subsystem_knows_no_other() -> None:
    for name, path in modules():
        owner = name.split(".")[2:3]
        if name.startswith("present.subsystems.") and owner:
            used = imported(ast.parse(path.read_text(encoding="utf-8")))
            others = [one for one in used if one.startswith("present.subsystems.")]
            assert [one for one in others if one.split(".")[2:3] != owner] == [], name


COMPUTES = (
    *("analyse.ratios", "analyse.pairs", "analyse.quotients", "analyse.scaling"),
    *("analyse.estimates", "analyse.judge.judge", "analyse.medians.median"),
    *("analyse.medians.difference", "calibration.simulation"),
)
"""What makes the numbers of tables: no page imports it."""

STATISTICS = {"mean", "median", "percentile", "quantile", "std", "var"}


def computed(text: str) -> Iterator[str]:
    """Where a module divides by a value of a row, a column or a mapping, or calls a statistic."""
    tree = ast.parse(text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    own = {
        alias.asname or alias.name
        for node in imports
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay.present")
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv):
            below = [part for part in ast.walk(node.right) if isinstance(part, ast.Subscript)]
            if not all(isinstance(ast.literal_eval(f"[{ast.unparse(p.slice)}]")[0], int)
                       if isinstance(p.slice, ast.Constant | ast.UnaryOp) else False
                       for p in below):  # fmt: skip
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            lookup = isinstance(node.func.value, ast.Name) and node.func.value.id in own
            if node.func.attr in STATISTICS and not lookup:
                yield ast.unparse(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", None), *(alias.name for alias in node.names)]
            if {"statistics", "scipy"} & {(name or "").split(".")[0] for name in names}:
                yield ast.unparse(node)


@pytest.mark.parametrize(
    ("name", "path"),
    [pytest.param(*found, id=found[0]) for found in modules() if found[0].startswith("present.")],
)
def test_what_is_shown_was_computed_before(name: str, path: Path) -> None:
    """Ratios, floors and verdicts come from tables: no page makes them, or imports what does."""
    text = path.read_text(encoding="utf-8")
    assert [one for one in imported(ast.parse(text)) if one.startswith(COMPUTES)] == []
    assert [*computed(text)] == [], "compute it in assay/analyse, as a column of a table"


@pytest.mark.parametrize(
    "slip",
    [
        'row["median"] / row["bound"]',
        "row[name] / row[base]",
        "above[block] / below[block]",
        'also(row, "peak") / row["scale"]',
        'ours["median"] / float(row["value"])',
        'rows.groupby("profile")["slowdown"].median()',
        'rows["time"].quantile(0.9)',
        "from statistics import median",
        "np.percentile(values, 5)",
    ],
)
def test_what_computes_while_it_shows_is_found(slip: str) -> None:
    assert len([*computed(slip)]) == 1


@pytest.mark.parametrize(
    "line", ["width / 2", "log(value / low, high / low)", "low / margin", "scales[0] / scales[-1]",
             "from assay.present.kit import tables\ntables.median()"],
)  # fmt: skip
def test_what_places_a_mark_is_no_slip(line: str) -> None:
    assert [*computed(line)] == []
