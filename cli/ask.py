"""`hopyard ask` and `hopyard resume`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Annotated, Any

import typer

from hopyard.agent.session import Event, Session, new_thread_id, open_session
from hopyard.cli.approve import answer_from, ask_about, can_ask, tell_waiting
from hopyard.cli.console import err, out, print_json
from hopyard.cli.live import follow
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    ModelOption,
    SetOption,
    StrategyOption,
    changes_from,
    context_from,
)
from hopyard.cli.render import as_json, rendered
from hopyard.nodes.begin import checked_question
from hopyard.state.errors import EXIT_WAITING

__all__ = ("ask_command", "resume_command")

StreamOption = Annotated[
    bool,
    typer.Option("--stream", help="Print the answer as it is written, and every step as it ends."),
]


def ask_command(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    index: IndexOption = None,
    strategy: StrategyOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    gate: Annotated[str | None, typer.Option(help="off, model, or a gate's folder.")] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", "-t", help="A new thread's name, or an old thread.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Passages a question.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Model calls at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds at most.")] = None,
    approve: Annotated[
        str | None,
        typer.Option(help="Ask before money is spent on it: route, decomposition, hops."),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    json_: JsonOption = False,
) -> None:
    """Answer a question, with the least retrieval that will do."""
    context = context_from(
        {
            "index": index,
            "strategy": strategy,
            "model": model,
            "embedding": embedding,
            "gate": gate,
            "approve": approve,
            "retrieval.k": k,
            "budget.calls": max_calls,
            "budget.tokens": max_tokens,
            "budget.seconds": max_seconds,
        },
        set_,
    )
    asked, thread_id = checked_question(question), thread or new_thread_id()
    _run(
        lambda session: session.ask(asked, context, thread_id, tokens=stream and not json_),
        thread_id,
        stream=stream,
        as_json_object=json_,
    )


def resume_command(
    thread: Annotated[str, typer.Argument(help="The thread that was interrupted or killed.")],
    answer: Annotated[
        str | None,
        typer.Option(help="To what the thread waits for: accept, or an edit as JSON."),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    json_: JsonOption = False,
) -> None:
    """Go on with a thread at its last finished step; a finished one is shown again."""
    given = None if answer is None else answer_from(answer)
    changes = changes_from(set_)
    _run(
        lambda session: session.resume(thread, given, tokens=stream and not json_, changes=changes),
        thread,
        stream=stream,
        as_json_object=json_,
    )


def _run(
    begin: Callable[[Session], AsyncGenerator[Event, None]],
    thread_id: str,
    *,
    stream: bool,
    as_json_object: bool,
) -> None:
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
    waiting = result["waiting"]
    if as_json_object:
        print_json(as_json(result) | ({"waiting": waiting} if waiting else {}))
    elif not waiting:
        out.print(rendered(result, answered=stream))
    if waiting:
        tell_waiting(waiting, thread_id)
        raise typer.Exit(EXIT_WAITING)


async def _follow(
    begin: Callable[[Session], AsyncGenerator[Event, None]], thread_id: str, *, stream: bool
) -> dict[str, Any]:
    """Run to the end, telling on standard error which step has ended."""
    async with open_session() as session:
        await follow(begin(session), steps=stream, tokens=stream)
        return await session.result(thread_id)
