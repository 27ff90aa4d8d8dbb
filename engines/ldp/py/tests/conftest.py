"""The package is tested as it was built: LDP_PYTHON is the folder that holds it."""

import os
import sys

import pytest

FOLDER = os.environ.get("LDP_PYTHON")
if FOLDER:
    sys.path.insert(0, FOLDER)
else:
    # The gate of the engine sets it.
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def repository(tmp_path):
    import ldp

    with ldp.Repository(tmp_path / "store") as opened:
        yield opened
