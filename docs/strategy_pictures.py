"""The pictures of runs in docs/strategies.md.

    hopyard compare QUESTION --index DIR --model MODEL --json > answers.json
    PYTHONPATH=.:tests:examples/office python docs/strategy_pictures.py answers.json

Writes the page of each strategy's run and photographs its steps in Chromium.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from screenshots import Camera

SIZE: Final = (860, 700)
MOST_BYTES: Final = 60_000


def main() -> None:
    """Take a picture of each answer's run."""
    answers = json.loads(Path(sys.argv[1]).read_text("utf-8"))["answers"]
    camera = Camera()
    try:
        camera.look(SIZE, "light")
        for each in answers:
            with tempfile.TemporaryDirectory() as folder:
                page = Path(folder) / "run.html"
                trace = [sys.executable, "-m", "hopyard.cli.main", "trace", each["thread"]]
                subprocess.run([*trace, "--html", str(page)], check=True)  # noqa: S603
                camera.browser.get(page.as_uri())
                camera.browser.execute_script("document.querySelector('main').scrollIntoView()")
                camera.take(f"run-{each['strategy']}", MOST_BYTES)
    finally:
        camera.browser.quit()


if __name__ == "__main__":
    main()
