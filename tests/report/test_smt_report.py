"""What the report on sparse Merkle tries says in words and tables, on planted data."""

import math
from dataclasses import replace

import planted
import planted_smt
import pytest
from report_text import named, rows, values

from assay import published
from assay.analyse.theory import OF_THIS_FORMAT, hashes_per_update, proof_siblings
from assay.inputs import manifest
from assay.inputs.variant import variant_string
from assay.present import subsystems
from assay.present.kit.evidence import Evidence
from assay.present.sections import bounds, reproduced
from assay.present.subsystems.smt import operations as smt
from assay.present.subsystems.smt import published as smt_published
from assay.present.subsystems.smt import tables as smt_tables

PRINTED = published.read("smt")


@pytest.fixture(scope="module")
def trie(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    data = tmp_path_factory.mktemp("data")
    planted.study(data / "smt", blocks=6, subsystem="smt")
    return subsystems.load(data, "smt")


@pytest.mark.parametrize(
    ("keys", "batch", "hashes"),
    # Counted on tries of random keys by two programs that are not of this project.
    [(1e6, 1e6, 2.4427), (1e6, 1, 22.25), (1e7, 1, 25.5), (1e6, 1e3, 12.4), (1e6, 1e4, 9.05)],
)
def test_hashes_are_those_that_others_counted(keys: float, batch: float, hashes: float) -> None:
    assert hashes_per_update(keys, batch) == pytest.approx(hashes, rel=0.005)


def test_theory_of_small_tries() -> None:
    # A leaf alone is the root. Two keys part at bit d with probability 2^-(d+1): 2 levels each.
    assert hashes_per_update(1, 1) == pytest.approx(1)
    assert hashes_per_update(2, 2) == pytest.approx((2 + 2) / 2)
    assert proof_siblings(2) == pytest.approx(1)
    assert proof_siblings(2**20) == pytest.approx(20 - 0.5 + 0.5772 / math.log(2), abs=1e-3)


def test_every_published_number_has_a_cell() -> None:
    mapped = PRINTED["metric"] != ""
    assert (
        PRINTED.loc[~mapped, "column"]
        .isin(["# Values", "Prefilled Values", "Prefilled Size", "Iterations"])
        .all()
    )
    assert (PRINTED["scale"].notna() == mapped).all()
    cells = PRINTED.loc[mapped, ["workload", "metric", "variant", "scale"]]
    assert not cells.duplicated().any()
    assert sorted(cells["scale"].unique()) == [1e5, 5e5, 1e6, 5e6, 1e7]


def test_the_reference_measures_every_published_cell_in_tier_published() -> None:
    reference = manifest.load(planted.ROOT / "engines" / "smt" / "engine.yaml")
    measured = {
        (bench.workload, metric.column, variant_string(variant), scale)
        for bench in reference.benches
        for metric in bench.metrics.values()
        for variant in bench.variants
        for scale in bench.scales["published"]
    }
    mapped = PRINTED[PRINTED["metric"] != ""]
    cells = mapped[["workload", "metric", "variant", "scale"]].itertuples(index=False, name=None)
    assert set(cells) <= measured


def test_the_library_is_beside_the_published_number_and_the_reference(trie: Evidence) -> None:
    table = reproduced.published_table(trie, "operation-times")
    [row] = [r for r in named(table) if r["published under"] == "SMT / Operations"
             and r["row"] == "Update & Commit, 0.1M"]  # fmt: skip
    assert row["published"] == "54.7 µs"
    library = trie.cells("published_update_commit", engine=smt.LIBRARY, trie="smt")["median"]
    shown = float(row["library v0.10.2 / published"].split("×")[0])
    assert shown == pytest.approx(library.iloc[0] / 54.665e-6, rel=0.01)
    factor = float(row["library v0.10.2 / reference"].split("×")[0])
    assert factor == pytest.approx(planted_smt.HOW_LONG[smt.LIBRARY], rel=0.1)
    assert not [r for r in named(table) if r["row"] == "Get, 10M"], "nothing was measured there"
    assert "printed numbers are not measured in this tier" in table.text


def test_without_a_commit_the_reference_is_shown_with_its_root(trie: Evidence) -> None:
    table = named(reproduced.published_table(trie, "operation-times"))
    shown = {r["row"]: r for r in table if r["published under"] == "SMT / Operations"}
    row = shown["Update, 0.1M"]
    queued, hashed = (row[name].split()[0] for name in ("reference", "reference, root included"))
    assert float(hashed) == pytest.approx(1.5 * float(queued), rel=0.01)
    assert "n = " not in shown["Get, 0.1M"]["reference, root included"]


def test_operations_past_the_prefilled_keys_are_counted_from_the_report() -> None:
    found = {(r["trie"], r["row"]): r for r in named(smt_published.past_the_keys(PRINTED))}
    assert len(found) == 60
    delete = found["SMT", "Delete, 0.1M"]
    assert delete["without a prefilled key"] == "99.2 %"
    assert delete["these"].startswith("fail")
    assert found["SMT", "Update & Commit, 0.1M"]["commits"] == "1 for all 21,022"
    assert found["SMT", "Update & Commit, 0.1M"]["without a prefilled key"] == "0.0 %"
    assert {r["without a prefilled key"] for (t, _), r in found.items() if t == "SMST"} == {
        "100.0 %"
    }


def test_a_twin_is_set_beside_its_published_row(trie: Evidence) -> None:
    table = smt_published.twins(trie, PRINTED)
    assert len(rows(table)) == len(smt_published.TWINS)
    ratio = "twin / published row [95 % interval]"
    shown = [{k.replace("\N{NO-BREAK SPACE}", " "): v for k, v in r.items()} for r in named(table)]
    [one] = [r for r in shown if r["honest twin, SMT"] == "update and commit, 1 key a batch"]
    assert one["published"] == "54.7 µs"
    # Planted: 4,000 ns against 1,200 ns at 100,000 keys.
    assert float(one[ratio].split("×")[0]) == pytest.approx(4_000 / 1_200, rel=0.1)
    [fill] = [r for r in shown if r["published row"] == "Fill & Commit"]
    assert float(fill[ratio].split("×")[0]) == pytest.approx(300 / 700, rel=0.1)


def test_a_twin_without_a_measurement_is_a_gap(trie: Evidence) -> None:
    rest = trie.measurements[trie.measurements["workload"] != "delete_commit"]
    without = replace(trie, measurements=rest)
    shown = named(smt_published.twins(without, PRINTED))
    assert all(r["twin, here"] == "–" for r in shown if r["published row"] == "Delete & Commit")


def test_counted_hashes_are_those_expected(trie: Evidence) -> None:
    shown = named(smt_tables.hashes(trie))
    assert {r["engine"] for r in shown} == {trie.subsystem.title(name) for name in OF_THIS_FORMAT}
    assert {r["counted / expected"] for r in shown} == {"1.000×"}
    [finding] = [f for f in subsystems.headlines(trie) if f.question == "Node hashes of a fill"]
    assert "2.4427 nodes a key at 5,000,000 keys" in finding.answer


def test_reached_is_set_beside_the_sum_of_its_parts(trie: Evidence) -> None:
    shown = {r["operation"]: r for r in named(bounds.beside(trie))}
    parts = planted_smt.FLOORS
    truth = 2.4427 * parts["hash-shani"] + 2 * parts["sha-key"]
    fill = shown[smt.FILL.label]
    assert fill["parts of the bound"] == "2.44 hash-shani + 2 sha-key"
    assert float(fill["bound"].split()[0]) == pytest.approx(truth, rel=0.1)
    assert "write + sync / 10,000" in shown[smt.DURABLE.label]["parts of the bound"]


def test_a_floor_without_the_instructions_is_that_of_the_standard_library(trie: Evidence) -> None:
    known = trie.estimates
    without = planted.estimated(trie, known[known["variant"] != "part=hash-shani"])
    shown = {r["operation"]: r for r in named(bounds.beside(without))}
    assert "hash-std" in shown[smt.FILL.label]["parts of the bound"]
    none = planted.estimated(trie, known[known["workload"] != "floor"])
    assert {r["reached / bound"] for r in named(bounds.beside(none))} == {"–"}


def test_proof_sizes_are_beside_the_published_ones_and_the_least(trie: Evidence) -> None:
    shown = named(smt_tables.proof_sizes(trie, PRINTED))
    [row] = [r for r in shown if (r["engine"], r["trie"], r["codec"], r["keys"])
             == ("published library v0.10.2", "SMT", "gob", "100,000")]  # fmt: skip
    assert row["published average"] == "780 B"
    assert row["digests alone"] == "542 B"
    binary = [r for r in shown if r["codec"] == "binary"]
    assert {r["published average"] for r in binary} == {"–"}


def test_findings_name_the_library_the_scale_and_the_noise(trie: Evidence) -> None:
    first = subsystems.headlines(trie)[0]
    assert first.verdict == "slower"
    for words in ("published library v0.10.2", "at 1,000,000 keys", "noise floor", "n = 6 blocks"):
        assert words in first.answer
    sums = [f for f in subsystems.headlines(trie) if f.question.startswith("SMST")]
    assert all("v0.14.1" in f.answer for f in sums)


@pytest.mark.parametrize("name", ["fill", "operations-smst", "proofs"])
def test_published_numbers_stand_beside_ours(trie: Evidence, name: str) -> None:
    assert any("published" in one for one in values(trie, name))


def test_the_published_points_stand_on_the_curves(trie: Evidence) -> None:
    assert any("396 s" in one for one in values(trie, "fill"))
