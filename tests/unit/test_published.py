"""The published numbers: complete, in SI base units, and mapped to cells."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from assay import published
from assay.inputs import claims, printed
from assay.inputs.variant import variant_string

# Sums of the printed numbers of each column, added up from the report itself.
SUMS = {
    "Summary & Analysis (Aug 2025) / Metrics Collection": {
        "draws/sec": 7_956_171,
        "ns/op": 5_761.8,
        "bytes/draw": 130.63,
        "gc_count": 65,
        "wal_bytes/draw": 16.44,
        "wal_file_size": 3_263_820,
    },
    "Summary & Analysis (07 Aug 2025) / Metrics Collection": {
        "draws/sec": 7_966_670,
        "ns/op": 4_152.3,
        "bytes/draw": 317.35,
        "gc_count": 135,
        "wal_bytes/draw": 16.5,
        "wal_file_size": 6_518_895,
    },
}


# The same for the other reports: rows and sums in SI base units, added up without assay.
# A section of acp is named by its first heading.
OTHER_SUMS = pd.read_csv(Path(__file__).with_name("published_sums.csv"))


@pytest.fixture
def rewardpool() -> pd.DataFrame:
    return published.read("rewardpool")


def test_every_table_and_sample_is_there(rewardpool: pd.DataFrame) -> None:
    sizes = rewardpool.groupby(["section", "table"]).size().to_dict()
    assert sizes == {
        ("Sample Benchmark Results / No WAL (mock WAL)", "sample output"): 6,
        ("Sample Benchmark Results / Mmap WAL (memory-mapped WAL)", "sample output"): 6,
        ("Sample Benchmark Results / Real WAL (file logging)", "sample output"): 8,
        **{(section, "metrics"): 18 for section in SUMS},
    }
    assert rewardpool["printed"].isin(published.NOT_GIVEN).sum() == 8


def columns_off(rewardpool: pd.DataFrame) -> set[str]:
    """The columns that are not expected, are not there, or add up to something else as printed."""
    numbers = rewardpool["printed"].where(rewardpool["value"].notna()).str.replace(",", "")
    sums = rewardpool.assign(number=numbers.astype(float)).groupby(["section", "column"])["number"]
    found = {section: sums.sum()[section].to_dict() for section in SUMS}
    return {
        column
        for section, columns in SUMS.items()
        for column in columns.keys() | found[section].keys()
        if found[section].get(column) != pytest.approx(columns.get(column))
    }


def test_columns_add_up(rewardpool: pd.DataFrame) -> None:
    assert columns_off(rewardpool) == set()


def test_a_printed_number_that_is_lost_or_changed_is_found_by_its_column(
    rewardpool: pd.DataFrame,
) -> None:
    added = rewardpool["section"].isin(SUMS) & rewardpool["value"].gt(0)
    for column, rows in rewardpool[added].groupby("column"):
        at = rows.index[0]
        changed = rewardpool.copy()
        changed.loc[at, "printed"] = "7" + changed.loc[at, "printed"]
        other = rewardpool.copy()
        other.loc[at, "column"] = "another"
        for wrong in (rewardpool.drop(at), changed):
            assert columns_off(wrong) == {column}
        assert columns_off(other) == {column, "another"}


@pytest.mark.parametrize("subsystem", ["acp", "smt", "transcode", "ldp"])
def test_every_column_of_every_other_table_adds_up(subsystem: str) -> None:
    assert off(subsystem, published.read(subsystem)) == set()


@pytest.mark.parametrize("subsystem", ["acp", "smt", "transcode", "ldp"])
def test_a_number_that_is_lost_or_changed_is_found_by_its_column(subsystem: str) -> None:
    table = published.read(subsystem)
    told = table["value"].gt(0)
    for column, rows in table[told].groupby("column"):
        at = rows.index[0]
        for wrong in (table.drop(at), table.assign(value=table["value"].where(
            table.index != at, 1.001 * table["value"]
        ))):  # fmt: skip
            assert {name for *_, name in off(subsystem, wrong)} == {column}


def off(subsystem: str, table: pd.DataFrame) -> set[tuple[str, str, str]]:
    """The columns of a report, by section and table, that have other rows or another sum."""
    if subsystem == "acp":
        table = table.assign(section=table["section"].str.split(" / ").str[0])
    found = table.groupby(["section", "table", "column"])["value"].agg(
        rows_found="size", sum_found="sum"
    )
    expected = OTHER_SUMS[OTHER_SUMS["subsystem"] == subsystem]
    expected = expected.set_index(["section", "table", "column"])[["rows", "sum"]]
    both = expected.join(found, how="outer")
    near = (both["sum"] - both["sum_found"]).abs() <= 1e-9 * both["sum"].abs()
    return set(both.index[~(near & (both["rows"] == both["rows_found"]))])


def test_old_and_new_tables_repeat_the_results() -> None:
    acp = published.read("acp")
    acp["row"] = acp["row"].str.replace("New/", "/")
    names = acp["row"].str.contains("inMem=true")
    summary = acp["section"].str.startswith("TLDR") & ~acp["row"].str.contains("Old/")
    value = acp[names].set_index(["row", "column"])["value"]
    repeated = value[summary[names].to_numpy()].sort_index()
    first = value[(acp["table"] == "results")[names].to_numpy()].sort_index()
    assert repeated.to_dict() == first.to_dict()


def test_medians_off_a_figure_say_so_and_how_far_they_may_be_off() -> None:
    transcode = published.read("transcode")
    off_a_figure = transcode["table"].str.endswith("medians read off by pixel")
    assert (transcode["reading_error"].notna() == off_a_figure).all()
    assert transcode.loc[off_a_figure, "table"].str.startswith("figure ").all()


def test_every_report_has_its_machines() -> None:
    machines = published.machines()
    assert machines["subsystem"].value_counts().to_dict() == {
        "ldp": 2, "acp": 1, "smt": 1, "transcode": 1, "rewardpool": 1
    }  # fmt: skip
    for subsystem, source in machines[["subsystem", "source"]].itertuples(index=False):
        assert set(published.read(subsystem)["source"]) == {source}


def test_the_sample_output_is_the_first_table(rewardpool: pd.DataFrame) -> None:
    mapped = rewardpool[(rewardpool["metric"] != "") & rewardpool["value"].notna()]
    value = mapped.set_index(["variant", "metric"])["value"]
    sample = value[mapped["table"].to_numpy() == "sample output"]
    table = value[mapped["section"].to_numpy() == next(iter(SUMS))]
    assert sample.sort_index().to_dict() == table.sort_index().to_dict()


def test_times_and_rates_of_a_row_agree_as_far_as_they_do_in_print(
    rewardpool: pd.DataFrame,
) -> None:
    tables = rewardpool[rewardpool["table"] == "metrics"]
    wide = tables.pivot(index=["section", "row"], columns="metric", values="value")
    assert (wide["time"] * wide["draws_per_second"]).between(0.99, 1.07).all()


def test_what_is_mapped_names_a_cell(rewardpool: pd.DataFrame) -> None:
    mapped = rewardpool["metric"] != ""
    assert rewardpool.loc[~mapped, "column"].isin(["GOMAXPROCS", "iterations"]).all()
    assert ((rewardpool["workload"] == "draw") == mapped).all()
    assert ((rewardpool["variant"] != "") == mapped).all()
    engines = claims.engines(Path(__file__).parents[2] / "engines" / "rewardpool")
    for engine, column in (("channel-text", "variant"), ("reference", "logged_variant")):
        benches = [bench for bench in engines[engine].benches if bench.workload == "draw"]
        known = {variant_string(variant) for bench in benches for variant in bench.variants}
        assert {*rewardpool[column]} <= known | {""}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (",1.754e-7,s,", ",1.754e-6,s,", r"line 4: expected 1\.754e-07 s, found 1\.754e-06 s"),
        (",16,B,draw", ",16,s,draw", r"line 5: expected 16 B, found 16 s"),
        (",175.4,ns/op,", ",175.4,ns,", r"printed_unit: expected isin.*found 'ns'"),
        (",29.00,gc_count,29,", ",29.00,ns/op,29,", r"line 7: expected 2\.9e-08 s, found 29 1"),
        (",row,", ",line,", r"column_in_schema.*'line'"),
    ],
)
def test_a_slip_in_the_file_is_found(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = (published.FOLDER / "rewardpool.csv").read_text()
    assert old in text
    (tmp_path / "rewardpool.csv").write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=expected):
        published.read("rewardpool", tmp_path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("rewardpool", lambda root: published.read("rewardpool", root / printed.FOLDER)),
        ("machines", lambda root: published.machines(root / printed.FOLDER)),
        ("rewardpool", lambda root: printed.cells(root, "rewardpool")),
    ],
)
def test_a_file_that_is_not_utf_8_is_named(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / printed.FOLDER / f"{name}.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes((published.FOLDER / path.name).read_bytes().replace(b"a", b"\xe4", 1))
    with pytest.raises(ValueError, match=rf"{name}\.csv:1: expected UTF-8, found byte 0xe4"):
        read(tmp_path)
