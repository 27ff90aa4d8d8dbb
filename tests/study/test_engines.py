"""The complete suite of every engine, and the tests of code that several share.

test_smoke.py has the short gates; most peers' are all their tests.
"""

import os
import subprocess
from pathlib import Path

import pytest

from assay.engines import store
from assay.system import step

ROOT = Path(__file__).parents[2]
ENGINES = ROOT / "engines"

pytestmark = pytest.mark.timeout(3600)


PEERS = ["acp/acp-core-2024", "acp/acp-core-2025"]  # whose gates are a part of their tests


@pytest.mark.parametrize("engine", ["acp", "ldp", "rewardpool", "smt", "transcode", *PEERS])
def test_suite(engine: str, tmp_path: Path) -> None:
    with store.cargo(engine.partition("/")[0]) as compiled:
        gates = subprocess.run(
            [ENGINES / "gates", engine],
            env={**os.environ, "CARGO_TARGET_DIR": str(compiled), "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
    print(gates.stdout)
    assert gates.returncode == 0, gates.stderr


@pytest.mark.parametrize("module", ["gocommon", "transcode/httpbench"])
def test_shared_go_code(module: str) -> None:
    outcome = step.run(["go", "test", "./..."], ENGINES / module, timeout_s=300)
    assert outcome.ok, outcome.reason


def test_shared_rust_code() -> None:
    with store.cargo("smt") as compiled:
        command = ["cargo", "test", "--quiet", "--locked", "--target-dir", str(compiled)]
        outcome = step.run(command, ENGINES / "smt/peers/rustbench", timeout_s=900)
    assert outcome.ok, outcome.reason
