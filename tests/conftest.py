"""Folders of tests run in processes side by side; one file, or one test, in the process at hand."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import installed
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# These look at what runs on the machine: one after the other, and from the beginning, since
# together they take the longest. Sessions of other tests wait for the machine's lock, as always.
OF_THE_MACHINE = [
    "test_disk",
    "test_enforced",
    "test_killed",
    "test_limits",
    "test_session",
    "test_shot",
    "test_slurm",
    "test_smoke",
]
# One after the other, too, for what they share: begun late, they keep one process busy alone.
LONG = ["test_pipeline", "test_reports"]
# Each of their tests is long and needs no other.
ALONE = ["test_engines", "test_notebooks", "test_linters"]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    if any(Path(arg).is_dir() for arg in config.args):
        return len(os.sched_getaffinity(0)) + 1  # a quarter of the time, they wait
    return 0


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=rank)
    for item in items:
        if item.path.stem not in ALONE:
            together = "machine" if rank(item) == 0 else item.path.stem
            item.add_marker(pytest.mark.xdist_group(together))


def rank(item: pytest.Item) -> int:
    """What takes longest begins first."""
    order = [OF_THE_MACHINE, *([name] for name in (*LONG, *ALONE))]
    ranks = (first for first, names in enumerate(order) if item.path.stem in names)
    return next(ranks, len(order))


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    from assay.present.pages import sheet

    chromium = installed.program("chromium", *sheet.BROWSERS)
    with sync_playwright() as playwright:
        # A container's root has no sandbox; nothing but our own pages and servers is opened.
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()
