"""What a build reads stands in its manifest: a build is kept by the content of these files."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.inputs import manifest

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"
MODULES = [
    path.parent.relative_to(ROOT)
    for path in sorted(ENGINES.rglob("engine.yaml"))
    if (path.parent / "go.mod").exists()
]
COMPILED = ["GoFiles", "SFiles", "HFiles", "EmbedFiles"]
OF_TESTS = ["TestGoFiles", "XTestGoFiles", "TestEmbedFiles", "XTestEmbedFiles"]


def packages(module: Path) -> Iterator[dict[str, Any]]:
    """The packages of this project that a module's programs and tests are compiled from."""
    fields = ",".join(["Dir", "Module", *COMPILED, *OF_TESTS])
    command = ["go", "list", "-deps", "-test", f"-json={fields}", "./..."]
    text = subprocess.run(command, cwd=module, capture_output=True, text=True, check=True).stdout
    decoder, at = json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        package, at = decoder.raw_decode(text, at)
        at += 1  # the line feed behind it
        if Path(package["Dir"]).is_relative_to(ENGINES):  # Go itself may lie in .venv
            yield package


def compiled(module: Path) -> Iterator[Path]:
    for package in packages(module):
        main = package["Module"].get("Main", False)
        kinds = [*COMPILED, *OF_TESTS] if main else COMPILED
        for name in [name for kind in kinds for name in package.get(kind, [])]:
            if not Path(name).is_absolute():  # a file that go makes
                yield Path(package["Dir"], name)
        yield Path(package["Module"]["Dir"], "go.mod")


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_what_go_compiles_is_an_input_of_the_build(module: Path) -> None:
    inputs = set(manifest.sources(manifest.load(ROOT / module / "engine.yaml")))
    missing = {str(path.relative_to(ROOT)) for path in set(compiled(ROOT / module)) - inputs}
    assert not missing
