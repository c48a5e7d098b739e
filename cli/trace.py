"""`hopyard trace`: the reasoning of a thread's last question, in the terminal or as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopyard.cli.console import out, print_json, say
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import JsonOption, thread_name
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.tracing.model import Trace


def trace_command(
    thread: Annotated[
        str, typer.Argument(help="The thread; it may still be running.", callback=thread_name)
    ],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page to this file.")
    ] = None,
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
    if json_ and html is not None:
        raise UsageError("--json prints the trace; leave out --html.")
    trace = run_async(_read(thread, question))
    if json_:
        from hopyard.tracing.plain import as_plain

        print_json(as_plain(trace))
    elif html is None:
        from hopyard.tracing.terminal import draw_trace

        out.print(draw_trace(trace))
    else:
        from hopyard.web.saved import saved_trace

        html.write_bytes(saved_trace(trace).encode())  # it may be a device or a pipe
        say(f"{html} written")


async def _read(thread: str, question: int) -> Trace:
    from hopyard.agent.session import open_session
    from hopyard.tracing.read import read_trace

    async with open_session() as session:
        return await read_trace(session, thread, question)
