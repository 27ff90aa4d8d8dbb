"""What an analyst asks of a run: the recipes of docs/analysis.md, names, and the house style."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import committed
import matplotlib as mpl
import pandas as pd
import planted
import pytest
from matplotlib import pyplot

from assay.present import subsystems
from assay.present.kit import evidence, style
from assay.present.kit.evidence import NOT_IN_TIER, Evidence, Place
from assay.present.sections import strips

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
RECIPES = re.split(r"^## \d+\. ", DOCUMENT, flags=re.M)[1:]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "rewardpool")
    return subsystems.load(data, "rewardpool")


@pytest.fixture
def plain() -> Iterator[None]:
    """The settings of matplotlib are given back, and no figure is left open."""
    with mpl.rc_context({"backend": "agg"}):
        yield
        pyplot.close("all")


def shown(code: str, names: dict[str, object]) -> object:
    """Run a cell; the value of its last line, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_", ast.Store())], last.value)
    names["_"] = None
    exec(compile(ast.fix_missing_locations(tree), "<recipe>", "exec"), names)
    return names["_"]


def test_a_run_can_be_taken_in_part() -> None:
    pool = committed.session("rewardpool")
    [slow] = [one for one in pool.others if one.facts["profile"] == "server-hdd"]
    scale = int(slow.cells("append", engine="etcd-wal")["scale"].iloc[0])
    part = pool.only(engines=["etcd-wal"], scale=scale, profile="server-hdd")
    assert part.facts["profile"] == "server-hdd"
    assert {*part.estimates["engine"]} == {"reference", "etcd-wal"}
    assert {*part.estimates["scale"]} == {scale}
    assert {*part.ratios["engine"]} <= {"reference", "etcd-wal"}
    for wrong in ({"engines": ["etcd"]}, {"scale": 9_999}, {"profile": "native-hdd"}):
        with pytest.raises(LookupError, match="expected"):
            pool.only(**wrong)


def test_the_recipes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: None) -> None:
    for folder in ("data", "notebooks"):
        (tmp_path / folder).mkdir()
    for run in ("reference", "tidy"):
        (tmp_path / "data" / run).symlink_to(ROOT / "data" / "reference")
    monkeypatch.chdir(tmp_path / "notebooks")
    names: dict[str, object] = {}
    for recipe in RECIPES:
        cells = re.findall(r"^```python\n(.*?)^```", recipe, flags=re.M | re.S)
        assert cells, recipe.partition("\n")[0]
        for cell in cells:
            value = shown(cell, names)
            assert not (isinstance(value, pd.DataFrame) and value.empty), cell
    assert len(RECIPES) == 10
    assert len(pd.read_csv("draws.csv")) > 1


def test_a_catalogue_lists_what_was_measured(pool: Evidence) -> None:
    rows = pool.catalogue().set_index(["workload", "engine", "variant"])
    assert rows.loc[("concurrent", "reference", "durability=group")].to_dict() == {
        "scales": [1, 8, 64, 512],
        "metrics": ["draws_per_second", "time"],
    }


def test_keys_of_variants_become_columns(pool: Evidence) -> None:
    rows = evidence.wide(pool.cells("append"))
    assert set(rows["sync"]) == {"none", "commit"}
    assert (("batch=" + rows["batch"] + ",sync=" + rows["sync"]) == rows["variant"]).all()
    assert evidence.wide(pool.cells("draw").iloc[:0]).empty


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.cells("darw"), "workload: .*nearest 'draw', found 'darw'"),
        (lambda run: run.points("draw", "tiem"), "metric: .*nearest 'time', found 'tiem'"),
        (lambda run: run.cells("draw", engine="refrence"), "engine: .*nearest 'reference'"),
        (lambda run: run.cells("draw", comit=1), "variant key: .*nearest 'commit', found 'comit'"),
        (
            lambda run: run.cells("draw", durability="mmpa"),
            "value of variant key durability: .*nearest 'mmap', found 'mmpa'",
        ),
        (
            lambda run: run.over(Place("draw", "refrence", ""), Place("draw", "reference", "")),
            "engine: .*nearest 'reference'",
        ),
        (lambda run: run.missing("apend"), "workload: .*nearest 'append'"),
        (lambda run: run.floor("drw"), "workload: .*nearest 'draw'"),
        (lambda run: run.counted("drw"), "workload: .*nearest 'draw'"),
        (lambda run: subsystems.load(run.folder.parent, "rewardpol"), "subsystem: .*'rewardpool'"),
    ],
)
def test_a_wrong_name_is_an_error_that_tells_the_nearest(
    pool: Evidence, ask: Callable[[Evidence], object], message: str
) -> None:
    with pytest.raises(LookupError, match=message):
        ask(pool)


def test_what_the_tier_leaves_out_is_no_wrong_name(pool: Evidence) -> None:
    assert pool.cells("cli_start").empty
    assert pool.missing("cli_start") == NOT_IN_TIER


def test_a_figure_shows_itself_in_the_reader_s_colours(pool: Evidence) -> None:
    plate = strips.peers(pool)
    drawn = plate._repr_svg_()
    assert "<svg" in drawn
    assert "prefers-color-scheme:dark" in drawn
    assert f"<title>{plate.alt[:20]}" in drawn


def test_plain_plots_get_the_house_style(plain: None) -> None:
    style.use()
    _, axes = pyplot.subplots()
    [line] = axes.plot([1, 2])
    assert line.get_color() == style.PALETTE[0].color
    assert not axes.spines["top"].get_visible()
