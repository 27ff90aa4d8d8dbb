"""What renders the committed run imports nothing that only one operating system has."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONLY_POSIX = ["fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"]
RUNNERS = ["assay.disk", "assay.measure.limits", "assay.measure.profile", "assay.measure.shot"]

IMPORTS = """
import ast, builtins, importlib, json, pathlib, pkgutil, sys
import assay.analyse, assay.present, assay.published, assay.tables

blocked = set(json.loads(sys.argv[1]))
plain = builtins.__import__


def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    wanted = {name, *(f"{name}.{one}" for one in fromlist or ())}
    if importer.split(".")[0] == "assay" and wanted & blocked:
        raise ImportError(f"{importer} imports {sorted(wanted & blocked)}")
    return plain(name, globals, locals, fromlist, level)


builtins.__import__ = guarded
for name in ("assay.__main__", "assay.pipeline.outcome"):
    importlib.import_module(name)
for part in (assay.analyse, assay.present, assay.published, assay.tables):
    for found in pkgutil.walk_packages(part.__path__, f"{part.__name__}."):
        importlib.import_module(found.name)
for path in pathlib.Path("notebooks").glob("*.ipynb"):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    exec(ast.unparse(node))
"""


def imports(blocked: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IMPORTS, json.dumps(blocked)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_reading_path_needs_no_module_of_one_system() -> None:
    done = imports([*ONLY_POSIX, *RUNNERS])
    assert done.returncode == 0, done.stderr


def test_a_blocked_module_on_the_path_is_found() -> None:
    done = imports(["assay.inputs.variant"])
    assert "imports ['assay.inputs.variant']" in done.stderr


def test_the_committed_run_says_that_it_is() -> None:
    sessions = sorted((ROOT / "data" / "reference").glob("*/session.json"))
    assert sessions
    for path in sessions:
        told = json.loads(path.read_text(encoding="utf-8"))
        every = [told, *told["other_sessions"]]
        assert all(one["committed"] for one in every), f"{path}: expected committed: true"
