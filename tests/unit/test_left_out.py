"""Where a session is introduced one sentence tells what the machine could not have, or changed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay.present.kit.subsystem import UNDECLARED
from assay.present.sections import report

SESSION = {
    "started_at": "2026-11-25T00:00:00",
    "machine_facts": {"cpu_model": "A processor"},
    "profile": "native",
    "tier": "standard",
    "left_out": {},
    "outside": {},
    **dict.fromkeys(("shots", "blocks", "failed", "refused", "noisy"), 0),
}


def opening(**facts: Any) -> str:
    evidence = SimpleNamespace(
        facts=SESSION | facts,
        planted=False,
        inference=True,
        folder=Path("data/tidy/ldp"),
        subsystem=UNDECLARED,
    )
    return report.session_line(evidence)


def test_the_opening_names_what_was_left_out_and_what_it_lacked() -> None:
    old = {"title": "Lakesuperior 1.0a18", "reason": "no python3.7 (3.7 or newer, before 3.8)"}
    said = opening(left_out={"lakesuperior-a18": old})
    assert (
        "Left out, because that machine could not have it:"
        " Lakesuperior 1.0a18 (no python3.7 (3.7 or newer, before 3.8))." in said
    )


def test_the_opening_says_nothing_where_nothing_was_left_out() -> None:
    assert "Left out" not in opening(left_out={})


def test_of_many_paths_that_changed_the_opening_names_the_first() -> None:
    said = opening(outside={"reference": ["/tmp/a"], "slow": [f"/tmp/{i}" for i in range(20)]})
    assert "reference: /tmp/a; slow: /tmp/0, /tmp/1, /tmp/2, 17 more." in said
