"""`hopyard trace`: the reasoning of a thread's last question, in the terminal or as a page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hopyard.cli.console import err, out, print_json, say
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import JsonOption, thread_name
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.tracing.model import Trace

PAUSE: Final = 1.0
"""Seconds between two reads of a running thread."""


def trace_command(
    thread: Annotated[
        str, typer.Argument(help="The thread; it may still be running.", callback=thread_name)
    ],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page to this file.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Update until the thread has finished.")
    ] = False,
    question: Annotated[
        int,
        typer.Option(
            "--question",
            "-q",
            min=0,
            help="Number of the question in the thread, from 1; 0 is the last.",
        ),
    ] = 0,
    json_: JsonOption = False,
) -> None:
    """Show the steps that led to an answer: sub-questions, searches, scores, pruned branches."""
    if json_ and (html is not None or follow):
        raise UsageError("--json prints one trace; leave out --html and --follow.")
    if follow and question:
        raise UsageError("--follow watches the last question; leave out --question.")
    if json_:
        from hopyard.tracing.plain import as_plain

        print_json(as_plain(run_async(_read(thread, question))))
    elif html is None:
        run_async(_draw(thread, question, follow=follow))
    else:
        run_async(_write(thread, html, question, follow=follow))
        say(f"{html} written")


async def _read(thread: str, question: int) -> Trace:
    async with aclosing(_traces(thread, question, follow=False)) as traces:
        return await anext(traces)


async def _draw(thread: str, question: int = 0, *, follow: bool) -> None:
    from rich.live import Live

    from hopyard.tracing.terminal import draw_trace

    async with aclosing(_traces(thread, question, follow=follow)) as traces:
        if not follow:
            async for trace in traces:
                out.print(draw_trace(trace))
            return
        with Live(console=out, refresh_per_second=4, vertical_overflow="visible") as live:
            async for trace in traces:
                live.update(draw_trace(trace))


async def _write(thread: str, html: Path, question: int = 0, *, follow: bool) -> None:
    """Write the page; while the thread runs it is written again and loads itself again."""
    from hopyard.state.storage.atomic import write_file
    from hopyard.web.saved import saved_trace

    # A browser that loads the page meanwhile gets all of it. Else it may be a device or a pipe.
    write = partial(write_file, html) if follow else html.write_bytes
    told = ""
    async with aclosing(_traces(thread, question, follow=follow)) as traces:
        async for trace in traces:
            again = follow and not trace.finished
            text = saved_trace(trace, reload_seconds=PAUSE if again else 0)
            await asyncio.to_thread(write, text.encode())
            steps = counted(len(list(trace.walk())), "step")
            if again and steps != told:
                err.print(f"{html} · {steps}", markup=False, style="dim")
            told = steps


async def _traces(thread: str, question: int = 0, *, follow: bool) -> AsyncGenerator[Trace, None]:
    """The trace; with `follow` again and again until the thread has finished."""
    from hopyard.agent.session import open_session
    from hopyard.tracing.read import read_trace

    async with open_session() as session:
        while True:
            trace = await read_trace(session, thread, question)
            yield trace
            if trace.finished or not follow:
                return
            await asyncio.sleep(PAUSE)
