"""Programs that a test needs of the machine: on Debian, root gets them when the test asks."""

import shutil

import pytest

from assay.system import debian, tools

GO = {"CGO_ENABLED": "0", "GOFLAGS": "-trimpath"}
"""As engines are built: what one of them compiled is not compiled again."""


def program(package: str, *names: str) -> str:
    """The path of the first of `names` that is there; else `package` is installed by apt-get."""
    if found := _found(names):
        return found
    if tools.may_install():
        debian.install([package])
    found = _found(names)
    if not found:
        pytest.fail(f"this test needs {' or '.join(names)}: install package {package}")
    return found


def _found(names: tuple[str, ...]) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)
