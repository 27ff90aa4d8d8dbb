"""A report on one sheet of A4, as PDF: its answer, its key figure and its findings.

`page.js` lays a page out so where its address ends with `#sheet`; Chromium prints it.
"""

import shutil
import subprocess
from pathlib import Path

from assay.system import files

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 120
"""A page is printed in a second or two. This only ends a browser that hangs."""


def write(page: Path, pdf: Path) -> None:
    """Print the page of a report.

    LookupError when there is no such page, no browser, or the browser could not.
    """
    if not page.exists():
        raise LookupError(f"{page}: expected a report, found none; `assay report` makes one")
    if 'class="answer"' not in page.read_text(encoding="utf-8"):
        raise LookupError(f"{page}: expected a report, found a page that answers no question")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise LookupError(f"expected a browser in PATH, one of {', '.join(BROWSERS)}; found none")

    def printed(path: Path) -> None:
        command = [
            browser,
            "--headless",
            "--no-sandbox",  # root has none; nothing but our own page is opened
            "--no-pdf-header-footer",
            f"--print-to-pdf={path.resolve()}",
            f"{page.resolve().as_uri()}#sheet",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise LookupError(f"{browser} did not print {page} in {PATIENCE_S} s") from error
        if done.returncode or not path.exists():
            raise LookupError(f"{browser} could not print {page}: {done.stderr.strip()[-500:]}")

    files.replace(pdf, printed)
