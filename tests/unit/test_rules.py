"""A rule lists the modules that it runs: whoever edits one of them has the rule run again.

That is what the verb of the rule imports, with all that this imports in turn.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_layers import imported, modules  # type: ignore[import-not-found]

ROOT = Path(__file__).parents[2]
RULES = ROOT / "workflow" / "rules"
MODULES = dict(modules())
OF_ALL = ("overview", "claims", "method", "profiles")
BENEATH = ("__main__", "system", "disk", "present.subsystems")
"""No rule lists what the operating system gives, and CODE_OF_PAGES says which modules of a
subsystem the pages of others show."""

CHECKS = {"inputs.alone", "inputs.placeholders", "inputs.printed", "inputs.validation"}
"""They refuse what a person wrote wrong, before the first rule runs. What passes reads the same."""
STUDY = "inputs.study"  # beside a plan and the method, only its type
UNUSED = {  # by a subsystem's page: it takes the slips of pages/method.py, and no calibration
    *("calibration", "calibration.simulation"),
    *(
        f"analyse.{name}"
        for name in ("arms", "estimates", "judge", "quotients", "ratios", "scaling")
    ),
}
CASES: dict[str, tuple[list[str], set[str]]] = {
    # Of currency.py it takes where the committed runs are, for the time that is told of the plan.
    "plan": (
        ["inputs.manifest", "inputs.study", "measure.expected", "measure.plan"],
        {"engines.currency", "inputs.claims"},
    ),
    "measurements": (["analyse.collect", "raw.merge", "raw.records"], set()),
    # Of claims.py it takes a number, and no manifest.
    "estimates": (["analyse.estimates"], CHECKS | {STUDY, "inputs.manifest", "inputs.tiers"}),
    "verdicts": (["analyse.verdicts"], CHECKS | {STUDY, "inputs.tiers"}),
    "figures of one": (["present.pages.notebook"], CHECKS | {STUDY} | UNUSED),
    "figures of all": (["present.pages.notebook"], CHECKS),
    "numbers": (["present.pages.estimates"], CHECKS | {STUDY}),
    "index": (["present.pages.index", "pipeline.outcome"], CHECKS),
}
"""Rule to what its verb in `assay/__main__.py` imports, and to what cannot change its output."""


def of_notebooks(*, of_all: bool) -> Iterator[str]:
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        if (path.stem in OF_ALL) == of_all:
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    yield from imported(ast.parse("".join(cell["source"])))


def reached(names: list[str]) -> set[str]:
    """The modules that are imported with those of `names`, among them the packages they lie in."""
    found: set[str] = set()
    while names:
        name = names.pop()
        if name in MODULES and name not in found:
            found.add(name)
            names += imported(ast.parse(MODULES[name].read_text(encoding="utf-8")))
        names += [name.rpartition(".")[0]] if "." in name else []
    return found


def listed(rule: str) -> set[str]:
    """The modules that input `code` of a rule names."""
    text = (RULES / "common.smk").read_text(encoding="utf-8")
    tree = ast.parse(re.sub(r"^wildcard_constraints:\n(    .+\n)+", "", text, flags=re.M))
    wanted = ("package", "modules", "code_of_report", "CODE_OF_PAGES", "STATISTICS", "JUDGING")
    known: dict[str, Any] = {"Path": Path, "STUDY": SimpleNamespace(subsystems=["one"])}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node
        if getattr(target, "name", getattr(target, "id", "")) in wanted:
            exec(ast.unparse(node), known)
    name, _, notebook = rule.partition(" of ")
    every = "".join(path.read_text(encoding="utf-8") for path in RULES.glob("*.smk"))
    body = re.split(r"^(?=rule )", every.split(f"rule {name}:\n")[1], flags=re.M)[0]
    code = re.search(r"^        code=(.+?),\n(?=(    ){1,2}\w)", body, re.M | re.S)
    assert code
    exec(f"paths = {code[1]}", known)
    paths = known["paths"]
    if notebook:
        paths = paths(SimpleNamespace(notebook=notebook))
    return {".".join(Path(path).parts[1:]).removesuffix(".py") for path in paths}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_lists_the_modules_that_it_runs(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    entries, spared = CASES[rule]
    drawn = [*of_notebooks(of_all=rule.endswith("all"))] if rule.startswith("figures") else []
    run = {name for name in reached([*entries, *drawn]) if not f"{name}.".startswith(BENEATH)}
    known = listed(rule) | (listed("figures of all") if rule == "index" else set())  # its pages
    known = {name.removesuffix(".__init__") for name in known}
    empty = {name for name in run if not ast.parse(MODULES[name].read_text()).body[1:]}
    assert run - known - empty == spared
