"""Builds whose model calls and embeddings several processes do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from hopyard.agent.workers.ray_workers import RAY, ray_workers
from hopyard.agent.workers.worker import Worker, shared_index
from hopyard.models.calls.call import ModelCaller
from hopyard.models.embedder import Embedder
from hopyard.models.work.batches import Batches
from hopyard.models.work.orders import Orders
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, UsageError, as_known
from hopyard.state.settings.fields import Context
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import BATCHED, CALL


@contextmanager
def shared_build(
    on: str, directory: Path, context: Context, resources: Resources, embedder: Embedder
) -> Iterator[dict[str, Any]]:
    """Models and settings for a build whose calls and embeddings several processes do.

    This process works too, so the build needs no other worker.

    Args:
        on: "workers"; "batch" for calls through OpenAI's batch API; "ray", or "ray://HOST:PORT".
        directory: The index directory, as `indexes.corpus.shared.build_folder` gives it.

    Yields:
        `embedder`, `caller` and `settings` for `indexes.building.build.build`.

    Raises:
        UsageError: `on` is something else, or the index is not in a database.
        HopyardError: The database cannot be used.
    """
    with_ray = on == RAY or on.startswith("ray://")
    if on not in {"workers", "batch"} and not with_ray:
        raise UsageError(f"There is no --on {on}: it is workers, batch, ray or ray://HOST:PORT.")
    address, stop = shared_index(as_known(str(directory)), "--on"), threading.Event()
    with ExitStack() as stack:
        queue = stack.enter_context(closing(WorkQueue(address)))
        orders = stack.enter_context(Orders(queue, BATCHED if on == "batch" else CALL))
        batches = stack.enter_context(Batches(queue, context.model)) if on == "batch" else None
        if with_ray:
            stack.enter_context(ray_workers(on, as_known(str(directory)), context))
        worker = Worker(queue, resources, context, batches)

        def work() -> None:
            try:
                asyncio.run(worker.run(stop))
            except HopyardError as error:
                orders.fail(error)
            except Exception as error:  # else the build would never end
                orders.fail(HopyardError(f"The builder's own worker failed ({error!r})."))

        @cache
        def caller() -> ModelCaller:
            provider = resources.caller(context.model).provider
            return ModelCaller(orders.chat(context, provider), resources.ledger)

        none: dict[str, Any] = {"minute_requests": None, "minute_tokens": None}
        of_workers = {"concurrency": None, "budget": context.budget.model_copy(update=none)}
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield {
                "embedder": orders.embedder(embedder),
                "caller": caller,
                "settings": context.model_copy(update=of_workers),
            }
        finally:
            stop.set()
            thread.join()
