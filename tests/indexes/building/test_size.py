"""What a large build takes: memory, and time until Ctrl-C ends it.

`make test` interrupts the build of a small file. `make test-scale` takes a twentieth;
HOPYARD_TEST_SIZE=1 takes 200 MB of text and 100,000 files.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hopyard.cli.index.report import CONTINUE

SIZE = float(os.environ.get("HOPYARD_TEST_SIZE", "0"))
BUILD = """
import asyncio, os, resource, runpy, signal, sys, time
from pathlib import Path
from hopyard.cli.index.report import CONTINUE
from hopyard.cli.interrupts import ending_with
from hopyard.indexes.building.build import build
from hopyard.indexes.documents.loaders import LoadReport, read

conftest, folder, directory, stop = sys.argv[1:]
fakes = runpy.run_path(conftest)
embedder = fakes["FakeEmbedder"](window=512, remote=True)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before, loaded = peak(), LoadReport()
stages = set()

def progress(stage, done, total):
    if stage not in stages:
        stages.add(stage)
        print(stage, flush=True)
        if stage == stop:  # Ctrl-C, and a thread that does not hear of it
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(120)

with ending_with(CONTINUE):
    report = asyncio.run(
        build(
            read([folder], [], loaded),
            directory=Path(directory), embedder=embedder, kinds=["sparse"],
            progress=progress,
        )
    )
used = resource.getrusage(resource.RUSAGE_SELF)
print(f"{used.ru_utime + used.ru_stime:.0f} seconds of the processor, {report.seconds:.0f} in all")
print(report.added, report.passages, peak() - before, flush=True)
"""

large = pytest.mark.skipif(not SIZE, reason="runs in `make test-scale`")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="resource, SIGINT"),
    pytest.mark.timeout(3000),
]


def command(folder: Path, directory: Path, stop: str = "") -> list[str]:
    conftest = str(Path(__file__).parents[1] / "conftest.py")
    return [sys.executable, "-c", BUILD, conftest, str(folder), str(directory), stop]


def built(folder: Path, directory: Path) -> tuple[int, int, int]:
    """Documents, passages, and the megabytes that the build took beside Python and libraries."""
    ended = subprocess.run(
        command(folder, directory), capture_output=True, text=True, check=False, timeout=3000
    )
    assert ended.returncode == 0, ended.stderr
    print(ended.stdout)
    documents, passages, megabytes = ended.stdout.splitlines()[-1].split()
    return int(documents), int(passages), int(megabytes)


def large_file(folder: Path, megabytes: float) -> None:
    """Sentences of words that are as frequent as words are."""
    chance = random.Random(1)
    words = [f"w{number:x}" for number in range(50_000)]
    shares = [1 / (rank + 1) for rank in range(len(words))]
    folder.mkdir()
    with (folder / "large.txt").open("w") as file:
        while file.tell() < megabytes * 1e6:
            row = " ".join(chance.choices(words, shares, k=2000))
            file.write(f"{row}.\n\n" if chance.random() < 0.5 else f"{row}.\n")


@large
def test_one_large_file(tmp_path: Path) -> None:
    large_file(tmp_path / "in", 200 * SIZE)

    documents, passages, megabytes = built(tmp_path / "in", tmp_path / "index")

    assert documents == 1
    assert passages > 500 * 200 * SIZE
    assert megabytes < 250 + 2 * 200 * SIZE


@large
def test_many_small_files(tmp_path: Path) -> None:
    count = int(100_000 * SIZE)
    for number in range(count):
        folder = tmp_path / "in" / f"{number // 1000}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(f"Note {number}.\n" + f"word{number % 997} and " * 50)

    documents, _, megabytes = built(tmp_path / "in", tmp_path / "index")

    assert documents == count
    assert megabytes < 200 + 1_000e-6 * count


@pytest.mark.parametrize("stage", ["read", "sparse"] if SIZE else ["sparse"])
def test_ctrl_c_ends_a_large_build(tmp_path: Path, stage: str) -> None:
    large_file(tmp_path / "in", 400 * SIZE or 0.1)
    with subprocess.Popen(
        command(tmp_path / "in", tmp_path / "index", "" if SIZE else stage),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as build:  # fmt: skip
        assert build.stdout
        assert f"{stage}\n" in iter(build.stdout.readline, "")
        if SIZE:
            time.sleep(0.1)  # in the midst of it: it takes a second and more
            build.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = build.communicate(timeout=150)
    assert time.monotonic() - began < (2 if SIZE else 60)
    assert build.returncode == 130, out
    assert err == f"{CONTINUE}\n"
    if SIZE and stage == "sparse":  # the later stop leaves files behind
        assert built(tmp_path / "in", tmp_path / "index")[0] == 1
