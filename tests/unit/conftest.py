from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """No test finds what another one built."""
    folder = tmp_path_factory.mktemp("store")
    monkeypatch.setenv("ASSAY_CACHE", str(folder))
    return folder
