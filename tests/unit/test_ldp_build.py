"""engines/ldp/build, with a cargo that stands in for the real one."""

import os
import subprocess
from pathlib import Path

BUILD = Path(__file__).parents[2] / "engines/ldp/build"

CARGO = """#!/bin/sh
case " $* " in *" -p {fails} "*) echo "{fails} does not compile" >&2; exit 101 ;; esac
mkdir -p "$CARGO_TARGET_DIR/release"
cd "$CARGO_TARGET_DIR/release" && touch ldp ldpconformance ldpload ldpstages lib_ldp.so
"""


def build(tmp_path: Path, fails: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """What the build says when the crate `fails` does not compile, and the folder it made."""
    cargo = tmp_path / "bin/cargo"
    cargo.parent.mkdir()
    cargo.write_text(CARGO.format(fails=fails))
    cargo.chmod(0o755)
    done = subprocess.run(
        [BUILD, tmp_path / "ldp/reference"],
        env=os.environ
        | {
            "PATH": f"{cargo.parent}:{os.environ['PATH']}",
            "CARGO_TARGET_DIR": str(tmp_path / "compiled"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done, tmp_path / "ldp/reference"


def test_the_server_arrives_when_the_python_package_cannot_be_built(tmp_path: Path) -> None:
    done, made = build(tmp_path, "ldp-py")
    assert done.returncode == 0
    assert "ldp-py does not compile" in done.stderr
    assert sorted(p.name for p in (made / "bin").iterdir()) == [
        "ldp",
        "ldpconformance",
        "ldpload",
        "ldpstages",
    ]
    assert not (made / "python/ldp").exists()


def test_what_is_measured_of_a_package_that_was_not_built_says_so(tmp_path: Path) -> None:
    _, made = build(tmp_path, "ldp-py")
    done = subprocess.run(
        ["python3", made / "bench.py", "get", "imr", "store", "1", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "the Python package was not built" in done.stderr


def test_a_server_that_cannot_be_built_is_an_error(tmp_path: Path) -> None:
    done, _ = build(tmp_path, "ldp-server")
    assert done.returncode == 101


def test_all_of_it_is_built(tmp_path: Path) -> None:
    done, made = build(tmp_path, "nothing")
    assert done.returncode == 0
    assert (made / "python/ldp/_ldp.abi3.so").exists()
