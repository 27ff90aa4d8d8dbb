"""Whole files or none: written under a temporary name, synced, renamed."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in the place of `path`.

    A crash at any moment leaves the old file or the new one. Parent folders are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(temporary)
        _sync(temporary, os.O_RDWR)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if os.name != "nt":  # Windows opens no folder
        _sync(path.parent, os.O_RDONLY)


def link(path: Path, target: Path) -> None:
    """Replace `path` by a symbolic link to `target`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)


def write_text(path: Path, text: str) -> None:
    """Replace `path` by a UTF-8 file that holds `text`."""
    replace(path, lambda temporary: temporary.write_text(text, encoding="utf-8", newline="\n"))


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by `value` as indented JSON with sorted keys."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_text(path: Path) -> str:
    """The text in the UTF-8 file `path`; a byte that is none is an error with file and line."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise ValueError(f"{path}:{line}: expected UTF-8, found byte 0x{byte:02x}") from error


def read_json(path: Path) -> Any:
    """The JSON value in `path`; a broken file is an error that names it."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path}: expected JSON, found {error.msg} at line {error.lineno}"
        ) from error


def copy_folder(source: Path, to: Path) -> None:
    """Replace the folder `to` by a copy of `source`; nothing to do when they are one."""
    if to.resolve() != source.resolve():
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(source, to)


def _sync(path: Path, how: int) -> None:
    descriptor = os.open(path, how)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
