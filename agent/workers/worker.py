"""A process that works for builds of an index in a database."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, Final

from langchain_core.messages import messages_from_dict

from hopyard.models.calls.reply import prompt_tokens, spent_on
from hopyard.models.calls.request import Request, Schemas, send
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.servers.failures import server_said
from hopyard.models.work.batches import PATIENCE, Batches
from hopyard.models.work.orders import WINDOW
from hopyard.nodes.resources import Resources
from hopyard.state.errors import CallFailedError, HopyardError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import IndexAddress, index_address, is_address
from hopyard.state.storage import work_items
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import BATCHED, CALL, EMBED, Item, packed, unpacked

_PAUSE: Final = 0.2
"""Seconds between two looks for new items."""
_RENEWALS: Final = 3
"""Of a lease while an item is under way."""

_log: Final = logging.getLogger(__name__)


def shared_index(name: str, what: str) -> IndexAddress:
    """The address of an index, for something that needs a database.

    Raises:
        UsageError: The index is a folder.
    """
    if not is_address(name):
        raise UsageError(
            f"{what} needs an index in Postgres: postgresql://USER@HOST/DATABASE?index=NAME."
        )
    require(what, "postgres")
    return index_address(name)


class Worker:
    """Takes items of a build from the queue, does them, and stores their results.

    Args:
        resources: Opens the models that the items name.
        settings: `concurrency`, and the limits of a minute, of all processes that share the ledger
            and set them. Without `concurrency` it is the number of the model's provider.
        batches: Makes the calls, in place of this process.
    """

    def __init__(
        self,
        queue: WorkQueue,
        resources: Resources,
        settings: Context | None = None,
        batches: Batches | None = None,
    ) -> None:
        self._queue, self._resources, self._batches = queue, resources, batches
        own = Context() if batches or settings is None else settings
        self._limit, self._budget = own.concurrency, own.budget
        self._held: set[bytes] = set()
        calls = (BATCHED, WINDOW) if batches else (CALL, self._limit or 1)
        self._room = dict((calls, (EMBED, 1)))

    async def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, and finish what is under way then.

        An error of a model ends the worker, and its items are given back.

        Raises:
            UsageError: A model of the build cannot be opened, or is another one here.
            ModelUnreachableError: A model does not answer.
            HopyardError: The database cannot be used.
        """
        ended = threading.Event()
        keeper = threading.Thread(target=self._keep, args=(ended,), daemon=True)
        keeper.start()
        try:
            async with asyncio.TaskGroup() as group:
                for kind in self._room:
                    group.create_task(self._drain(kind, stop))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            ended.set()
            await asyncio.to_thread(keeper.join)
            await asyncio.to_thread(self._queue.renew, list(self._held), 0)

    def _keep(self, ended: threading.Event) -> None:
        """Renew leases, in a thread of its own: importing a client may block the event loop."""
        while not ended.wait(work_items.LEASE / _RENEWALS):
            with suppress(HopyardError):  # the next look for items says it
                self._queue.renew(list(self._held))

    async def _drain(self, kind: str, stop: threading.Event) -> None:
        running: set[asyncio.Task[None]] = set()
        try:
            # A batch needs no process here while its provider has it.
            while not stop.is_set() or (running and not self._batches):
                room = 0 if stop.is_set() else self._room[kind] - len(running)
                if room > 0:
                    for item in await asyncio.to_thread(self._queue.take, kind, room):
                        self._held.add(item.key)
                        running.add(asyncio.create_task(self._do(item)))
                if not running:
                    await asyncio.sleep(_PAUSE)
                    continue
                ended, running = await asyncio.wait(
                    running, timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED
                )
                await asyncio.gather(*ended)
        finally:
            for task in running if self._batches else ():
                task.cancel()
            # The other calls are paid for: they are finished also after an error.
            await asyncio.gather(*running, return_exceptions=True)

    async def _do(self, item: Item) -> None:
        values = unpacked(item.data)
        try:
            result = await (self._embed if item.kind == EMBED else self._call)(values)
            done = item._replace(data=result)
        except CallFailedError as error:
            cause = server_said(error.__cause__).message if error.__cause__ else ""
            told = {"message": str(error), "reason": error.reason, "cause": cause}
            done = item._replace(data=packed(told), failed=True)
        await asyncio.to_thread(self._queue.finish, done)
        self._held.discard(item.key)
        _log.info("finished: %s %s", item.kind, item.key.hex()[:12])

    async def _call(self, asked: dict[str, Any]) -> bytes:
        model = asked["model"]
        provider = await asyncio.to_thread(self._provider, model)
        if provider.identity != asked["identity"]:
            raise UsageError(
                f"The model {model!r} is {provider.identity!r} here and {asked['identity']!r} for "
                "the builder: install the same Hopyard, and set the same address of the server, as "
                "in OPENAI_BASE_URL."
            )
        if not self._batches:
            self._room[CALL] = self._limit or provider.concurrency
        if provider.prepare:
            await asyncio.to_thread(provider.prepare)
        request = Request(
            provider,
            Schemas(**asked["schemas"]),
            messages_from_dict(asked["messages"]),
            Sampling(**asked["sampling"]),
            PATIENCE if self._batches else asked["timeout"],
        )
        turns, name = self._resources.ledger.turns, provider.identity
        async with (
            turns.place(name, self._limit),
            turns.in_turn(name, self._budget, prompt_tokens(request.messages)) as tell,
        ):
            began = monotonic()
            reply = await send(request)
            spent = spent_on(reply, request.messages)
            tell(spent.input_tokens + spent.output_tokens)
        return packed(asdict(replace(reply, seconds=monotonic() - began)))

    def _provider(self, model: str) -> ChatProvider:
        if self._batches:
            return self._batches.provider(model)
        return self._resources.caller(model).provider

    async def _embed(self, asked: dict[str, Any]) -> bytes:
        model = await asyncio.to_thread(self._resources.embedder, asked["model"])
        vectors = await asyncio.to_thread(model.embed_documents, asked["texts"])
        return vectors.astype("<f4").tobytes()
