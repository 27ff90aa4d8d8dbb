"""What light engines, linters and commands of READMEs need is there before a test looks for it."""

from pathlib import Path

from assay.inputs import manifest
from assay.system import tools

ROOT = Path(__file__).parents[2]
ENGINES = map(manifest.load, sorted((ROOT / "engines").rglob("engine.yaml")))
OF_TESTS = {
    name: ["the tests"] for name in ("clippy", "curl", "gtest", "openssl-command", "rustfmt")
}

tools.provide(tools.needed(one for one in ENGINES if one.weight != "heavy") | OF_TESTS)
