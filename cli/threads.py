"""`hopyard threads list|show|fork|delete`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import out, print_either, print_json, printable, say
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import JsonOption, SourcesOption, thread_name
from hopyard.state.storage.thread_names import resume_command

if TYPE_CHECKING:
    from hopyard.agent.session import Session
    from hopyard.agent.threads.summary import ThreadSummary

app = typer.Typer(no_args_is_help=True, help="List, show, copy and delete conversations.")

ThreadArgument = Annotated[str, typer.Argument(help="The thread's name.", callback=thread_name)]

T = TypeVar("T")


@app.command("list")
def list_command(json_: JsonOption = False) -> None:
    """List all threads, most recently used first."""
    found = run_async(_list())
    if json_:
        print_json({"threads": [asdict(thread) for thread in found]})
        return
    if not found:
        out.print('There is no thread yet; `hopyard ask "…" --index DIR` starts one.', markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("thread", "state", "strategy", "question", "answer", "updated", "size"):
        table.add_column(heading, style="dim" if heading in {"updated", "size"} else "")
    for thread in found:
        table.add_row(
            escape(printable(thread.thread_id)),
            _state(thread),
            thread.strategy,
            escape(printable(thread.question)),
            escape(printable(thread.answer)),
            thread.updated[:19].replace("T", " "),
            f"{thread.size / 1000:.0f} kB",
        )
    out.print(table)


async def _list() -> list[ThreadSummary]:
    from hopyard.agent.threads.summary import list_threads
    from hopyard.state.storage.checkpoints import open_saver

    async with open_saver() as saver:
        return await list_threads(saver)


def _state(thread: ThreadSummary) -> str:
    if thread.running:
        return "[cyan]running[/]"
    if thread.waiting:
        return "[yellow]waiting for you[/]"
    return "finished" if thread.finished else "[yellow]resumable[/]"


@app.command("show")
def show_command(
    thread: ThreadArgument, sources: SourcesOption = False, json_: JsonOption = False
) -> None:
    """Show a thread's last question, its steps and its answer."""
    from hopyard.cli.approve import tell_waiting
    from hopyard.cli.render import as_json, draw_result

    result = _with_session(lambda session: session.result(thread))
    if json_:
        running = asdict(result["running"]) if result["running"] else None
        print_json(as_json(result) | {"finished": result["finished"], "running": running})
    elif result["finished"]:
        out.print(draw_result(result, sources=sources))
    elif result["waiting"] and not result["running"]:
        out.print(printable(result.get("question", "")), markup=False)
        tell_waiting(result["waiting"], thread)
    else:
        out.print(printable(result.get("question", "")), markup=False)
        running = result["running"]
        go_on = f"Not finished. Continue with: {resume_command(thread)}"
        say(f"Running {running}." if running else go_on)


@app.command("fork")
def fork_command(
    thread: ThreadArgument,
    name: Annotated[
        str | None, typer.Argument(help="The copy's name.", callback=thread_name)
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Copy a thread with its history."""
    copy = _with_session(lambda session: session.fork(thread, name))
    forked = {"thread_id": copy, "forked_from": thread}
    print_either(forked, f"{thread} copied to {copy}", as_json=json_)


@app.command("delete")
def delete_command(thread: ThreadArgument, json_: JsonOption = False) -> None:
    """Delete a thread and its history."""
    _with_session(lambda session: session.delete(thread))
    print_either({"deleted": thread}, f"{thread} deleted", as_json=json_)


@app.command("prune")
def prune_command(
    days: Annotated[float, typer.Option(min=0, help="Days since a thread's last step.")],
    json_: JsonOption = False,
) -> None:
    """Delete threads that were not used for some days, as the setting `retention_days` does."""
    gone = _with_session(lambda session: session.prune(days))
    told = "\n  ".join([f"{len(gone)} deleted", *gone])
    print_either({"deleted": gone}, told, as_json=json_)


def _with_session(work: Callable[[Session], Awaitable[T]]) -> T:
    from hopyard.agent.session import open_session

    async def run() -> T:
        async with open_session() as session:
            return await work(session)

    return run_async(run())
