"""`hopyard worker`."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Annotated

import typer

from hopyard.cli.console import err
from hopyard.cli.interrupts import ending_with
from hopyard.cli.options import IndexOption, SetOption, context_from
from hopyard.state.text.counting import counted


@ending_with("The worker was stopped. Other processes take its items.")
def worker_command(
    index: IndexOption = None,
    idle: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End after this time without work.")
    ] = None,
    set_: SetOption = None,
) -> None:
    """Work for builds of an index in Postgres, on this machine."""
    context = context_from({"index": index}, set_)
    from hopyard.agent.worker import open_work, run_worker, shared_index
    from hopyard.nodes.resources import Resources

    address = shared_index(context.index, "`hopyard worker`")
    stop, worked = threading.Event(), threading.Event()
    finished: Counter[str] = Counter()

    def done(kind: str) -> None:
        finished[kind] += 1
        worked.set()

    def watch() -> None:
        while worked.wait(idle):
            worked.clear()
        stop.set()

    err.print(f"Working for {address.shown} (Ctrl-C stops the worker).", soft_wrap=True)
    threading.Thread(target=watch, daemon=True).start()
    with Resources() as resources, open_work(address) as queue:
        run_worker(queue, resources, context, stop, done=done)
    calls, parts = counted(finished["call"], "model call"), counted(finished["embed"], "part")
    err.print(f"Finished {calls}, and {parts} of 64 texts to embed.")
