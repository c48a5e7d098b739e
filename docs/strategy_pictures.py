"""The pictures of runs in docs/strategies.md.

    PYTHONPATH=.:tests:examples/office python docs/strategy_pictures.py chain=THREAD tree=THREAD …

Saves the trace of each thread as a page, opens one of its steps, and photographs the steps in
Chromium. A number after the thread chooses the step: `tree=THREAD:5` opens the fifth.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from screenshots import Camera

SIZE: Final = (700, 600)
MOST_BYTES: Final = 60_000
OPEN: Final = """
const step = document.querySelectorAll(".steps li > details")[arguments[0] - 1];
step.open = true;
step.scrollIntoView({ block: "center" });
"""


def main() -> None:
    """Take a picture of each run."""
    camera = Camera()
    try:
        camera.look(SIZE, "light")
        camera.browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        for each in sys.argv[1:]:
            name, _, chosen = each.partition("=")
            thread, _, number = chosen.partition(":")
            with tempfile.TemporaryDirectory() as folder:
                page = Path(folder) / "run.html"
                trace = [sys.executable, "-m", "hopyard.cli.main", "trace", thread]
                subprocess.run([*trace, "--html", str(page)], check=True)  # noqa: S603
                camera.browser.get(page.as_uri())
                camera.browser.execute_script(OPEN, int(number or 4))
                camera.take(f"run-{name}", MOST_BYTES)
    finally:
        camera.browser.quit()


if __name__ == "__main__":
    main()
