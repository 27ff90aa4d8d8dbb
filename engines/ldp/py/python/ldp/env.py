"""The one repository of the process, for callers of ``ldp.api``."""

from __future__ import annotations

import os
from typing import Any

from ldp._ldp import Repository

_repository: Repository | None = None


def setup(path: str | os.PathLike[str], **options: Any) -> Repository:
    """Open the repository that ldp.api works on; the options are those of ldp.Repository.

    One that was set up before is closed.
    """
    global _repository
    if _repository is not None:
        _repository.close()
        _repository = None
    _repository = Repository(path, **options)
    return _repository


def repository() -> Repository:
    """The repository that was set up."""
    if _repository is None:
        raise RuntimeError("no repository yet: call ldp.env.setup(path) first")
    return _repository
