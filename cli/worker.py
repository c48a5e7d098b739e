"""`hopyard worker`."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing

from hopyard.cli.console import tell
from hopyard.cli.interrupts import ending_with
from hopyard.cli.options import IndexOption, SetOption, context_from


@ending_with("The worker was stopped. Other processes take its items.")
def worker_command(index: IndexOption = None, set_: SetOption = None) -> None:
    """Work for builds of an index in Postgres, on this machine."""
    context = context_from({"index": index}, set_)
    from hopyard.agent.workers.worker import Worker, shared_index
    from hopyard.nodes.resources import Resources

    address = shared_index(context.index, "`hopyard worker`")
    from hopyard.state.storage.postgres.work import WorkQueue

    with Resources() as resources, closing(WorkQueue(address)) as queue:
        tell(f"Working for {address.shown} (Ctrl-C stops the worker).")
        asyncio.run(Worker(queue, resources, context).run(threading.Event()))
