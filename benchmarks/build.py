"""What builds take: seconds, and the most memory of the process.

    python benchmarks/build.py           # 5 MB in one file, and 1,000 files, with default kinds
    python benchmarks/build.py --large   # also 200 MB in one file, and 100,000 files, BM25 alone

Each build is `hopyard index build` with the built-in embedding, in a process of its own. Texts are
sentences of the words of a vocabulary, as frequent as words are. Writes
`benchmarks/results/build.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "build.json"
ROOT = Path(__file__).parent.parent


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also the large builds")
    options = parser.parse_args()
    builds: list[tuple[str, Callable[[Path], None], list[str]]] = [
        ("5 MB in one file", lambda folder: one_file(folder, 5), []),
        ("1,000 files of 2 kB", lambda folder: many_files(folder, 1000), []),
    ]
    if options.large:
        alone = ["--with", "sparse"]
        builds += [
            ("200 MB in one file", lambda folder: one_file(folder, 200), alone),
            ("100,000 files of 2 kB", lambda folder: many_files(folder, 100_000), alone),
        ]
    found = {
        "command": " ".join(["python", "benchmarks/build.py", *sys.argv[1:]]),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "builds": [],
    }
    for name, write, arguments in builds:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / "in")
            found["builds"].append({"of": name, **built(Path(folder), arguments)})
        print(json.dumps(found["builds"][-1]), flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


def built(folder: Path, arguments: list[str]) -> dict[str, Any]:
    """Build an index of `in` and say what it took."""
    command = ["index", "build", "in", "--out", "out", "--json", *arguments]
    report = folder / "report.json"
    began, load = time.perf_counter(), os.getloadavg()[0]
    with report.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "hopyard.cli.main", *command], cwd=folder, stdout=out
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"the build failed: {command}")
    said = json.loads(report.read_text())
    return {
        "command": " ".join(["hopyard", *command]),
        "documents": said["documents"]["added"],
        "passages": said["passages"],
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_megabytes": round(used.ru_maxrss / 1024),
        "load_before": round(load, 1),
    }


def one_file(folder: Path, megabytes: float) -> None:
    """Sentences until the file has its size."""
    folder.mkdir()
    with (folder / "large.txt").open("w") as file:
        for sentence in sentences(random.Random(1)):
            if file.tell() >= megabytes * 1e6:
                return
            file.write(sentence)


def many_files(folder: Path, count: int) -> None:
    """Files of about 2 kB, a thousand in each folder."""
    texts = sentences(random.Random(2))
    for number in range(count):
        (folder / f"{number // 1000}").mkdir(parents=True, exist_ok=True)
        text = "".join(next(texts) for _ in range(20))
        (folder / f"{number // 1000}" / f"{number}.txt").write_text(text)


def sentences(chance: random.Random) -> Iterator[str]:
    """Sentences of English words; one in six ends a paragraph."""
    text = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    words = sorted(set(re.findall(r"[a-z]{2,}", text)))
    chance.shuffle(words)
    shares = list(accumulate(1 / (rank + 1) for rank in range(len(words))))
    while True:
        row = chance.choices(words, cum_weights=shares, k=chance.randint(6, 24))
        end = "\n\n" if chance.random() < 1 / 6 else " "
        yield f"{' '.join(row).capitalize()}.{end}"


if __name__ == "__main__":
    main()
