"""Bounds: what the project declares is there, and a slip is refused."""

from pathlib import Path

import pytest

from assay.inputs import bounds, claims
from assay.inputs.validation import ConfigurationError
from assay.inputs.variant import variant_string

ENGINES = Path(__file__).parents[2] / "engines"
HASHES = {"hash-shani", "hash-std"}


@pytest.mark.parametrize("name", sorted(path.stem for path in bounds.FOLDER.glob("*.yaml")))
def test_those_of_the_project_name_what_its_reference_engine_has(name: str) -> None:
    engine = claims.engines(ENGINES / name)["reference"]
    cells = {
        (bench.workload, variant_string(variant))
        for bench in engine.benches
        for variant in bench.variants
    }
    for bound in bounds.load(name):
        parts = {*bound.parts} | (HASHES if bound.hashes is not None else set())
        needed = {(bound.workload, bound.variant), *(("floor", f"part={part}") for part in parts)}
        assert needed <= cells


def test_a_subsystem_without_a_file_has_none(tmp_path: Path) -> None:
    assert bounds.load("nothing", tmp_path) == []


def test_a_slip_is_refused_with_its_line(tmp_path: Path) -> None:
    text = "subsystem: one\nbounds:\n  - {workload: put, parts: {sync: -1}}\n"
    (tmp_path / "one.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=r"one.yaml:3: .*a number above 0, found -1"):
        bounds.load("one", tmp_path)
