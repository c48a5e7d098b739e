"""A question on a thread, run in the terminal: followed, asked about, and printed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from typing import Any

import typer

from hopyard.agent.session import Event, Session, new_thread_id, open_session
from hopyard.agent.texts import with_texts
from hopyard.cli.approve import answer_from, ask_about, can_ask, tell_waiting
from hopyard.cli.console import err, out, print_json
from hopyard.cli.live import follow
from hopyard.cli.render import as_json, draw_result
from hopyard.nodes.run import check_question
from hopyard.state.errors import EXIT_WAITING
from hopyard.state.settings import Context

__all__ = ("ask", "resume")

Begin = Callable[[Session], AsyncGenerator[Event, None]]


def ask(
    question: str,
    context: Context,
    thread_id: str | None,
    *,
    stream: bool,
    as_json_object: bool,
    texts: bool = False,
) -> None:
    """Answer a question.

    Args:
        question: What the user wants to know.
        context: The run's settings.
        thread_id: The thread; None makes a new one.
        stream: Print the answer as it is written, and every step as it ends.
        as_json_object: Print one JSON object instead of text.
        texts: Show the text of the passages that the answer was read from.

    Raises:
        HopyardError: Whatever ends the run.
        Exit: The thread waits for an approval.
    """
    asked, thread_id = check_question(question), thread_id or new_thread_id()
    tokens = stream and not as_json_object
    begin = partial(
        Session.ask, question=asked, context=context, thread_id=thread_id, tokens=tokens
    )
    _run(begin, thread_id, stream=stream, as_json_object=as_json_object, texts=texts)


def resume(
    thread_id: str,
    answer: str | None,
    changes: Mapping[str, Any],
    *,
    stream: bool,
    as_json_object: bool,
    texts: bool = False,
) -> None:
    """Go on with a thread where it stopped.

    Args:
        thread_id: The thread.
        answer: To what it waits for, as it is written on the command line.
        changes: Settings that are other than the thread's from here on.
        stream: Print the answer as it is written, and every step as it ends.
        as_json_object: Print one JSON object instead of text.
        texts: Show the text of the passages that the answer was read from.

    Raises:
        HopyardError: Whatever ends the run.
        Exit: The thread waits for an approval.
    """
    begin = partial(
        Session.resume,
        thread_id=thread_id,
        answer=None if answer is None else answer_from(answer),
        tokens=stream and not as_json_object,
        changes=changes,
    )
    _run(begin, thread_id, stream=stream, as_json_object=as_json_object, texts=texts)


def _run(begin: Begin, thread_id: str, *, stream: bool, as_json_object: bool, texts: bool) -> None:
    try:
        result = asyncio.run(_follow(begin, thread_id, stream=stream))
        while result["waiting"] and can_ask() and not as_json_object:
            # Outside of the event loop, where Ctrl-C ends the asking at once.
            answers = ask_about(result["waiting"])
            on = partial(Session.resume, thread_id=thread_id, answer=answers, tokens=stream)
            result = asyncio.run(_follow(on, thread_id, stream=stream))
    except KeyboardInterrupt:
        err.print(f"\nInterrupted. Go on with: hopyard resume {thread_id}")
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


async def _follow(begin: Begin, thread_id: str, *, stream: bool) -> dict[str, Any]:
    """Run to the end, telling on standard error which step has ended."""
    async with open_session() as session:
        await follow(begin(session), steps=stream, tokens=stream)
        return await session.result(thread_id)
