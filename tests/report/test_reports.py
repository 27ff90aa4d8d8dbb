"""Reports in a browser: self-contained, quiet, readable, and true to the data.

The reports are those in the folder ASSAY_REPORTS; without it, pages rendered from planted data,
which hold every kind of hole.
"""

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import product
from pathlib import Path

import installed
import nbformat
import planted
import pytest
from playwright.sync_api import Browser, Locator, Page

from assay.engines import currency
from assay.pipeline.outcome import Hole
from assay.present import subsystems
from assay.present.kit.quantities import separated
from assay.present.pages import claims, frame, index, sheet, site
from assay.present.sections import report

ROOT = Path(__file__).parents[2]
SHEETS = re.compile(rb"/Type\s*/Page\b")
HOLES = [Hole("build of rewardpool/slow-wal", "exit code 2\nno space left", "build/x/build.json")]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with reports: the one that ASSAY_REPORTS belongs to, or a planted one."""
    if given := os.environ.get("ASSAY_REPORTS"):
        return Path(given).resolve().parent
    made = tmp_path_factory.mktemp("study")
    data, out = made / "data" / "tidy", made / "reports"
    for subsystem in planted.SUBSYSTEMS:
        under = planted.profiles(subsystem)
        planted.study(data / subsystem, blocks=6, subsystem=subsystem, profiles=under)
    planted.judge(data)
    assert site.write(ROOT, data, out) == []
    index.write(ROOT, data, out / "index.html", HOLES)
    return made


@pytest.fixture(scope="module")
def reports(study: Path) -> list[Path]:
    folder = Path(os.environ.get("ASSAY_REPORTS", study / "reports")).resolve()
    found = [*sorted(folder.glob("*.html")), *sorted(folder.glob("estimates/*.html"))]
    assert {"index", "overview", "rewardpool", "smt", "claims", "method", "profiles"} <= {
        path.stem for path in found
    }, found
    return found


class Visit:
    """A page, opened offline, with what it asked for and what it complained about."""

    def __init__(
        self, browser: Browser, path: Path, scheme: str = "light", width: int = 1200, at: str = ""
    ) -> None:
        self.context = browser.new_context(
            offline=True, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        self.context.set_default_timeout(300_000)  # ms: only what hangs takes so long
        self.page = self.context.new_page()
        self.requests, self.complaints = list[str](), list[str]()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(f"{path.as_uri()}{at}")

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


Look = Callable[[Path], Visit]


@pytest.fixture(scope="module")
def look(browser: Browser) -> Iterator[Look]:
    """A page as it opens at 1,200 px, for those that change nothing of it: each is opened once."""
    with ExitStack() as opened:
        yield cache(lambda path: opened.enter_context(Visit(browser, path)))


def colors(page: Page) -> list[str]:
    return page.evaluate(
        "[getComputedStyle(document.body)].map(s => [s.backgroundColor, s.color])[0]"
    )


def concludes(visit: Visit) -> bool:
    """Whether a report is of enough blocks for inference."""
    return not visit.page.locator(".caveat", has_text="Too few blocks").count()


def luminance(color: str) -> int:
    return sum(int(part) for part in color.strip("rgb()").split(","))


def test_pages_are_self_contained_quiet_and_fit(browser: Browser, reports: list[Path]) -> None:
    for path in reports:
        with Visit(browser, path) as visit:
            ids = visit.page.locator("[id]").evaluate_all("all => all.map(e => e.id)")
            assert len(ids) == len(set(ids)), path
            for scheme, width in product(("light", "dark"), (1200, 390)):
                visit.page.emulate_media(color_scheme=scheme)
                visit.page.set_viewport_size({"width": width, "height": 900})
                wide = visit.page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, (path, scheme)
                paper, ink = map(luminance, colors(visit.page))
                assert (paper > 600 > ink) if scheme == "light" else (paper < 150 < ink), path
            outside = [url for url in visit.requests if not url.startswith(("file:", "data:"))]
            assert outside == [], path
            assert [url for url in visit.requests if url.startswith("file:")] == [path.as_uri()]
            assert visit.complaints == [], path


def test_the_first_screen_holds_answer_caveat_and_key_figure(
    browser: Browser, reports: list[Path]
) -> None:
    """On a phone, the first two screens."""
    for path in reports:
        if path.stem == "index" or path.parent.name == "estimates":
            continue
        with Visit(browser, path) as visit:
            # One block, as in tier smoke, compares nothing.
            key = [".glance svg >> visible=true"] if concludes(visit) else []
            for width, bottom in ((1400, 900), (390, 2 * 844)):
                visit.page.set_viewport_size({"width": width, "height": 900})
                for part in (".answer", ".caveat", *key):
                    box = visit.page.locator(part).first.bounding_box()
                    assert 0 < box["y"] + box["height"] <= bottom, (path, width, part, box)
            assert visit.page.locator(".stamp").count() <= 1, path
            assert visit.page.locator(".lead").count() == 1, path


def test_findings_unfold_and_tell_direction(browser: Browser, reports: list[Path]) -> None:
    path = next(path for path in reports if path.stem == "rewardpool")
    with Visit(browser, path) as visit:
        table = visit.page.locator("table.findings").last
        labels = {*table.locator(".verdict").all_text_contents()}
        assert not concludes(visit) or labels & {
            "reference ahead",
            "peer ahead",
            "too close to call",
        }
        assert not labels & {"slower", "faster", "conclusive"}
        said = table.locator("details p").first
        assert not said.is_visible()
        table.locator("summary").first.click()
        assert said.is_visible()


def test_the_scorecard_of_the_committed_run_fits_one_screen(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where none of its engines is current."""
    monkeypatch.setattr(currency, "stale", lambda *_: ["reference"])
    index.write(ROOT, ROOT / "data" / "reference", tmp_path / "index.html", [])
    with Visit(browser, tmp_path / "index.html", width=1400) as visit:
        cards = visit.page.locator(".cards").bounding_box()
        assert cards["y"] + cards["height"] <= 900
        assert visit.page.locator("table.scores").count() == 5
        stamp = visit.page.locator(".stamp")
        assert "Not current: acp, ldp, rewardpool, smt, transcode" in stamp.text_content()
    with Visit(browser, tmp_path / "index.html", width=390) as visit:
        assert not visit.page.locator("table.scores").first.is_visible()
        visit.page.locator("details.score > summary").first.click(position={"x": 5, "y": 5})
        assert visit.page.locator("table.scores").first.is_visible()
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_figures_speak_to_those_who_do_not_see_them(look: Look, reports: list[Path]) -> None:
    silent = (
        "[...document.querySelectorAll('img'), ...document.querySelectorAll('figure svg')]"
        ".filter(e => !e.getAttribute(e.tagName === 'IMG' ? 'alt' : 'aria-label')).length"
    )
    for path in reports:
        assert look(path).page.evaluate(silent) == 0, path


def test_figures_show_one_drawing_in_the_color_of_the_page(
    browser: Browser, reports: list[Path]
) -> None:
    path = next(path for path in reports if path.stem == "rewardpool")
    for scheme, width in (("light", 1200), ("dark", 390)):
        with Visit(browser, path, scheme, width) as visit:
            figures = visit.page.locator("figure.plate").all()
            assert figures
            ink = colors(visit.page)[1]
            for figure in figures:
                (shown,) = [svg for svg in figure.locator("svg").all() if svg.is_visible()]
                text = shown.locator("text").first
                assert text.evaluate("e => getComputedStyle(e).fill") == ink
                card = figure.locator("details.card", has_text="Reproduce").text_content()
                for word in ("command", "commit", "plan", "machine", "raw files", "report.figure("):
                    assert word in card


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, at the version of its lock file."""
    npm = installed.program("npm", "npm")
    made = tmp_path_factory.mktemp("axe")
    for file in (Path(__file__).parent / "axe").glob("package*.json"):
        shutil.copy(file, made)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run([npm, "ci", "--prefix", str(made), *quiet], check=True)
    return (made / "node_modules" / "axe-core" / "axe.min.js").read_text()


SERIOUS = """async (rules) => (await axe.run({
  resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {})
})).violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => [one.id, one.nodes.length, one.nodes[0].html, one.nodes[0].failureSummary])"""
# Rows that differ by their text alone are all right or all wrong.
DISTINCT = """() => {
  for (const body of document.querySelectorAll("tbody")) {
    const shapes = new Set();
    for (const row of [...body.rows]) {
      const shape = row.outerHTML
        .replace(/>[^<]*/g, ">").replace(/ (?!class|hidden|role|tabindex)[a-z-]+="[^"]*"/g, "");
      if (shapes.has(shape)) row.remove(); else shapes.add(shape);
    }
  }
}"""
LOOKS = [
    ("light", 1400, None),
    ("dark", 1400, ["color-contrast"]),
    ("light", 390, ["scrollable-region-focusable", "target-size"]),
]
"""Each with the rules that it can change; the first one with all."""


def test_axe_finds_nothing_serious_on_any_page(
    browser: Browser, unlike: list[Path], axe: str
) -> None:
    found = {}
    for path in unlike:
        with Visit(browser, path) as visit:
            # What has no layout yet gets one each time that axe asks for an element in it.
            visit.page.add_style_tag(content="* { content-visibility: visible !important; }")
            visit.page.evaluate(DISTINCT)
            visit.page.evaluate(axe)
            for scheme, width, rules in LOOKS:
                visit.page.emulate_media(color_scheme=scheme)
                visit.page.set_viewport_size({"width": width, "height": 900})
                if wrong := visit.page.evaluate(SERIOUS, rules):
                    found[path.name, scheme, width] = wrong
    assert found == {}


def open_table(visit: Visit, caption: str) -> Locator:
    label = visit.page.locator("[id^=table-]", has_text=caption)
    return visit.page.locator(f"table[aria-labelledby={label.get_attribute('id')}]")


@pytest.fixture(scope="module")
def numbers(reports: list[Path]) -> Path:
    """The page of every estimate of a subsystem."""
    return reports[0].parent / "estimates" / "rewardpool.html"


@pytest.fixture(scope="module")
def unlike(reports: list[Path], numbers: Path) -> list[Path]:
    """The pages, but of those of every estimate, which differ by their rows alone, one."""
    return [*(path for path in reports if path.parent != numbers.parent), numbers]


def test_tables_sort_and_filter(browser: Browser, numbers: Path) -> None:
    with Visit(browser, numbers) as visit:
        table = open_table(visit, "Estimates: median")
        median = table.get_by_role("button", name="median")
        values = "t => [...t.tBodies[0].rows].filter(r => !r.hidden)" \
                 ".map(r => r.cells[5].dataset.value).filter(v => v).map(Number)"  # fmt: skip
        median.click()
        rising = table.evaluate(values)
        assert rising == sorted(rising)
        assert rising[0] < rising[-1]
        median.click()
        assert table.evaluate(values) == sorted(rising, reverse=True)
        everything = table.locator("tbody tr").count()
        visit.page.get_by_role("searchbox", name="Estimates: median").fill("append time")
        left = table.locator("tbody tr:visible").all_text_contents()
        assert 0 < len(left) < everything
        assert all("append" in row and "time" in row for row in left)


def shown(table: Locator) -> Locator:
    """The rows of a table but for those that a reader did not choose."""
    return table.locator("tbody tr:not([hidden])")


def test_what_was_chosen_of_a_table_stands_in_the_address(browser: Browser, numbers: Path) -> None:
    with Visit(browser, numbers) as visit:
        visit.page.get_by_label("workload", exact=True).first.select_option("append")
        visit.page.get_by_label("metric", exact=True).first.select_option("time")
        table = open_table(visit, "Estimates: median")
        table.get_by_role("button", name="scale").click()
        chosen = shown(table).all_text_contents()
        address = visit.page.url
    assert address.startswith(f"{numbers.as_uri()}#table-estimates")
    with Visit(browser, numbers) as visit:
        visit.page.goto(address)
        visit.page.reload()
        table = open_table(visit, "Estimates: median")
        assert shown(table).all_text_contents() == chosen
        assert 0 < len(chosen) < table.locator("tbody tr").count()
        assert visit.complaints == []


def test_a_long_table_shows_its_first_rows_until_asked_for_all(
    browser: Browser, numbers: Path
) -> None:
    with Visit(browser, numbers) as visit:
        table = open_table(visit, "Estimates: median")
        rows = table.locator("tbody tr:not(.unmeasured)").count()
        seen = table.locator("tbody tr:visible")
        assert seen.count() == 50 < rows
        visit.page.get_by_role("button", name=f"Show all {rows:,} rows").click()
        assert seen.count() == rows
        visit.page.emulate_media(media="print")
        assert table.locator("tbody tr:visible").count() == table.locator("tbody tr").count()


def test_a_table_is_saved_as_csv_as_it_was_chosen(
    browser: Browser, study: Path, numbers: Path
) -> None:
    pool = subsystems.load(study / "data" / "tidy", "rewardpool")
    known = pool.cells("append", "time")
    with Visit(browser, numbers) as visit:
        visit.page.get_by_label("workload", exact=True).first.select_option("append")
        visit.page.get_by_label("metric", exact=True).first.select_option("time")
        with visit.page.expect_download() as saved:
            visit.page.get_by_role("button", name="CSV").first.click()
        rows = list(csv.DictReader(saved.value.path().read_text().splitlines()))
    medians = [float(row["median [95\xa0%\xa0interval], number"] or "nan") for row in rows]
    assert sorted(map(str, medians)) == sorted(map(str, known["median"]))


def test_a_name_in_a_column_does_not_break(browser: Browser, reports: list[Path]) -> None:
    broken = "all => all.filter(e => e.getClientRects().length > 1).map(e => e.textContent)"
    seen = set[str]()
    for path in reports:
        with Visit(browser, path, width=390) as visit:
            visit.page.add_style_tag(content="* { content-visibility: visible !important; }")
            names = visit.page.locator(".whole")
            assert names.evaluate_all(broken) == [], path
            seen |= {*names.all_text_contents()}
    assert "server-hdd" in seen or "ASSAY_REPORTS" in os.environ


def test_a_page_tells_how_many_rows_its_tables_show_before_its_script_does(
    look: Look, reports: list[Path]
) -> None:
    """Else the first layout is of tables without a height, and what it leaves is anything."""
    live = "all => all.map(e => e.style.getPropertyValue('--rows').trim())"
    seen = set[str]()
    for path in reports:
        told = re.findall(r'style="--rows: (\d+)"', path.read_text(encoding="utf-8"))
        assert look(path).page.locator(".table .scroll").evaluate_all(live) == told, path
        seen |= {*told}
    assert {"2", "51"} <= seen or "ASSAY_REPORTS" in os.environ  # short tables, and folded ones


@pytest.mark.parametrize("width", [390, 1400])
def test_a_page_is_about_as_tall_before_it_is_laid_out(
    browser: Browser, reports: list[Path], width: int
) -> None:
    """Else its scrollbar would jump while a reader scrolls."""
    for path in reports:
        with Visit(browser, path, width=width) as visit:
            height = "document.documentElement.scrollHeight"
            guessed = visit.page.evaluate(height)
            visit.page.add_style_tag(content="* { content-visibility: visible !important; }")
            visit.page.wait_for_timeout(300)  # what fits a table to its box has settled by then
            assert 0.8 < guessed / visit.page.evaluate(height) < 1.25, path


def test_a_turned_phone_shows_tables_as_one_that_was_held_so(
    browser: Browser, reports: list[Path]
) -> None:
    """Of the columns that stay in sight on a wide screen a narrow one has no room for some."""
    path = next(path for path in reports if path.stem == "rewardpool")
    lefts = "all => all.map(e => getComputedStyle(e).left)"
    with Visit(browser, path, width=390) as held, Visit(browser, path, width=1400) as turned:
        for visit in (held, turned):
            visit.page.add_style_tag(content="* { content-visibility: visible !important; }")
            visit.page.wait_for_timeout(300)  # what fits a table to its box has settled by then
        turned.page.set_viewport_size({"width": 390, "height": 900})
        turned.page.wait_for_timeout(300)
        heads = "table.data thead th"
        expected = held.page.locator(heads).evaluate_all(lefts)
        assert turned.page.locator(heads).evaluate_all(lefts) == expected


def test_the_first_columns_of_a_wide_table_stay_in_sight(browser: Browser, numbers: Path) -> None:
    with Visit(browser, numbers, width=700) as visit:
        cells = visit.page.locator(".scroll.broad tbody tr:visible").first.locator("th, td")
        places = "all => all.map(e => e.getBoundingClientRect().left)"
        before = cells.evaluate_all(places)
        cells.last.evaluate("e => e.scrollIntoView()")
        after = cells.evaluate_all(places)
        assert after[0] == before[0]
        assert after[-1] < before[-1]


def test_the_head_of_a_wide_table_stays_above_its_first_columns(
    browser: Browser, numbers: Path
) -> None:
    with Visit(browser, numbers, width=700) as visit:
        scroll = visit.page.locator(".scroll.broad").first
        scroll.evaluate("e => { e.scrollIntoView({ block: 'end' }); e.scrollTop = 400; }")
        assert scroll.evaluate("e => e.scrollTop") == 400
        top = """e => {
          const { x, y } = e.getBoundingClientRect();
          return document.elementFromPoint(x + 5, y + 5).closest("th") === e;
        }"""
        assert scroll.locator("thead th").first.evaluate(top)


def test_claims_are_chosen_by_verdict_and_lead_to_their_figure(
    browser: Browser, study: Path, reports: list[Path]
) -> None:
    path = next(path for path in reports if path.stem == "claims")
    data = study / "data" / "tidy"
    sessions = subsystems.load_all(data)
    known = claims.published(claims.asked(claims.load(data), sessions))
    with Visit(browser, path) as visit:
        table = open_table(visit, "claims, one row a claim and scale")
        assert table.locator("tbody tr").count() == len(known)
        tools = table.locator("xpath=ancestor::div[starts-with(@class, 'table')]")
        choice = tools.get_by_label("verdict", exact=True)
        several = len(known) > 8 and known["verdict"].nunique() > 1
        assert several or "ASSAY_REPORTS" in os.environ  # those of a study may be few
        assert choice.count() == several  # a short table needs no choice
        for verdict, rows in known.groupby("verdict") if several else ():
            choice.select_option(verdict)
            assert shown(table).count() == len(rows)
            labels = shown(table).locator(".verdict").all_text_contents()
            assert set(labels) == {verdict}
        if several:
            choice.select_option("")
        target = table.get_by_role("link", name="figure").first.get_attribute("href")
    page, _, anchor = target.partition("#")
    assert f'id="{anchor}"' in (path.parent / page).read_text()


def test_every_check_of_the_calibration_holds_on_the_page(look: Look, reports: list[Path]) -> None:
    method = look(next(path for path in reports if path.stem == "method"))
    labels = open_table(method, "checks on simulated data").locator(".verdict")
    assert set(labels.all_text_contents()) == {"holds"}


def test_numbers_on_the_page_are_those_of_the_data(look: Look, study: Path, numbers: Path) -> None:
    pool = subsystems.load(study / "data" / "tidy", "rewardpool")
    title = pool.subsystem.title
    rows = open_table(look(numbers), "Estimates: median").evaluate(
        "t => [...t.tBodies[0].rows].map(r => [...r.cells].slice(0, 5).map(c => c.textContent)"
        ".concat([r.cells[5].dataset.value]))"
    )
    shown = {
        (workload, engine, variant, int(scale.replace(",", "")), metric): value
        for workload, engine, variant, scale, metric, value in rows
    }
    known = {
        (row.workload, title(row.engine), row.variant, row.scale, row.metric): row.median
        for row in pool.estimates.itertuples()
    }
    assert shown.keys() == known.keys()
    for cell, value in known.items():
        assert shown[cell] == "" if value != value else float(shown[cell]) == value, cell


def test_links_between_reports_lead_somewhere(look: Look, reports: list[Path]) -> None:
    links = "all => all.map(e => e.getAttribute('href'))"
    for path in reports:
        for link in set(look(path).page.locator("a[href]").evaluate_all(links)):
            page, _, anchor = link.partition("#")
            assert (path.parent / page).exists(), (path, link)
            if page.endswith(".html") and anchor:
                assert f'id="{anchor}"' in (path.parent / page).read_text(), (path, link)
            elif anchor:
                assert look(path).page.locator(f'[id="{anchor}"]').count() == 1, (path, link)


def test_a_link_to_a_row_that_is_folded_away_shows_it(
    browser: Browser, reports: list[Path]
) -> None:
    path = next(path for path in reports if path.stem == "claims")
    with Visit(browser, path) as visit:
        away = visit.page.locator("tr.away .claim").first
        name = away.get_attribute("id")
        assert not away.is_visible()
        visit.page.goto(f"{path.as_uri()}#{name}")
        assert visit.page.locator(f"#{name}").is_visible()


def test_a_figure_names_the_claims_that_rest_on_it(
    look: Look, study: Path, reports: list[Path]
) -> None:
    verdicts = claims.load(study / "data" / "tidy").to_dict("records")
    texts = {f"claims.html#{report.claim_id(row)}": separated(row["text"]) for row in verdicts}
    for path in reports:
        for link in look(path).page.locator("figure .resting a").all():
            target = link.get_attribute("href")
            assert target.startswith(f"claims.html#claim-{path.stem}-")
            assert link.text_content() == texts[target]
    pool = look(next(path for path in reports if path.stem == "rewardpool"))
    assert not concludes(pool) or pool.page.locator("figure .resting a").count()


@pytest.mark.parametrize("width", [390, 1400])
def test_the_values_of_a_figure_unfold(browser: Browser, reports: list[Path], width: int) -> None:
    path = next(path for path in reports if path.stem == "rewardpool")
    with Visit(browser, path, width=width) as visit:
        figure = visit.page.locator("figure.plate").first
        row = figure.locator("table.data tbody tr").first
        assert not row.is_visible()
        figure.locator("summary", has_text="Values").click()
        visit.page.wait_for_timeout(300)  # what fits a table to its box has settled by then
        assert row.is_visible()
        assert figure.locator("table.data").bounding_box()["width"] > 0


def test_contents_lead_to_every_heading_and_figure(browser: Browser, reports: list[Path]) -> None:
    for path in reports:
        with Visit(browser, path, width=1400) as visit:
            wanted = visit.page.locator("main :is(h2, h3, figure.plate)").count()
            wanted *= path.stem != "index"  # the front page shows what it has on one screen
            links = visit.page.locator("nav.contents a")
            assert links.count() == (wanted if wanted > 3 else 0), path
            if wanted > 3:
                visit.page.mouse.wheel(0, 1500)
                assert visit.page.locator("nav.contents").bounding_box()["y"] >= 0


def test_a_word_tells_its_meaning(look: Look, reports: list[Path]) -> None:
    pool = look(next(path for path in reports if path.stem == "rewardpool"))
    told = pool.page.locator("main dfn", has_text="shot").first
    assert told.get_attribute("title") == frame.words()["shot"]


def test_print_cuts_nothing_off(browser: Browser, unlike: list[Path]) -> None:
    for path in unlike:
        with Visit(browser, path, "dark", width=700) as visit:
            visit.page.emulate_media(media="print")
            assert luminance(colors(visit.page)[0]) > 600, path
            for kind, room in ((":not(.many)", 700), (".many", 1040)):  # A4, upright and not
                visit.page.set_viewport_size({"width": room, "height": 900})
                tables = visit.page.locator(f".table{kind} table.data")
                widths = tables.evaluate_all("all => all.map(e => e.getBoundingClientRect().right)")
                assert max(widths, default=0) <= room, (path, kind, widths)
            said = visit.page.locator(".findings details p")
            narrow = said.evaluate_all("all => all.filter(e => e.offsetWidth < innerWidth * .8)")
            assert not narrow, path  # a sentence has the width of the page
            heads = visit.page.locator("main :is(h2, h3), main :is(h2, h3) + p:has(+ .table)")
            alone = heads.evaluate_all(
                "all => all.filter(e => e.nextElementSibling && getComputedStyle(e).page"
                " != getComputedStyle(e.nextElementSibling).page).map(e => e.textContent)"
            )
            assert not alone, path  # a heading is on the page of what it heads
            plates = visit.page.locator("figure.plate > :not(.tall) svg:visible")
            heights = plates.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
            most = 200 / 25.4 * 96  # of the 247 mm of Letter, the lower sheet
            assert max(heights, default=0) < most, path  # and so is the title of a figure
            for tool in visit.page.locator(".find, nav.top, nav.contents").all():
                assert not tool.is_visible(), path


def test_a_drawing_of_two_sheets_begins_below_its_title(
    browser: Browser, reports: list[Path]
) -> None:
    drawing = '<div class="wide tall" style="aspect-ratio:1/2"><svg viewBox="0 0 1 2"></svg></div>'
    shown = f'<p class="told">Title</p><figure class="plate">{drawing}</figure>'
    with Visit(browser, reports[0]) as visit:
        visit.page.evaluate("shown => document.querySelector('main').innerHTML = shown", shown)
        printed = visit.page.pdf(format="A4", prefer_css_page_size=True)
    assert len(SHEETS.findall(printed)) == 2


def test_a_report_is_printed_on_one_sheet(
    browser: Browser, reports: list[Path], tmp_path: Path
) -> None:
    for path in reports:
        printed = tmp_path / f"{path.stem}.pdf"
        if path.stem == "index" or path.parent.name == "estimates":
            with pytest.raises(LookupError, match="answers no question"):
                sheet.write(path, printed)
            continue
        sheet.write(path, printed)
        assert len(SHEETS.findall(printed.read_bytes())) == 1, path
        with Visit(browser, path, at="#sheet") as visit:
            main = visit.page.locator("main")
            key = [".glance svg >> visible=true"] if concludes(visit) else []
            for part in ("h1", ".answer", *key):
                assert main.locator(part).first.is_visible(), (path, part)
            assert not main.locator("h2").first.is_visible(), path
            assert main.bounding_box()["width"] <= 704, path  # A4 between its margins


def test_every_page_leads_to_every_report_and_tells_where_it_is(
    look: Look, reports: list[Path]
) -> None:
    front = {path.stem for path in reports if path.parent == reports[0].parent}
    for path in reports:
        bar = look(path).page.get_by_role("navigation", name="Reports").locator("a")
        ends = [Path(link.get_attribute("href")).stem for link in bar.all()]
        assert set(ends) == front, path
        here = look(path).page.locator("nav.top [aria-current=page]")
        assert here.count() == (path.parent == reports[0].parent), path


@pytest.mark.skipif("ASSAY_REPORTS" in os.environ, reason="needs the holes of planted data")
def test_holes_and_planted_data_are_named(browser: Browser, study: Path) -> None:
    with Visit(browser, study / "reports" / "index.html") as visit:
        front = visit.page.locator("main").text_content()
        assert "Planted data" in front
        assert "build of rewardpool/slow-wal" in front
        assert "exit code 2" in front
    with Visit(browser, study / "reports" / "rewardpool.html") as visit:
        missing = open_table(visit, "shots without a value").text_content()
        assert "not finished after 60 s" in missing
        assert "verify: exit code 1" in missing


@pytest.mark.skipif("ASSAY_REPORTS" in os.environ, reason="renders a page of its own")
def test_a_notebook_that_fails_still_gives_a_page(
    browser: Browser, study: Path, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    broken = nbformat.read(tmp_path / "notebooks" / "overview.ipynb", 4)
    broken.cells.insert(4, nbformat.v4.new_code_cell("raise ValueError('no such <column>')"))
    nbformat.write(broken, tmp_path / "notebooks" / "broken.ipynb")
    out = tmp_path / "reports"
    reason = site.report(tmp_path, "broken", study / "data" / "tidy", out, tmp_path / "logs")
    assert reason == "ValueError: no such <column>"
    page = out / "broken.html"
    with Visit(browser, page) as visit:
        text = visit.page.locator("main").inner_text()
        assert "This report is incomplete" in text
        assert "ValueError: no such <column>" in text
        assert "the reference engine is ahead in" in text, "what came before the failure"
        assert "\x1b" not in page.read_text()
        assert visit.complaints == []
