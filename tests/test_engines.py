"""Every engine passes its own correctness gate."""

from pathlib import Path

import pytest

from assay import manifest, placeholders, step

ENGINES = Path(__file__).parent.parent / "engines"
# A heavy peer takes minutes to compile; its gate runs when a study names it.
MANIFESTS = [
    path for path in sorted(ENGINES.glob("**/engine.yaml")) if manifest.load(path).weight != "heavy"
]


def name(path: Path) -> str:
    return "-".join(path.parent.parts[path.parent.parts.index("engines") + 1 :])


@pytest.mark.parametrize("path", MANIFESTS, ids=name)
def test_the_correctness_gate_of(path, tmp_path):
    engine = manifest.load(path)
    command = placeholders.fill(engine.verify.command, {"build": tmp_path})
    outcome = step.run(command, path.parent, engine.verify.timeout_s)
    assert outcome.ok, outcome.reason


def test_the_code_that_go_engines_share():
    outcome = step.run(["go", "test", "./..."], ENGINES / "gocommon", timeout_s=120)
    assert outcome.ok, outcome.reason
