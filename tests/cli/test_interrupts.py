"""Ctrl-C at any moment is one sentence and exit code 130."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hopyard.cli.index.report import CONTINUE
from hopyard.cli.interrupts import run_async

PRESSED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "MODULE":
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000): pass  # where a signal is delivered
sys.meta_path.insert(0, Press())
from hopyard.cli.main import main
main()
"""


@pytest.mark.parametrize(
    "module",
    ["typer", "rich.console", "hopyard.cli.ask", "langgraph.graph", "sqlite3", "aiosqlite"],
)
def test_an_interrupted_import_is_one_sentence(module: str) -> None:
    program = PRESSED.replace("MODULE", module)
    command = [sys.executable, "-c", program, "ask", "Who?", "--strategy", "direct"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("Interrupted")


def test_a_build_that_is_interrupted_before_it_begins_says_how_to_continue(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Alpha is a letter.")
    program = PRESSED.replace("MODULE", "hopyard.indexes.building.build")
    command = [sys.executable, "-c", program, "index", "build", "note.txt", "--out", "index"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{CONTINUE}\n")


def test_what_ends_at_once_waits_for_nothing() -> None:
    program = (
        "import signal, threading, time\n"
        "from hopyard.cli.interrupts import ending_with\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with ending_with('Stopped.', exit_code=0):\n"
        "    threading.Thread(target=time.sleep, args=(120,)).start()\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    time.sleep(120)\n"
    )
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"Stopped.\n")
    assert time.monotonic() - started < 60


def test_a_thread_that_computes_is_not_waited_for() -> None:
    ended = threading.Event()

    async def work() -> None:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        await asyncio.to_thread(ended.wait, 120)

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_async(work())
    assert time.monotonic() - started < 60
    ended.set()


def test_without_an_interrupt_threads_are_waited_for() -> None:
    done = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.run_in_executor(None, lambda: (time.sleep(0.2), done.append(True)))

    run_async(work())
    assert done == [True]
