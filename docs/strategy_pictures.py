"""The pictures of runs in docs/strategies.md.

    PYTHONPATH=.:tests:examples/office python docs/strategy_pictures.py chain=THREAD tree=THREAD …

Saves the trace of each thread as a page, and photographs the drawing of its steps in Chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from screenshots import Camera

WIDTH: Final = 860
MOST_BYTES: Final = 60_000
ABOVE: Final = """
const { top, bottom } = document.querySelector(".drawn").getBoundingClientRect();
scrollTo(0, top + scrollY - 12);
return Math.ceil(bottom - top) + 24;
"""


def main() -> None:
    """Take a picture of each run."""
    camera = Camera()
    try:
        camera.browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        for each in sys.argv[1:]:
            name, _, thread = each.partition("=")
            with tempfile.TemporaryDirectory() as folder:
                page = Path(folder) / "run.html"
                trace = [sys.executable, "-m", "hopyard.cli.main", "trace", thread]
                subprocess.run([*trace, "--html", str(page)], check=True)  # noqa: S603
                camera.look((WIDTH, 600), "light")
                camera.browser.get(page.as_uri())
                camera.look((WIDTH, camera.browser.execute_script(ABOVE)), "light")
                camera.browser.execute_script(ABOVE)
                camera.take(f"run-{name}", MOST_BYTES)
    finally:
        camera.browser.quit()


if __name__ == "__main__":
    main()
