"""Run pip and show on one line what it is doing: `python pip_progress.py install PACKAGE`.

pip prints hundreds of lines for an environment of this size, and nothing under `--quiet`. Its own
output is shown only if it fails. On a terminal the line changes twice a second; elsewhere, as in a
CI log, a new line is printed every ten seconds.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterable
from pathlib import Path

SITE = Path(sysconfig.get_path("purelib"))
PAUSE = 0.5 if sys.stdout.isatty() else 10.0
"""Seconds between two lines."""


class Progress:
    """What pip is doing, from the lines that it prints."""

    def __init__(self) -> None:
        self.output: list[str] = []
        self.needed: set[str] = set()
        self._doing = "starting pip"
        self._to_install = 0
        self._before = 0

    def read(self, lines: Iterable[str]) -> None:
        """Follow pip until it ends."""
        for line in lines:
            self.output.append(line)
            if found := re.match(r"\s*Collecting ([\w.-]+)", line):
                self.needed.add(found[1].lower())
                self._doing = f"looking up {found[1]}"
            elif found := re.match(r"\s*Downloading (?:\S*/)?([^\s/-]+)-\S+\.whl (\(.+\))", line):
                self._doing = f"downloading {found[1]} {found[2]}"
            elif found := re.match(r"\s*(Installing build \w+|Preparing \w+ \w+)", line):
                self._doing = found[1].lower()
            elif line.startswith("Installing collected packages:"):
                self._before, self._to_install = installed(), line.count(",") + 1

    def __str__(self) -> str:
        if self._to_install:
            done = min(max(installed() - self._before, 0), self._to_install)
            return f"installed {done} of {self._to_install} packages"
        return f"{self._doing}; {len(self.needed)} found so far" if self.needed else self._doing


def installed() -> int:
    """How many packages the environment has."""
    return sum(1 for _ in SITE.glob("*.dist-info"))


def main(arguments: list[str]) -> int:
    """Run pip with these arguments; returns its exit code."""
    progress, start = Progress(), time.monotonic()
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "pip", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        reading = threading.Thread(target=progress.read, args=(process.stdout,))
        reading.start()
        while reading.is_alive():
            show(progress, time.monotonic() - start)
            reading.join(PAUSE)
    if process.returncode:
        print(f"\n{''.join(progress.output)}", end="", file=sys.stderr)
    else:
        show("done", time.monotonic() - start, end="\n")
    return process.returncode


def show(what: object, seconds: float, *, end: str = "") -> None:
    """Print the line, in place of the one before where that is possible."""
    line = f"{int(seconds) // 60}:{int(seconds) % 60:02}  {what}"
    if sys.stdout.isatty():
        print(f"\r\033[K{line:.78}", end=end, flush=True)
    else:
        print(line, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; the same command continues.")
