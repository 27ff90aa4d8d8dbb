"""Code that several engines share passes its tests; test_smoke.py has the gates of engines."""

from pathlib import Path

import pytest

from assay import step

ENGINES = Path(__file__).parents[2] / "engines"


@pytest.mark.parametrize("module", ["gocommon", "transcode/httpbench"])
def test_shared_go_code(module: str) -> None:
    outcome = step.run(["go", "test", "./..."], ENGINES / module, timeout_s=300)
    assert outcome.ok, outcome.reason
