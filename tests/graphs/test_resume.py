"""`hopyard ask`, killed in the middle, and `hopyard resume`: no finished call is paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.agent.session import open_session
from hopyard.cli.app import run as main
from hopyard.state.settings.fields import Context

from .conftest import EMBEDDING, changed
from .script import Script, full_tree

QUESTION = "All?"
CALLS = 16
"""A full tree of depth 2, without a route: 3·3 for its inner questions, 6 readings, 1 answer."""
COMMAND = (sys.executable, "-c", "from hopyard.cli.main import main; main()")
LONGEST_WAIT = 90.0


@dataclass(frozen=True)
class KillPoint:
    """Where the process is killed.

    Attributes:
        strategy: What is asked for.
        pending: The requests that the server holds back until the process is dead.
        finished: Calls that the ledger holds by then.
    """

    strategy: str
    pending: tuple[tuple[str, str], ...]
    finished: int

    @property
    def calls(self) -> int:
        """Calls of a run that nothing disturbs."""
        return CALLS + (self.strategy == "auto")


KILL_POINTS = {
    "route": KillPoint("auto", (("route", QUESTION),), 0),
    "level": KillPoint("tree", (("read", "All left right?"), ("read", "All right left?")), 11),
}


@pytest.fixture
def held(script: Script) -> Iterator[threading.Event]:
    """Let go, and the server answers what it holds back."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize("point", KILL_POINTS)
def test_a_killed_run_goes_on_and_pays_nothing_twice(
    point: str,
    context: Context,
    script: Script,
    model_server: ModelServer,
    held: threading.Event,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kill = KILL_POINTS[point]
    script.lines = full_tree(QUESTION, 2) | {("route", QUESTION): {"strategy": "tree"}}
    undisturbed = _undisturbed(context, kill, tmp_path / "elsewhere", monkeypatch)
    assert len(script.asked) == undisturbed["usage"]["model_calls"] == kill.calls
    assert set(Counter(script.asked).values()) == {1}
    monkeypatch.setenv("HOPYARD_HOME", str(home))
    script.asked.clear()

    _ask_and_kill(kill, context, script, model_server, held)
    assert _finished_calls(home) == kill.finished
    assert len(script.asked) == kill.finished + len(kill.pending)
    _wait_until(lambda: all(call.finished for call in model_server.calls))

    for name, value in model_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["hopyard", "resume", "killed", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    resumed = json.loads(capsys.readouterr().out)
    # The resumed run has the same model under another name.
    for step in (*undisturbed["steps"], *resumed["steps"]):
        step.pop("judge", None)
    for key in set(undisturbed) - {"thread_id", "usage", "model"}:
        assert resumed[key] == undisturbed[key], key
    assert resumed["usage"]["model_calls"] == kill.calls
    assert resumed["thread_id"] == "killed"
    # What was asked twice was under way when the process died, and nothing else.
    twice = [request for request, times in Counter(script.asked).items() if times > 1]
    assert sorted(twice) == sorted(kill.pending)
    assert len(script.asked) == kill.calls + len(kill.pending)


def _undisturbed(
    context: Context, kill: KillPoint, home: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """The JSON keys of the same question asked in another data folder."""
    monkeypatch.setenv("HOPYARD_HOME", str(home))

    async def ask() -> dict[str, Any]:
        async with open_session() as session:
            settings = changed(context, strategy=kill.strategy, tree__max_depth=2)
            async for _ in session.ask(QUESTION, settings, "undisturbed"):
                pass
            return await session.result("undisturbed")

    result = asyncio.run(ask())
    kept_back = {
        "messages",
        "run",
        "settings",
        "finished",
        "running",
        "waiting",
        "tried",
        "stronger",
        "before",
        "last",
    }
    return {key: value for key, value in result.items() if key not in kept_back}


def _ask_and_kill(
    kill: KillPoint,
    context: Context,
    script: Script,
    server: ModelServer,
    held: threading.Event,
) -> None:
    """Kill `hopyard ask` when the ledger holds the finished calls, the pending ones under way."""

    def hold_back(kind: str, question: str) -> None:
        if (kind, question) in kill.pending:
            held.wait(LONGEST_WAIT)

    script.before = hold_back
    arguments = ["ask", QUESTION, "--strategy", kill.strategy, "--thread", "killed"]
    arguments += ["--index", context.index, "--model", "openai:scripted", "--embedding", EMBEDDING]
    arguments += ["-k", "2", "--set", "tree.max_depth=2", "--json"]
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        env=os.environ | server.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        home = Path(os.environ["HOPYARD_HOME"])
        _wait_until(
            lambda: (
                set(kill.pending) <= set(script.asked) and _finished_calls(home) >= kill.finished
            ),
            process,
        )
    finally:
        process.kill()
    printed, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert printed == ""
    held.set()


def _finished_calls(home: Path) -> int:
    """How many calls the ledger holds."""
    ledger = home / "ledger.sqlite"
    if not ledger.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as db:
            return int(db.execute("SELECT COUNT(*) FROM calls").fetchone()[0])
    except sqlite3.OperationalError:  # it is being made
        return 0


def _wait_until(reached: Any, process: subprocess.Popen[str] | None = None) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not reached():
        if process is not None and process.poll() is not None:
            raise AssertionError(f"ended with {process.returncode}: {process.communicate()}")
        assert time.monotonic() < end, "the kill point was not reached"
        time.sleep(0.01)
