"""A question on a thread, run in the terminal: followed, asked about, and printed."""

from __future__ import annotations

import shlex
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, nullcontext
from functools import partial
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
from hopyard.state.errors import (
    EXIT_WAITING,
    HopyardError,
    StoppedByUserError,
    ThreadMissingError,
)
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import change_context
from hopyard.state.storage.thread_names import resume_command, shell_name
from hopyard.tracing.model import nest_steps
from hopyard.tracing.terminal import draw_steps

__all__ = ("ask", "resume")

Begin = Callable[[Session], AsyncGenerator[Event, None]]


def ask(
    question: str,
    given: Given,
    thread_id: str | None,
    *,
    stream: bool,
    as_json_object: bool,
    texts: bool = False,
    record: Path | None = None,
) -> None:
    """Answer a question.

    Args:
        question: The user's question.
        given: The run's settings; an old thread keeps its own, but for those of flags.
        thread_id: The thread; None starts a new thread.
        stream: Print the answer while the model writes it, and each step when it ends.
        as_json_object: Print one JSON object instead of text.
        texts: Show the text of the passages that the model read.
        record: The folder in which every model call is recorded.

    Raises:
        HopyardError: Whatever ends the run.
        Exit: The thread waits for an approval.
    """
    asked, thread = check_question(question), thread_id or new_thread_id()
    tokens = stream and not as_json_object

    async def begin(session: Session) -> AsyncGenerator[Event, None]:
        settings = await told_settings(session, thread, given)
        if not settings.context.index and settings.context.strategy != "direct":
            err.print(
                "No index is named: no document is read; --index DIR names one.", style="yellow"
            )
        events = session.ask(asked, settings.context, thread, tokens=tokens)
        async with aclosing(events):
            async for event in events:
                yield event

    with shared_resources().recording(record) if record else nullcontext():
        _run(begin, thread, stream=stream, as_json_object=as_json_object, texts=texts)


def resume(
    thread_id: str,
    answer: str | None,
    sets: list[str] | None,
    *,
    stream: bool,
    as_json_object: bool,
    texts: bool = False,
) -> None:
    """Continue a thread where it stopped.

    Args:
        thread_id: The thread.
        answer: To what it waits for, as it is written on the command line.
        sets: Settings that are other than the thread's from here on, as `NAME=VALUE`.
        stream: Print the answer while the model writes it, and each step when it ends.
        as_json_object: Print one JSON object instead of text.
        texts: Show the text of the passages that the model read.

    Raises:
        HopyardError: Whatever ends the run.
        Exit: The thread waits for an approval.
    """
    changes = changes_from(sets)
    given = None if answer is None else answer_from(answer)
    tokens = stream and not as_json_object

    async def begin(session: Session) -> AsyncGenerator[Event, None]:
        changed = change_context(await session.context(thread_id), changes)
        tell_changes(await session.changes(thread_id, changed))
        events = session.resume(thread_id, given, tokens=tokens, changes=changes)
        async with aclosing(events):
            async for event in events:
                yield event

    _run(
        begin, thread_id, stream=stream, as_json_object=as_json_object, texts=texts, sets=sets or ()
    )


def _run(
    begin: Begin,
    thread_id: str,
    *,
    stream: bool,
    as_json_object: bool,
    texts: bool,
    sets: Sequence[str] = (),
) -> None:
    try:
        result = run_async(_follow(begin, thread_id, stream=stream))
        while result["waiting"] and can_ask() and not as_json_object:
            # Outside of the event loop, where Ctrl-C ends the asking at once.
            answers = ask_about(result["waiting"])
            on = partial(Session.resume, thread_id=thread_id, answer=answers, tokens=stream)
            result = run_async(_follow(on, thread_id, stream=stream))
    except KeyboardInterrupt as error:
        raise StoppedByUserError(run_async(_how_to_go_on(thread_id, sets))) from error
    except HopyardError as error:
        _tell_found(error, thread_id, as_json_object=as_json_object)
        raise
    if texts:
        result = with_texts(result)
    waiting = result["waiting"]
    if as_json_object:
        print_json(as_json(result) | ({"waiting": waiting} if waiting else {}))
    elif not waiting:
        out.print(draw_result(result, answered=stream))
    if waiting:
        tell_waiting(waiting, thread_id)
        raise typer.Exit(EXIT_WAITING)


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


async def _follow(begin: Begin, thread_id: str, *, stream: bool) -> dict[str, Any]:
    """Run to the end, telling on standard error which step has ended."""
    async with open_session() as session:
        await follow(begin(session), steps=stream, tokens=stream)
        return await session.result(thread_id)
