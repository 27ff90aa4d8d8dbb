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


def test_what_is_shown_was_computed_before() -> None:
    """Ratios, floors and verdicts come from tables: no page imports what computes them."""
    statistics = (
        "analyse.ratios",
        "analyse.medians.median",
        "analyse.scaling",
        "analyse.estimates",
    )
    for name, path in modules():
        if name.startswith("present."):
            used = imported(ast.parse(path.read_text(encoding="utf-8")))
            assert [one for one in used if one.startswith(statistics)] == [], name
