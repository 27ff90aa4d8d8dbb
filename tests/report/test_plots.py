"""Figures: safe colours, complete content, stable and separate SVG, gaps instead of errors."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import committed
import matplotlib as mpl
import numpy as np
import pandas as pd
import planted
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray

from assay.analyse.session import TABLES
from assay.present import subsystems
from assay.present.kit import evidence, style
from assay.present.kit.canvas import NARROW, WIDE, NoData, Plate, inline_svg, save
from assay.present.kit.evidence import Evidence
from assay.present.kit.marks import SHOT
from assay.present.kit.quantities import (
    interval,
    quantity,
    ratio,
    sentence,
    separated,
    spread,
    whole,
)
from assay.present.sections import growth, strips
from assay.present.subsystems.rewardpool import figures as plots
from assay.present.subsystems.smt import figures as smt_plots
from assay.present.subsystems.smt import published_figures as published_plots
from assay.tables import vocabulary

# Machado, Oliveira and Fernandes 2009, severity 1.0, for linear RGB.
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


Plates = Mapping[str, Plate]


def linear(color: str) -> NDArray[np.float64]:
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4))


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    weights = [0.2126, 0.7152, 0.0722]
    light, dark = sorted((float(linear(c) @ weights) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* of linear sRGB, white point D65."""
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.maximum(matrix @ rgb / [0.9505, 1, 1.089], 0))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "rewardpool", blocks=6)
    return subsystems.load(data, "rewardpool")


@pytest.fixture(scope="module")
def trie(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "smt", blocks=6, subsystem="smt")
    return subsystems.load(data, "smt")


@pytest.fixture(scope="module")
def plates(pool: Evidence, trie: Evidence) -> Plates:
    return {
        "against-library": smt_plots.against_library(trie),
        "smt-peers": smt_plots.peers(trie),
        "fill": published_plots.fill(trie),
        "operations": published_plots.operations(trie, "smt"),
        "scaling": smt_plots.scaling(trie),
        "batches": smt_plots.batches(trie),
        "proofs": published_plots.proofs(trie),
        "memory": smt_plots.memory(trie),
        "draws": plots.draws(pool),
        "against-stand-in": plots.against_stand_in(pool),
        "append": plots.append(pool),
        "append-ratios": plots.append_ratios(pool),
        "select": plots.select(pool),
        "concurrent": plots.concurrent(pool),
        "whole-process": plots.whole_process(pool),
        "noise": strips.noise(pool),
        "peers": strips.peers(pool),
        "growth": growth.residuals(pool),
        "on-curves": plots.published_on_curves(pool),
    }


@pytest.mark.parametrize("page", [style.PAGE_LIGHT, style.PAGE_DARK])
@pytest.mark.parametrize("look", style.PALETTE, ids=lambda look: look.color)
def test_a_mark_stands_out_from_the_page(look: style.Look, page: str) -> None:
    assert contrast(look.color, page) >= 3


@pytest.mark.parametrize("vision", VISION)
def test_colors_stay_apart_for_every_eye(vision: str) -> None:
    seen = {
        look.color: lab(np.clip(VISION[vision] @ linear(look.color), 0, 1))
        for look in style.PALETTE
    }
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 12, (one, other)


def test_a_law_that_does_not_fit_is_not_shown(pool: Evidence) -> None:
    for note, count in (("", 0), (vocabulary.NO_LAW, len(pool.scaling))):
        noted = replace(pool, scaling=pool.scaling.assign(note=note))
        assert growth.curves(noted).text.count("none fits") == count


def test_the_values_behind_a_figure_are_those_of_the_data(pool: Evidence, plates: Plates) -> None:
    rows = evidence.largest(pool.cells("draw"))
    rows = rows[rows["engine"] == "reference"]
    cell = rows[rows["variant"] == "commit=1,durability=none"].iloc[0]
    points = plates["draws"].data
    [shown] = [one for one in points if one.value == cell["median"]]
    assert (shown.low, shown.high, shown.n) == (cell["ci_low"], cell["ci_high"], cell["n"])
    assert 1.754e-07 in [one.value for one in points], "the published number"


def test_a_series_keeps_its_place_on_the_axis(pool: Evidence, plates: Plates) -> None:
    scales = set(pool.points("select")["scale"])
    for line in plates["select"].draw(WIDE).axes[0].lines:
        assert set(line.get_xdata()) <= scales


def test_a_scale_is_written_out(plates: Plates) -> None:
    assert [whole(value) for value in (512, 1024, 65_536, 100_000, 1_048_576)] == [
        "512", "1,024", "65,536", "100\N{NO-BREAK SPACE}k", "1,048,576",
    ]  # fmt: skip


def test_a_figure_draws_every_shot_of_its_cells(pool: Evidence, plates: Plates) -> None:
    figure = plates["select"].draw(WIDE)
    drawn = sum(
        len(line.get_xdata()) for line in figure.axes[0].lines if line.get_markersize() == SHOT
    )
    assert drawn == len(pool.points("select"))


def test_panels_stand_in_rows_and_ticks_do_not_meet(plates: Plates) -> None:
    for name, panels in (("select", 1), ("whole-process", 3), ("fill", 4), ("operations", 6)):
        figure = plates[name].draw(WIDE)
        FigureCanvasAgg(figure).draw()
        shown = [axes for axes in figure.axes if axes.axison]
        assert len(shown) == panels
        assert len({round(axes.get_position().x0, 1) for axes in shown}) <= 3
        for axes in shown:
            boxes = [
                label.get_window_extent()
                for label in axes.get_xticklabels()
                if label.get_text() and label.get_visible()
            ]
            boxes.sort(key=lambda box: box.x0)
            assert all(one.x1 < two.x0 for one, two in pairwise(boxes)), name


@pytest.mark.parametrize("width", [WIDE, NARROW])
@mpl.rc_context(style.MATPLOTLIB)
def test_text_stays_inside_every_figure(plates: Plates, width: float) -> None:
    for name, plate in plates.items():
        figure = plate.draw(width)
        FigureCanvasAgg(figure).draw()
        for axes in figure.axes:
            for text in [*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label]:
                box = text.get_window_extent()
                right = figure.bbox.width * 1.01
                assert not text.get_text() or (box.x0 >= -2 and box.x1 <= right), (
                    name, text.get_text(),
                )  # fmt: skip


@pytest.mark.parametrize("width", [WIDE, NARROW])
@mpl.rc_context(style.MATPLOTLIB)
def test_a_row_of_ratios_or_values_has_its_name_beside_it(plates: Plates, width: float) -> None:
    for name in ("against-library", "smt-peers", "draws", "append", "append-ratios", "peers"):
        figure = plates[name].draw(width)
        FigureCanvasAgg(figure).draw()
        labels = [label for axes in figure.axes for label in axes.get_yticklabels()]
        said = {label.get_text().replace("\n", " ").rstrip("…") for label in labels}
        series = {point.series for point in plates[name].data}
        assert {one for one in series if one.startswith(tuple(said))} == series, name
        boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
        assert min(box.x0 for box in boxes) >= 0, name
        assert all(low.y1 < high.y0 + 2 for low, high in pairwise(boxes)), name
        assert not figure.legends, name


def test_svg_follows_the_page_and_is_stable(plates: Plates) -> None:
    svg = inline_svg(plates["select"], "select", WIDE)
    assert svg == inline_svg(plates["select"], "select", WIDE)
    assert "currentColor" in svg
    assert style.INK not in svg
    assert style.PAPER not in svg
    assert 'role="img"' in svg
    assert 'aria-label="Line plot' in svg
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]+"', "", svg)


def test_ids_of_figures_on_one_page_do_not_collide(plates: Plates) -> None:
    pages = [
        set(re.findall(r'\bid="([^"]+)"', inline_svg(plate, name, width)))
        for name, plate in plates.items()
        for width in (WIDE, NARROW)
    ]
    assert sum(map(len, pages)) == len(set().union(*pages)) > 0


def test_references_in_svg_lead_somewhere(plates: Plates) -> None:
    svg = inline_svg(plates["draws"], "draws", WIDE)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    assert used
    assert used <= set(re.findall(r'\bid="([^"]+)"', svg))


def test_files_are_written(plates: Plates, tmp_path: Path) -> None:
    svg, png, csv = save(plates["concurrent"], "concurrent", tmp_path)
    assert "prefers-color-scheme" in svg.read_text()
    assert "<title>Line plot" in svg.read_text()
    assert png.read_bytes().startswith(b"\x89PNG")
    values = pd.read_csv(csv)
    assert list(values["value"]) == [one.value for one in plates["concurrent"].data]


def without(pool: Evidence, workload: str) -> Evidence:
    tables = {
        name: frame[frame["workload"] != workload]
        for name in TABLES
        for frame in [getattr(pool, name)]
        if "workload" in frame
    }
    return replace(pool, **tables)


@pytest.mark.parametrize("workload", ["draw", "append", "select", "concurrent", "recover"])
def test_a_missing_workload_is_a_gap_and_no_error(pool: Evidence, workload: str) -> None:
    holed = without(pool, workload)
    found = {
        "draw": [plots.draws(holed), plots.against_stand_in(holed)],
        "append": [plots.append(holed), plots.append_ratios(holed)],
        "select": [plots.select(holed)],
        "concurrent": [plots.concurrent(holed)],
        "recover": [plots.whole_process(holed)],
    }[workload]  # fmt: skip
    if workload == "recover":
        assert len(found[0].draw(WIDE).axes) == 2, "its panel goes, those of other workloads stay"
    else:
        assert all(isinstance(plate, NoData) for plate in found)


def test_a_refused_engine_is_named_with_its_reason(plates: Plates) -> None:
    texts = [text.get_text() for axes in plates["append"].draw(WIDE).axes for text in axes.texts]
    assert "no data: refused: verify: exit code 1" in texts


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.714e-8, "s", "17.1 ns"),
        (9.996e-7, "s", "1.00 µs"),
        (150.4, "s", "150 s"),
        (5_699_800, "1/s", "5.70 M/s"),
        (3_263_820, "B", "3.26 MB"),
        (0, "B", "0 B"),
        (29, "1", "29"),
        (0.2, "1", "0.200"),
        (float("nan"), "s", "–"),
    ],
)
def test_quantities(value: float, unit: str, shown: str) -> None:
    assert quantity(value, unit).replace("\N{NO-BREAK SPACE}", " ") == shown


def test_intervals_and_ratios() -> None:
    assert interval(1.7e-8, 1.68e-8, 1.75e-8, "s") == "17.0\N{NO-BREAK SPACE}ns [16.8, 17.5]"
    assert interval(64.0, math.nan, math.nan, "B") == quantity(64.0, "B"), "the same in all shots"
    assert interval(64.0, 64.0, 64.0, "B") == "64.0\N{NO-BREAK SPACE}B [64.0, 64.0]"
    assert interval(12.5, 12.0, 13.0, "1") == "12.5 [12, 13]"
    assert spread(9.5e-7, 1.2e-6, "s") == "0.950 to 1.20\N{NO-BREAK SPACE}µs"
    assert ratio(25.06, 24, 26.2) == "25.1× [24.0, 26.2]"
    assert ratio(1.0341) == "1.034×"
    assert ratio(0.99986, 0.99986, 0.99986) == "0.99986× [0.99986, 0.99986]", "it excludes 1"
    assert ratio(1, 1, 1) == "1.000× [1.000, 1.000]"
    assert sentence(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Batches of 1000, 16384 int32.", "Batches of 1,000, 16,384 int32."),
        ("1000000 keys at 8192.", "1,000,000 keys at 8,192."),
        ("2,048 bytes, 3.14159 or 0.12345", "2,048 bytes, 3.14159 or 0.12345"),
        ("batch=10000, scale/8192, 492e53c and int16384", None),
    ],
)
def test_the_counts_in_a_sentence_have_their_thousands_separated(
    said: str, shown: str | None
) -> None:
    assert separated(said) == (shown or said)


def test_the_title_of_a_workload_separates_thousands() -> None:
    trie = committed.session("smt")
    title = "Look-ups in a snapshot while batches of 1,000 are committed"
    assert trie.title("snapshot_read") == title
