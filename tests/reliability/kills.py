"""The harness of the kills: start, kill at a random moment, go on, compare with an undisturbed run.

A call counts as finished when the ledger holds it. What was under way at a kill is asked again,
and nothing else is: a process that nobody kills adds one row to the ledger for each request that
it sends, and a killed one lacks at most the rows of what it had under way.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import Command, Ended, Zygote
from model_server import ModelServer

MOST_KILLS = 3
"""Of one run; then it may end."""
LONGEST_WAIT = 60.0


@dataclass(frozen=True)
class Subject:
    """A command whose kills are survived.

    Attributes:
        name: For messages.
        arguments: Of the command; `{name}` stands for the name of this run.
        result: What must be the same, read off the ended command; given the run's folder.
        at_once: Model calls under way at once, at most.
        resumed: The arguments that go on after a kill; None repeats the command.
        readable: Called after each kill with the run's folder: raises what is broken.
    """

    name: str
    arguments: Sequence[str]
    result: Callable[[Ended, Path], Any]
    at_once: int
    resumed: Sequence[str] | None = None
    readable: Callable[[Path], None] = lambda folder: None


@dataclass(frozen=True)
class Undisturbed:
    """How a run ends that nobody kills."""

    calls: int
    result: Any


@dataclass
class _Run:
    """One run of a subject in a folder of its own."""

    subject: Subject
    zygote: Zygote
    server: ModelServer
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()

    def start(self, arguments: Sequence[str]) -> Command:
        environment = self.server.environment() | {"HOPYARD_HOME": str(self.folder / "home")}
        filled = [each.replace("{folder}", str(self.folder)) for each in arguments]
        return self.zygote.start(*filled, environment=environment)

    def go_on(self) -> Command:
        """Resume what a kill has ended; begin anew where the kill came before the first step."""
        subject = self.subject
        if subject.resumed is not None and self._has_begun():
            return self.start(subject.resumed)
        return self.start(subject.arguments)

    def finished(self) -> int:
        """Calls that the ledger holds."""
        return self._count("ledger.sqlite", "SELECT COUNT(*) FROM calls")

    def _has_begun(self) -> bool:
        return self._count("threads.sqlite", "SELECT COUNT(*) FROM checkpoints") > 0

    def _count(self, file: str, sql: str) -> int:
        path = self.folder / "home" / file
        if not path.exists():
            return 0
        with closing(sqlite3.connect(path, timeout=30)) as db:
            [verdict] = db.execute("PRAGMA quick_check").fetchone()
            assert verdict == "ok", f"{file}: {verdict}"
            try:
                return int(db.execute(sql).fetchone()[0])
            except sqlite3.OperationalError as error:  # killed while its tables were made
                assert "no such table" in str(error), error
                return 0


def undisturbed(subject: Subject, zygote: Zygote, server: ModelServer, folder: Path) -> Undisturbed:
    """Run a subject that nobody kills."""
    calls = len(server.calls)
    run = _Run(subject, zygote, server, folder / f"{subject.name}-undisturbed")
    result = _ended_well(subject, run.start(subject.arguments).end(), run)
    calls = len(server.calls) - calls
    assert calls == run.finished(), "the undisturbed run asked something twice"
    return Undisturbed(calls, result)


def kill_and_go_on(
    subject: Subject,
    wanted: Undisturbed,
    zygote: Zygote,
    server: ModelServer,
    folder: Path,
    seed: int,
) -> int:
    """Run a subject with kills, and compare.

    Args:
        subject: What is run.
        wanted: How it ends undisturbed.
        zygote: Starts the processes.
        server: Counts the model's calls.
        folder: Where runs have folders of their own.
        seed: Of the moments of the kills.

    Returns:
        How many times it was killed.
    """
    moments, calls = random.Random(seed), wanted.calls
    run = _Run(subject, zygote, server, folder / f"{subject.name}-{seed}-killed")
    kills = 0
    for _ in range(moments.randint(1, MOST_KILLS)):
        asked, finished = len(server.calls), run.finished()
        command = run.go_on()
        _wait_for_the_moment(moments, command, server, asked, calls - finished)
        ended = command.kill()
        _wait(lambda: all(call.finished for call in server.calls))
        unfinished = len(server.calls) - asked - (run.finished() - finished)
        assert 0 <= unfinished <= subject.at_once, f"{subject.name}, seed {seed}: {unfinished}"
        subject.readable(run.folder)
        if ended.code >= 0:
            break  # it was quicker than its kill
        kills += 1
    asked, finished = len(server.calls), run.finished()
    result = _ended_well(subject, run.go_on().end(), run)
    assert len(server.calls) - asked == run.finished() - finished, "a finished call was repeated"
    assert run.finished() == calls
    assert result == wanted.result, f"{subject.name}, seed {seed}"
    return kills


def _ended_well(subject: Subject, ended: Ended, run: _Run) -> Any:
    assert ended.code == 0, f"{subject.name}: {ended}"
    return subject.result(ended, run.folder)


def _wait_for_the_moment(
    moments: random.Random, command: Command, server: ModelServer, asked: int, left: int
) -> None:
    """Until some call has come in, and a little longer; or a little after the start."""
    calls = moments.randint(0, max(left - 1, 0))
    _wait(lambda: len(server.calls) - asked >= calls or _is_over(command.pid))
    time.sleep(moments.uniform(0, 0.05 if calls else 0.6))


def _is_over(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()  # no /proc here: the wait has a limit


def _wait(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not reached():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.005)
