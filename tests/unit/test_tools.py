"""Tools are asked for their versions, held to their ranges, and installed where that is allowed."""

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fakes
import pytest

from assay.engines import build
from assay.inputs import manifest, tiers
from assay.inputs.manifest import Manifest
from assay.system import debian, files, step, tools

ROOT = Path(__file__).parents[2]
ENGINES = [manifest.load(path) for path in sorted((ROOT / "engines").rglob("engine.yaml"))]
OLD = tools.Tool(("printf", "old 1.4.2"), "2", "3", ("old-tool", "old-dev"))
NEW = tools.Tool(("printf", "new version 2.10, of 2026"), "2.9", "3", ("new-web|new",))
NONE = tools.Tool(("no-such-program", "--version"), "1", "2")


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "TOOLS", {"old": OLD, "new": NEW, "none": NONE, **tools.TOOLS})


def engine(name: str, *needs: str, role: str = "peer", harness: str = "jsonlines") -> Manifest:
    facts: dict[str, Any] = {"name": name, "subsystem": name, "role": role, "tools": needs}
    return SimpleNamespace(**facts, benches=[SimpleNamespace(harness=harness)])  # type: ignore[return-value]


def test_a_version_is_the_first_number_that_is_printed_and_empty_where_none_is() -> None:
    found = tools.versions(["old", "new", "none"])
    assert found | {"python": ""} == {"python": "", "old": "1.4.2", "new": "2.10", "none": ""}


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("old", "2", ""),
        ("old", "2.0.1", ""),
        ("new", "2.10", ""),
        ("old", "1.4.2", "old: expected 2 or newer, before 3, found 1.4.2"),
        ("old", "3", "old: expected 2 or newer, before 3, found 3"),
        ("none", "", "no none (1 or newer, before 2)"),
    ],
)
def test_a_version_is_held_to_its_range(name: str, version: str, said: str) -> None:
    assert tools.fault(name, version) == said


def test_hyperfine_is_a_tool_of_every_engine_that_it_measures() -> None:
    assert tools.of(engine("a", "new", harness="hyperfine")) == {"new", "hyperfine"}


def test_what_is_missing_is_installed_at_once_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed: list[str] = []
    monkeypatch.setattr(tools, "may_install", lambda: True)
    monkeypatch.setattr(debian, "install", installed.extend)
    tools.provide(tools.needed([engine("a", "old"), engine("b", "old", "none")]))
    assert installed == ["old-tool", "old-dev"]
    assert "found 1.4.2: needed by a/a, b/b" in capsys.readouterr().out


def test_nothing_is_installed_without_the_right_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "may_install", lambda: False)
    monkeypatch.setattr(debian, "install", lambda _: pytest.fail("apt was called"))
    assert tools.provide({"old": ["a"]})["old"] == "1.4.2"


def test_a_tool_of_a_group_comes_into_the_environment_without_any_right(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As Go does: `run` left its uv beside the environment, and the package is no Python."""
    uv = tmp_path / ".tools/uv/bin/uv"
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr(tools, "may_install", lambda: False)
    monkeypatch.setenv("PATH", f"{tmp_path}/.venv/bin", prepend=os.pathsep)
    gone = tools.Tool(("gone", "version"), "1", "2", group="gone")
    monkeypatch.setitem(tools.TOOLS, "gone", gone)
    assert not tools.installable("gone")
    assert tools.provide({"gone": ["a"]})["gone"] == ""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    uv.parent.mkdir(parents=True)
    program = ".venv/lib/python3.11/site-packages/gone/bin"
    uv.write_text(f"""#!/bin/sh
[ "$*" = "sync -q --locked --inexact --group gone" ] && mkdir -p {program} || exit 1
printf '#!/bin/sh\\necho gone version 1.5\\n' >{program}/gone && chmod 755 {program}/gone
""")
    uv.chmod(0o755)
    assert tools.installable("gone")
    assert tools.provide({"gone": ["a"]})["gone"] == "1.5"


def test_one_message_names_all_that_required_engines_lack_and_what_there_is_without() -> None:
    required = [
        engine("a", "old", role="reference"),
        engine("b", "new", role="reference"),
        engine("c", "none", "old", role="reference"),
    ]
    said = tools.refusal(required, tools.versions(["old", "new", "none"]))
    assert "no none (1 or newer, before 2): needed by c/c" in said
    assert "found 1.4.2: needed by a/a, c/c" in said
    assert "apt-get install old-tool old-dev" in said
    assert "subsystems=[b]" in said


def test_what_a_peer_lacks_refuses_a_study_that_names_it_and_no_other(tmp_path: Path) -> None:
    engines = [engine("b", "new", role="reference"), engine("d", "none")]
    out = tmp_path / "tools.json"
    study = fakes.study(peers=["d/d"])
    with pytest.raises(LookupError, match=r"no none .*: needed by d/d"):
        tools.record(engines, [each for each in engines if tiers.required(each, study)], out)
    assert not out.exists()
    study = fakes.study(peers="all")
    tools.record(engines, [each for each in engines if tiers.required(each, study)], out)
    assert files.read_json(out)["none"] == ""


@pytest.mark.parametrize("made", ENGINES, ids=lambda one: f"{one.subsystem}/{one.name}")
def test_a_manifest_names_the_programs_that_its_recipe_calls(made: Manifest) -> None:
    programs = {"go", "cargo", "cmake", "npm", "mvn", "node"}
    texts = [*made.build.command, *made.verify.command]
    for word in (made.build.command[0], made.verify.command[0]):
        script = made.path.parent / word
        if script.is_file():
            texts.append(script.read_text())
    called = set(
        re.findall(r"(?:^|[;&|(\"\s])(go|cargo|cmake|npm|mvn|node) [-a-z.]", "\n".join(texts))
    )
    assert called & programs <= set(made.tools)


def test_a_peer_without_its_tools_is_left_out_and_a_reference_engine_has_failed(
    tmp_path: Path,
) -> None:
    [old] = [one for one in ENGINES if one.name == "lakesuperior-a18"]
    [ldp] = [one for one in ENGINES if (one.subsystem, one.role) == ("ldp", "reference")]
    found = tmp_path / "tools.json"
    files.write_json(
        found, {"python": "3.11", **dict.fromkeys([*tools.of(old), *tools.of(ldp)], "")}
    )
    assert not build.build(old.path, found, tmp_path / "old/build.json")
    assert not build.build(ldp.path, found, tmp_path / "ldp/build.json")
    facts = files.read_json(tmp_path / "old/build.json")
    assert facts["status"] == step.LEFT_OUT
    assert "no python3.7 (3.7 or newer, before 3.8)" in facts["reason"]
    assert files.read_json(tmp_path / "ldp/build.json")["status"] == "failed"


def test_a_build_by_another_version_of_its_own_tools_is_forgotten(tmp_path: Path) -> None:
    [peer] = [one for one in ENGINES if one.name == "cedar-go"]
    out = tmp_path / "acp/cedar-go/build.json"
    files.write_json(out, {"status": "failed", "toolchain": {"python": "3.11", "go": "1.26.1"}})
    now = {"python": "3.11", "go": "1.26.1", "cargo": "1.90"}
    build.forget_others(tmp_path, [peer], now | {"cargo": "1.95"})
    assert out.exists()
    build.forget_others(tmp_path, [peer], now | {"go": "1.26.2"})
    assert not out.exists()


def test_a_build_whose_link_was_deleted_is_forgotten(tmp_path: Path) -> None:
    [peer] = [one for one in ENGINES if one.name == "cedar-go"]
    out = tmp_path / "acp/cedar-go/build.json"
    now = {"python": "3.11", "go": "1.26.1"}
    files.write_json(out, {"status": "ok", "toolchain": now})
    build.made(out).symlink_to(tmp_path)
    build.forget_others(tmp_path, [peer], now)
    assert out.exists()
    build.made(out).unlink()
    build.forget_others(tmp_path, [peer], now)
    assert not out.exists()
