"""`run` works in its own checkout, however it is started, and touches no other folder."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose path has a space; beside it lies a conda environment."""
    made = tmp_path / "a checkout"
    made.mkdir()
    shutil.copy(ROOT / "run", made)
    (made / "pyproject.toml").write_text('[project]\nname = "assay"\n')
    (tmp_path / "conda" / "bin").mkdir(parents=True)
    (tmp_path / "conda" / "bin" / "snakemake").touch(mode=0o755)
    return made


def start(
    script: Path | str, cwd: Path, *command: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *(command or ("pwd", "-P"))],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("way", ["absolute", "relative", "link", "link of a link", "CDPATH"])
def test_it_works_in_its_checkout(checkout: Path, tmp_path: Path, way: str) -> None:
    other = tmp_path / "other"
    (other / checkout.name).mkdir(parents=True)  # what CDPATH would find
    (other / "assay-run").symlink_to(checkout / "run")
    (other / "again").symlink_to("assay-run")
    script, cwd = {
        "absolute": (checkout / "run", other),
        "relative": (f"../{checkout.name}/run", other),
        "link": ("./assay-run", other),
        "link of a link": (other / "again", tmp_path),
        "CDPATH": (f"{checkout.name}/run", tmp_path),
    }[way]
    done = start(script, cwd, CONDA_PREFIX=str(tmp_path / "conda"), CDPATH=str(other))
    assert (done.stdout.strip(), done.returncode) == (str(checkout), 0), done.stderr


def test_it_refuses_another_folder_before_it_touches_anything(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine").touch()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    shutil.copy(ROOT / "run", tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "readlink", "grep"):  # it could do no more
        (tools / name).symlink_to(shutil.which(name) or name)
    done = start(tmp_path / "run", tmp_path, PATH=str(tools))
    assert done.returncode == 1
    assert done.stderr == f"run: {tmp_path} is no checkout of Assay\n"
    assert (tmp_path / ".venv" / "mine").exists()
    assert not (tmp_path / ".tools").exists()


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null", "", "missing", "written"])
@pytest.mark.parametrize("cache", ["/proc/none", "/dev/null/cache", "", "written"])
def test_what_it_starts_has_a_home_that_it_can_write_to(
    checkout: Path, tmp_path: Path, home: str, cache: str
) -> None:
    (tmp_path / "written").mkdir()
    inside = {
        name: str(tmp_path / name) if name in ("missing", "written") else name
        for name in (home, cache)
    }
    done = start(
        checkout / "run",
        tmp_path,
        *("sh", "-c", 'touch "$HOME/a" "${XDG_CACHE_HOME:-$HOME/.cache}/b" && echo "$HOME"'),
        CONDA_PREFIX=str(tmp_path / "conda"),
        HOME=inside[home],
        XDG_CACHE_HOME=inside[cache],
    )
    kept = home in ("missing", "written")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (inside[home] if kept else str(checkout / ".tools" / "home"))
    assert ("HOME" in done.stderr) is not kept
