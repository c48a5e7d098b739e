"""A worker: takes items of a build from the queue, does them, and stores their results."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import messages_from_dict

from hopyard.models.calls.request import Request, Schemas, send
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.embedder import Embedder
from hopyard.models.servers.failures import server_said
from hopyard.models.work.items import CALL, EMBED, packed, unpacked
from hopyard.state.errors import CallFailedError, UsageError
from hopyard.state.storage import work_items
from hopyard.state.storage.work_items import Item

if TYPE_CHECKING:
    from hopyard.state.storage.postgres.work import WorkQueue

_PAUSE: Final = 0.2
"""Seconds between two looks for new items."""
_RENEWALS: Final = 3
"""Of a lease while an item is under way."""


class Worker:
    """Works until it is stopped. An error of a model ends it, and gives its items back.

    Args:
        queue: The work of an index.
        provider: Opens a chat model by its name. It may block.
        embedder: Opens an embedding model by its name. It may block.
        place: Called with the identity of a chat model; held while a request is under way.
        concurrency: Model calls at once; None is the number of the model's provider.
        timeout: Seconds that one try may take; None is what the builder says.
        done: Called with the kind of each item that is finished.
    """

    def __init__(
        self,
        queue: WorkQueue,
        provider: Callable[[str], ChatProvider],
        embedder: Callable[[str], Embedder],
        place: Callable[[str], AbstractAsyncContextManager[None]],
        *,
        concurrency: int | None = None,
        timeout: float | None = None,
        done: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._queue, self._provider, self._embedder, self._place = queue, provider, embedder, place
        self._given = concurrency
        self._room = {CALL: concurrency or 1, EMBED: 1}
        self._done, self._timeout = done, timeout

    async def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, and finish what is under way then.

        Raises:
            UsageError: A model of the build cannot be opened, or is another one here.
            ModelUnreachableError: A model does not answer.
            HopyardError: The database cannot be used.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for kind in (CALL, EMBED):
                    group.create_task(self._drain(kind, stop))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _drain(self, kind: str, stop: threading.Event) -> None:
        running: dict[asyncio.Task[None], bytes] = {}
        renewed = monotonic()
        try:
            # The provider of a batch needs no process here.
            while not stop.is_set() or (running and self._timeout is None):
                room = 0 if stop.is_set() else self._room[kind] - len(running)
                if room > 0:
                    for item in await asyncio.to_thread(self._queue.take, kind, room):
                        running[asyncio.create_task(self._do(item))] = item.key
                if not running:
                    await asyncio.sleep(_PAUSE)
                    continue
                ended, _ = await asyncio.wait(
                    running, timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED
                )
                for task in ended:
                    del running[task]
                    task.result()
                if monotonic() - renewed > work_items.LEASE / _RENEWALS:
                    await asyncio.to_thread(self._queue.renew, list(running.values()))
                    renewed = monotonic()
        finally:
            for task in running:
                task.cancel()
            if running:
                await asyncio.to_thread(self._queue.renew, list(running.values()), 0)

    async def _do(self, item: Item) -> None:
        values = unpacked(item.data)
        work = self._call if item.kind == CALL else self._embed
        try:
            done = item._replace(data=await work(values))
        except CallFailedError as error:
            cause = server_said(error.__cause__).message if error.__cause__ else ""
            told = {"message": str(error), "reason": error.reason, "cause": cause}
            done = item._replace(data=packed(told), failed=True)
        await asyncio.to_thread(self._queue.finish, done)
        self._done(item.kind)

    async def _call(self, asked: dict[str, Any]) -> bytes:
        provider = await asyncio.to_thread(self._provider, asked["model"])
        if provider.identity != asked["identity"]:
            raise UsageError(
                f"The model {asked['model']!r} is {provider.identity!r} here and "
                f"{asked['identity']!r} for the builder: set the same address of its server, as in "
                "OPENAI_BASE_URL, and install the same Hopyard."
            )
        self._room[CALL] = self._given or provider.concurrency
        if provider.prepare:
            await asyncio.to_thread(provider.prepare)
        request = Request(
            provider,
            Schemas(**asked["schemas"]),
            messages_from_dict(asked["messages"]),
            Sampling(**asked["sampling"]),
            self._timeout or asked["timeout"],
        )
        async with self._place(provider.identity):
            began = monotonic()
            reply = await send(request)
        return packed(asdict(replace(reply, seconds=monotonic() - began)))

    async def _embed(self, asked: dict[str, Any]) -> bytes:
        model = await asyncio.to_thread(self._embedder, asked["model"])
        vectors = await asyncio.to_thread(model.embed_documents, asked["texts"])
        return vectors.astype("<f4").tobytes()
