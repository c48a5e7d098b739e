"""A builder's orders: its model calls and embeddings go into a queue, and the results come back.

A chat model or embedding model that `Orders` gives is used like the model itself. Ledger, budget
and retries after an unfit output stay with the builder.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from concurrent.futures import Future
from dataclasses import asdict, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Self, cast

import numpy as np
from langchain_core.messages import messages_to_dict

from hopyard.models.calls.reply import Ending, Reply
from hopyard.models.calls.request import Request, keep_window
from hopyard.models.chat import ChatProvider
from hopyard.models.embedder import Embedder, Vectors
from hopyard.models.servers.failures import Failure
from hopyard.state.errors import CallFailedError, HopyardError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.work_items import CALL, EMBED, Item, packed, unpacked

if TYPE_CHECKING:
    from hopyard.state.storage.postgres.work import WorkQueue

WINDOW: Final = 1000
"""Model calls that are in the queue at once. Each holds its key in the ledger."""
SMALL_WINDOW: Final = 50
"""The same with a budget of tokens or seconds, which running calls may exceed."""
BATCH: Final = 64
"""Texts of one item."""
_AHEAD: Final = 32
"""Items of texts that are in the queue at once."""
_PAUSE: Final = 0.1
_AGAIN: Final = 10.0
"""Seconds after which orders without a result are sent again, should their rows be gone."""

_log: Final = logging.getLogger(__name__)


class Orders:
    """The orders of one build. Use it under `with`.

    Args:
        queue: The work of the index. It keeps results until the build has ended well.
        calls: The kind of the calls' items, `CALL` or `BATCHED`.
    """

    def __init__(self, queue: WorkQueue, calls: str = CALL) -> None:
        self._queue, self._calls = queue, calls
        self._lock = threading.Lock()
        self._waiting: dict[bytes, tuple[Item, Future[Item]]] = {}
        self._new: list[Item] = []
        self._sent = time.monotonic()
        self._error: HopyardError | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        if kind is None:
            self._queue.clear()

    def chat(self, context: Context, provider: ChatProvider) -> ChatProvider:
        """The chat model of a build, whose requests are ordered."""

        async def send(request: Request) -> Reply:
            asked = {
                "identity": provider.identity,
                "messages": messages_to_dict(request.messages),
                "sampling": asdict(request.sampling),
                "schemas": asdict(request.schemas),
            }
            more = {"model": context.model, "timeout": request.timeout}
            item = await asyncio.wrap_future(self.order(self._calls, asked, more))
            found = unpacked(item.data)
            if item.failed:
                raise await asyncio.to_thread(_error, provider.identity, found)
            return Reply(**found | {"ending": Ending(found["ending"])})

        budget = context.budget
        limited = budget.tokens or budget.day_tokens or budget.seconds
        window = SMALL_WINDOW if limited else WINDOW
        return replace(provider, send=send, concurrency=window, prepare=None)

    def embedder(self, model: Embedder) -> Embedder:
        """An embedding model whose texts are ordered."""
        return cast(Embedder, _OrderingEmbedder(self, model))

    def fail(self, error: HopyardError) -> None:
        """End all orders, and those that follow, with an error."""
        with self._lock:
            self._error = self._error or error
            waiting, self._waiting, self._new = self._waiting, {}, []
        for _, future in waiting.values():
            future.set_exception(error)

    def delete(self, items: list[Item]) -> None:
        """Delete results that are stored elsewhere."""
        self._queue.delete([item.key for item in items])

    def order(self, kind: str, asked: dict[str, Any], more: dict[str, Any]) -> Future[Item]:
        """Order some work.

        Args:
            asked: Everything that the result depends on.
            more: Values that the worker needs too.
        """
        key = sha256(json.dumps(asked, sort_keys=True).encode()).digest()
        future: Future[Item] = Future()
        future.set_running_or_notify_cancel()  # a caller that is cancelled leaves it alone
        with self._lock:
            if self._error is not None:
                future.set_exception(self._error)
                return future
            if key not in self._waiting:
                self._new.append(Item(key, kind, packed(asked | more)))
                self._waiting[key] = self._new[-1], future
            return self._waiting[key][1]

    def _run(self) -> None:
        while not self._closing.wait(_PAUSE):
            try:
                self._exchange()
            except HopyardError as error:
                self.fail(error)
            except Exception as error:  # else no order would end
                _log.exception("the exchange with the queue failed")
                self.fail(HopyardError(f"The queue of the build failed ({error!r})."))

    def _exchange(self) -> None:
        """Send new orders, and take results."""
        with self._lock:
            new, self._new, waiting = self._new, [], dict(self._waiting)
        if time.monotonic() > self._sent + _AGAIN:
            self._sent = time.monotonic()
            self._queue.put([item for item, _ in waiting.values()], again=True)
        self._queue.put(new)
        for item in self._queue.results(list(waiting)):
            with self._lock:
                known = self._waiting.pop(item.key, None)
            if known is not None:
                known[1].set_result(item)


class _OrderingEmbedder:
    """An embedding model in the place of which workers embed texts."""

    batch = BATCH * _AHEAD

    def __init__(self, orders: Orders, model: Embedder) -> None:
        self._orders, self._model = orders, model
        self._last: list[Item] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, d]. The caller has stored the vectors of its last call."""
        self._orders.delete(self._last)
        parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        asked = [{"model": self._model.name, "texts": part} for part in parts]
        ordered = [self._orders.order(EMBED, each, {}) for each in asked]
        self._last = [future.result() for future in ordered]
        for item in self._last:
            if item.failed:
                raise HopyardError(f"Texts could not be embedded. {unpacked(item.data)['message']}")
        whole = np.frombuffer(b"".join(item.data for item in self._last), dtype="<f4")
        return whole.reshape(len(texts), -1).astype(np.float32)


def _error(identity: str, found: dict[str, str]) -> CallFailedError:
    """The error of a call, as this process would have raised it."""
    error = CallFailedError(found["message"], reason=found["reason"])
    error.__cause__ = ConnectionError(found["cause"])
    if error.reason == Failure.TOO_LONG.value:
        keep_window(identity, error.__cause__)
    return error
