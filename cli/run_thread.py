"""A question on a thread, run in the terminal: followed, asked about, and printed."""

from __future__ import annotations

import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from hopyard.agent.session import Event, Session, new_thread_id, open_session
from hopyard.agent.texts import with_texts
from hopyard.cli.approve import answer_from, ask_about, can_ask, tell_waiting
from hopyard.cli.console import err, out, print_json, printable
from hopyard.cli.interrupts import run_async
from hopyard.cli.live import follow
from hopyard.cli.options import changes_from
from hopyard.cli.render import as_json, draw_result
from hopyard.cli.thread_settings import tell_changes, told_settings
from hopyard.nodes.lifecycle import check_question
from hopyard.nodes.resources import shared_resources
from hopyard.state.errors import EXIT_WAITING, HopyardError, StoppedByUserError, ThreadMissingError
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import change_context, read_context
from hopyard.state.storage.thread_names import resume_command, shell_name
from hopyard.tracing.model import nest_steps
from hopyard.tracing.terminal import draw_steps

Begin = Callable[[Session], Awaitable[AsyncGenerator[Event, None]]]


@dataclass(frozen=True)
class Shown:
    """The parts of a run that are printed.

    Attributes:
        as_json: One JSON object instead of text.
        stream: The answer while the model writes it, and each step when it ends.
        sources: All sources of the answer, not only the first five.
        texts: The texts of the passages that the model read.
    """

    as_json: bool = False
    stream: bool = False
    sources: bool = False
    texts: bool = False

    @property
    def tokens(self) -> bool:
        """Whether the answer is printed while the model writes it."""
        return self.stream and not self.as_json


def ask(
    question: str, given: Given, thread_id: str | None, shown: Shown, record: Path | None = None
) -> None:
    """Answer a question.

    Args:
        given: The run's settings. An existing thread keeps its own, except those set by flags.
        thread_id: The thread; None starts a new thread.
        record: The folder in which every model call is recorded.
    """
    asked, thread = check_question(question), thread_id or new_thread_id()

    async def begin(session: Session) -> AsyncGenerator[Event, None]:
        settings = await told_settings(session, thread, given)
        if not settings.context.index and settings.context.strategy != "direct":
            err.print(
                "No index is named: what needs documents is not answered; --index DIR names one.",
                style="yellow",
            )
        caller = given.context.groups
        return session.ask(asked, settings.context, thread, tokens=shown.tokens, caller=caller)

    with shared_resources().recording(record) if record else nullcontext():
        _run(begin, thread, shown)


def resume(thread_id: str, answer: str | None, sets: list[str] | None, shown: Shown) -> None:
    """Continue a thread where it stopped.

    Args:
        answer: The decision that it waits for, as it is written on the command line.
        sets: Settings that change on the thread, as `NAME=VALUE`.
    """
    changes = changes_from(sets)
    given = None if answer is None else answer_from(answer)

    async def begin(session: Session) -> AsyncGenerator[Event, None]:
        caller = read_context(changes).groups
        await session.check_groups(thread_id, caller)
        changed = change_context(await session.context(thread_id), changes)
        tell_changes(await session.changes(thread_id, changed))
        return session.resume(thread_id, given, tokens=shown.tokens, changes=changes, caller=caller)

    _run(begin, thread_id, shown, sets or ())


def _run(begin: Begin, thread_id: str, shown: Shown, sets: Sequence[str] = ()) -> None:
    try:
        result = run_async(_follow(begin, thread_id, shown))
        while result["waiting"] and can_ask() and not shown.as_json:
            # Outside of the event loop, where Ctrl-C ends the asking at once.
            answers = _answering(thread_id, ask_about(result["waiting"]), shown)
            result = run_async(_follow(answers, thread_id, shown))
    except KeyboardInterrupt as error:
        raise StoppedByUserError(run_async(_how_to_go_on(thread_id, sets))) from error
    except HopyardError as error:
        _tell_found(error, thread_id, as_json_object=shown.as_json)
        raise
    if shown.texts:
        result = with_texts(result)
    waiting = result["waiting"]
    if shown.as_json:
        print_json(as_json(result) | ({"waiting": waiting} if waiting else {}))
    elif not waiting:
        out.print(draw_result(result, answered=shown.stream, sources=shown.sources))
    if waiting:
        tell_waiting(waiting, thread_id)
        raise typer.Exit(EXIT_WAITING)


def _answering(thread_id: str, answers: dict[str, Any], shown: Shown) -> Begin:
    async def begin(session: Session) -> AsyncGenerator[Event, None]:
        return session.resume(thread_id, answers, tokens=shown.tokens)

    return begin


def _tell_found(error: HopyardError, thread_id: str, *, as_json_object: bool) -> None:
    """Print what a run had found before an error ended it."""
    if as_json_object and error.reason:
        failed = {"reason": error.reason, "message": str(error)}
        print_json(
            {"thread_id": thread_id, "finished": False, "error": failed, "steps": error.steps}
        )
    elif error.steps and not as_json_object:
        err.print("Found before the run failed:", style="yellow")
        err.print(draw_steps(nest_steps([printable(step) for step in error.steps]), {}))


async def _how_to_go_on(thread_id: str, sets: Sequence[str]) -> str:
    """Return one sentence about how to continue after an interruption."""
    async with open_session() as session:
        try:
            finished = (await session.result(thread_id))["finished"]
        except ThreadMissingError:
            return "Interrupted before the question started; run the same command again."
    if finished:
        name = shell_name(thread_id)
        return f"Interrupted after the last step. To see the answer: hopyard threads show {name}"
    flags = " ".join(f"--set {shlex.quote(pair)}" for pair in sets)
    return f"Interrupted. Continue with: {resume_command(thread_id, flags)}"


async def _follow(begin: Begin, thread_id: str, shown: Shown) -> dict[str, Any]:
    """Run to the end, telling on standard error which step has ended."""
    async with open_session() as session:
        await follow(await begin(session), steps=shown.stream, tokens=shown.tokens)
        return await session.result(thread_id)
