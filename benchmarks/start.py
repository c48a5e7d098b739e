"""How long commands take to start, before and after a change, in one run.

    python benchmarks/start.py REVISION --runs 9

Checks out a git revision in a temporary worktree and runs each command there and here in turn, each
time in a new process. The question was asked once before, so the ledger answers its model calls.
Writes `benchmarks/results/start.json` and, from it, a section of `docs/performance.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

from performance_page import write_section

ROOT: Final = Path(__file__).resolve().parents[1]
CORPUS: Final = ROOT / "examples" / "solar_system" / "corpus.jsonl"
RESULTS: Final = ROOT / "benchmarks" / "results" / "start.json"
QUESTION: Final = "Where was the discoverer of Pluto born?"
COMMANDS: Final = (
    ("--version",),
    ("--help",),
    ("ask", "--help"),
    ("settings",),
    ("threads", "list"),
    ("index", "list", "index"),
    ("index", "status", "index"),
    ("search", QUESTION, "--index", "index"),
    ("ask", QUESTION, "--index", "index"),
)
MEGABYTE_KB: Final = 1000
"""Linux reports the peak memory of a process in kB."""


class Run(NamedTuple):
    """One run of a command."""

    seconds: float
    processor: float
    """Seconds of all its threads."""
    megabytes: float


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", help="What this checkout is compared with.")
    parser.add_argument("--runs", type=int, default=9, help="Runs of each command.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, _worktree(options.revision, folder) as before:
        sides = {"before": before, "now": ROOT}
        for side, code in sides.items():
            _prepare(code, Path(folder) / side)
        rows = [_compare(command, sides, folder, options.runs) for command in COMMANDS]
    result = {
        "command": " ".join(["python", "benchmarks/start.py", *sys.argv[1:]]),
        "before": _git("rev-parse", "--short", options.revision),
        "now": _git("rev-parse", "--short", "HEAD"),
        "runs": options.runs,
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "commands": rows,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write_section("Starting", _section(result))


@contextmanager
def _worktree(revision: str, folder: str) -> Iterator[Path]:
    place = Path(folder) / "checkout"
    _git("worktree", "add", "--detach", str(place), revision)
    try:
        yield place
    finally:
        _git("worktree", "remove", "--force", str(place))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _prepare(code: Path, folder: Path) -> None:
    """An index, and a ledger that knows the question. Python has compiled its files after that."""
    folder.mkdir()
    _run(code, folder, ("index", "build", str(CORPUS), "--out", "index"))
    for command in COMMANDS:
        _run(code, folder, command)


def _run(code: Path, folder: Path, command: Sequence[str]) -> Run:
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hopyard.cli.main", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(code), "HOPYARD_HOME": str(folder / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{code}: hopyard {' '.join(command)} ended with {process.returncode}")
    processor = usage.ru_utime + usage.ru_stime
    return Run(seconds, processor, usage.ru_maxrss / MEGABYTE_KB)


def _compare(
    command: Sequence[str], sides: Mapping[str, Path], folder: str, runs: int
) -> dict[str, Any]:
    """Run a command on both sides in turn, so that other work slows both alike."""
    found: dict[str, list[Run]] = {side: [] for side in sides}
    for _ in range(runs):
        for side, code in sides.items():
            found[side].append(_run(code, Path(folder) / side, command))
    shown = " ".join(f'"{part}"' if " " in part else part for part in ("hopyard", *command))
    return {"command": shown} | {side: _summary(measured) for side, measured in found.items()}


def _summary(runs: Sequence[Run]) -> dict[str, float]:
    seconds = [run.seconds for run in runs]
    return {
        "median": round(median(seconds), 2),
        "fastest": round(min(seconds), 2),
        "processor": round(median(run.processor for run in runs), 2),
        "megabytes": round(median(run.megabytes for run in runs)),
    }


def _section(result: Mapping[str, Any]) -> list[str]:
    return [
        f"Seconds that a command takes, in a new process, with revision `{result['before']}` and",
        f"with `{result['now']}`, in turn: the median of {result['runs']} runs, with the fastest",
        f"in brackets. The machine has {result['cores']} cores; its load was {result['load']}.",
        "Under a higher load than 1, the fastest run is the best estimate for a quiet machine.",
        "The processor's time is that of all threads together, the memory is the peak; both are",
        "medians. The ledger answers the question's model calls.",
        "",
        "| command | before, s | now, s | processor, s | now | memory, MB | now |",
        "|---|--:|--:|--:|--:|--:|--:|",
        *(_row(row) for row in result["commands"]),
    ]


def _row(row: Mapping[str, Any]) -> str:
    before, now = row["before"], row["now"]
    cells = [
        f"`{row['command']}`",
        *(f"{side['median']:.2f} ({side['fastest']:.2f})" for side in (before, now)),
        *(f"{side['processor']:.2f}" for side in (before, now)),
        *(f"{side['megabytes']:,}" for side in (before, now)),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
