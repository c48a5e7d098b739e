"""A process that works for builds of an index in a database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hopyard.models.work.batches import PATIENCE, Batches
from hopyard.models.work.worker import Worker
from hopyard.nodes.resources import Resources
from hopyard.state.errors import UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import IndexAddress, index_address, is_address
from hopyard.state.storage.postgres.work import WorkQueue


def shared_index(name: str, needed_for: str) -> IndexAddress:
    """The address of an index in a database.

    Raises:
        UsageError: The index is a folder.
    """
    if not is_address(name):
        raise UsageError(
            f"{needed_for} needs an index in Postgres, as in postgresql://USER@HOST/DATABASE"
            "?index=NAME."
        )
    require(needed_for, "postgres")
    return index_address(name)


@contextmanager
def open_work(address: IndexAddress) -> Iterator[WorkQueue]:
    """The work of an index."""
    queue = WorkQueue(address)
    try:
        yield queue
    finally:
        queue.close()


def run_worker(
    queue: WorkQueue,
    resources: Resources,
    context: Context,
    stop: threading.Event,
    *,
    batches: Batches | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> None:
    """Work for an index until `stop` is set; see `models.work.worker.Worker`."""
    concurrency = None if batches else context.concurrency
    worker = Worker(
        queue,
        batches.provider if batches else lambda spec: resources.caller(spec).provider,
        resources.embedder,
        lambda identity: resources.ledger.place(identity, concurrency),
        concurrency=concurrency,
        timeout=PATIENCE if batches else None,
        done=done,
    )
    asyncio.run(worker.run(stop))
