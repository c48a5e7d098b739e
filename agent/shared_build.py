"""Builds whose model calls and embeddings several processes do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from hopyard.agent.worker import open_work, run_worker, shared_index
from hopyard.models.calls.call import ModelCaller
from hopyard.models.embedder import Embedder
from hopyard.models.work.batches import Batches
from hopyard.models.work.orders import SMALL_WINDOW, WINDOW, Orders
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, UsageError, as_known
from hopyard.state.settings.fields import Context
from hopyard.state.storage.postgres.work import WorkQueue

WORKERS: Final = "workers"
BATCH: Final = "batch"
RAY: Final = "ray"


@contextmanager
def shared_build(
    on: str, directory: Path, context: Context, resources: Resources, embedder: Embedder
) -> Iterator[dict[str, Any]]:
    """Models and settings for a build whose calls and embeddings several processes do.

    Args:
        on: "workers", "batch", "ray", or the address of a Ray cluster.
        directory: The index directory, as `indexes.corpus.shared.build_folder` gives it.

    Yields:
        `embedder`, `caller` and `settings` for `indexes.building.build.build`.

    Raises:
        UsageError: `on` is something else, or the index is not in a database.
        HopyardError: The database cannot be used.
    """
    address = shared_index(as_known(str(directory)), "--on")
    with ExitStack() as stack:
        queue = stack.enter_context(open_work(address))
        orders = stack.enter_context(Orders(queue))
        batches = stack.enter_context(Batches(queue, context.model)) if on == BATCH else None
        if on.partition(":")[0] == RAY:
            from hopyard.agent.ray_workers import ray_workers

            stack.enter_context(ray_workers(address, on, context))
        elif on not in {WORKERS, BATCH}:
            raise UsageError(f"--on {on!r} is not workers, batch, ray or ray://HOST:PORT.")
        stack.enter_context(_own_worker(orders, queue, resources, context, batches))
        limited = context.budget.tokens or context.budget.seconds
        window = SMALL_WINDOW if limited else WINDOW

        @cache
        def caller() -> ModelCaller:
            provider = resources.caller(context.model).provider
            return ModelCaller(orders.chat(context.model, provider, window), resources.ledger)

        yield {
            "embedder": orders.embedder(embedder),
            "caller": caller,
            "settings": context.model_copy(update={"concurrency": None}),  # the workers' setting
        }


@contextmanager
def _own_worker(
    orders: Orders,
    queue: WorkQueue,
    resources: Resources,
    context: Context,
    batches: Batches | None,
) -> Iterator[None]:
    """This process works too, so a build needs no other worker."""
    stop = threading.Event()

    def work() -> None:
        try:
            run_worker(queue, resources, context, stop, batches=batches)
        except HopyardError as error:
            orders.fail(error)
        except Exception as error:  # else the build would never end
            orders.fail(HopyardError(f"The builder's own worker failed ({error!r})."))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
