"""Chat requests through OpenAI's batch API, which costs half and may take a day.

Each request is made and its reply read as ever; only the transport below the provider's client
differs: it collects requests, sends them as one batch, and returns their replies. The digests of a
batch's requests are in the queue's database before it is sent. After a kill, a request that is in
such a batch waits for it and is not sent again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from uuid import uuid4

from hopyard.models.chat import (
    INTERNET,
    ChatProvider,
    chat_provider,
    connect_hosted,
    openai_clients,
)
from hopyard.models.names import server_address
from hopyard.models.servers.error_replies import refuse_errors
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.state.storage.postgres.work import WorkQueue

POLL: Final = 20.0
"""Seconds between two looks at the batches."""
QUIET: Final = 2.0
"""Seconds without a new request, after which a batch is sent."""
PATIENCE: Final = 30 * 86_400.0
"""Seconds that a request may wait, with those after a batch that expired."""
_MOST: Final = 50_000
"""Requests of a batch."""
_ENDED: Final = frozenset({"completed", "expired", "cancelled", "failed"})
_TRIES: Final = 10
"""Looks in a row that may fail."""
_LOST: Final = 503
"""The status in place of a reply that a batch lacks, as one that expired: it is asked for again."""
_FAILED: Final = 501
"""The status in place of the replies of a batch that the provider refused: the build ends."""

_log: Final = logging.getLogger(__name__)


class _Answer(NamedTuple):
    status: int
    body: Any


class Batches:
    """The batches of one build. Use it under `with`, and its models in one event loop.

    Args:
        queue: Remembers which batches were sent.
        model: The build's chat model.

    Raises:
        UsageError: The model is not one of OpenAI's protocol.
    """

    def __init__(self, queue: WorkQueue, model: str) -> None:
        if not model.startswith("openai:"):
            raise UsageError(f"--on batch needs a model such as openai:NAME, not {model!r}.")
        self._queue = queue
        self._bodies: dict[str, bytes] = {}
        self._futures: dict[str, asyncio.Future[_Answer]] = {}
        self._sent = {name: set(digests) for name, digests in queue.batches().items()}
        self._ids: dict[str, str] = {}
        self._ended: dict[str, list[str]] = {}
        self._arrived = 0.0
        self._loop: asyncio.Task[None] | None = None
        self.provider = cache(self._provider)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._ended:
            from openai import OpenAI

            client = OpenAI(base_url=server_address("openai") or None)
            for name, files in self._ended.items():
                self._queue.delete_batch(name)
                for file in files:
                    with suppress(Exception):  # the provider deletes them too, later
                        client.files.delete(file)
            client.close()

    def _provider(self, spec: str) -> ChatProvider:
        from openai import DefaultAsyncHttpxClient

        client: Any = DefaultAsyncHttpxClient(
            transport=_Transport(self),
            event_hooks={"response": [refuse_errors]},
        )
        return replace(
            chat_provider(spec),
            connect=cache(lambda sampling: connect_hosted(spec, sampling, client)),
            concurrency=_MOST,
        )

    async def answer(self, body: bytes) -> _Answer:
        """The answer to a request, from a batch that has it."""
        digest = sha256(body).hexdigest()
        if digest not in self._futures:
            self._futures[digest] = asyncio.get_running_loop().create_future()
            self._bodies[digest], self._arrived = body, monotonic()
        if self._loop is None:
            self._loop = asyncio.create_task(self._run())
        return await asyncio.shield(self._futures[digest])

    async def _run(self) -> None:
        looked, failures = 0.0, 0
        while True:
            await asyncio.sleep(QUIET / 4)
            try:
                if monotonic() > looked + POLL:
                    looked = monotonic()
                    await self._look()
                sent = set().union(*self._sent.values())
                new = [digest for digest in self._bodies if digest not in sent][:_MOST]
                if new and (len(new) == _MOST or monotonic() > self._arrived + QUIET):
                    await self._send(new)
                    looked = monotonic()
                failures = 0
            except Exception as error:  # of the provider's client, or the database
                failures += 1
                status = getattr(error, "status_code", None) or _LOST
                _log.warning("the batch API failed: %s", error)
                if status < 500 and status not in {408, 409, 429}:
                    self._give(dict.fromkeys(self._futures, _said(status, str(error))))
                elif failures == _TRIES:
                    self._give(dict.fromkeys(self._futures, _said(_FAILED, str(error))))

    async def _send(self, digests: Sequence[str]) -> None:
        """Send requests as one batch. They all name the build's model."""
        name, client = uuid4().hex, self._client()
        url = "/v1/chat/completions"
        lines = [
            json.dumps(
                {
                    "custom_id": digest,
                    "method": "POST",
                    "url": url,
                    "body": json.loads(self._bodies[digest]),
                }
            )
            for digest in digests
        ]
        await asyncio.to_thread(self._queue.add_batch, name, digests)
        self._sent[name] = set(digests)
        try:
            data = "\n".join(lines).encode()
            file = await client.files.create(file=("requests.jsonl", data), purpose="batch")
            once = client.with_options(max_retries=0)  # a second batch would cost twice
            batch = await once.batches.create(
                input_file_id=file.id,
                endpoint=url,
                completion_window="24h",
                metadata={"hopyard": name},
            )
        except Exception as error:
            if getattr(error, "status_code", None):  # else the batch may have been made
                await self._forget(name)
            raise
        self._ids[name] = batch.id
        _log.info("batch %s: %d requests", batch.id, len(digests))

    async def _look(self) -> None:
        """Read the batches that have ended."""
        client = self._client()
        left = {name for name in self._sent if name not in self._ids}
        if left:  # sent by a process that was killed, or without a reply
            async for batch in client.batches.list(limit=100):
                name = (batch.metadata or {}).get("hopyard", "")
                if name in left:
                    self._ids[name] = batch.id
                    left.discard(name)
                if not left:
                    break
        for name in left:
            await self._forget(name)  # it was never made
        for name in list(self._sent):
            batch = await client.batches.retrieve(self._ids[name])
            if batch.status not in _ENDED:
                continue
            problem = "; ".join(each.message or "" for each in (batch.errors or _NONE).data or [])
            status = _FAILED if batch.status == "failed" else _LOST
            rest = _said(status, f"the batch has the status {batch.status}: {problem}")
            answers = dict.fromkeys(self._sent[name], rest)
            files = [batch.output_file_id, batch.error_file_id]
            for file in filter(None, files):
                text = (await client.files.content(file)).text
                answers |= _answers(text)
            self._ended[name] = [*filter(None, files), batch.input_file_id]
            del self._sent[name]
            self._give(answers)

    async def _forget(self, name: str) -> None:
        await asyncio.to_thread(self._queue.delete_batch, name)
        del self._sent[name]

    def _give(self, answers: Mapping[str, _Answer]) -> None:
        for digest, answer in answers.items():
            self._bodies.pop(digest, None)
            if future := self._futures.pop(digest, None):
                future.set_result(answer)

    def _client(self) -> Any:
        from openai import AsyncOpenAI

        http = openai_clients(INTERNET)["http_async_client"]
        return AsyncOpenAI(base_url=server_address("openai") or None, http_client=http)


class _Transport:
    """A transport of the provider's HTTP client whose requests go into batches."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    async def handle_async_request(self, request: Any) -> Any:
        """The response to a request."""
        status, body = await self._batches.answer(await request.aread())
        library = sys.modules[type(request).__module__.partition(".")[0]]  # httpx, or its fork
        return library.Response(status, json=body)

    async def aclose(self) -> None:
        """Nothing is open."""


class _Errors(NamedTuple):
    data: Sequence[Any] = ()


_NONE: Final = _Errors()


def _said(status: int, message: str) -> _Answer:
    return _Answer(status, {"error": {"message": message}})


def _answers(lines: str) -> dict[str, _Answer]:
    """The answers in a file of results, by the digest of the request."""
    found = {}
    for line in filter(str.strip, lines.splitlines()):
        entry = json.loads(line)
        response, error = entry.get("response"), entry.get("error")
        found[entry["custom_id"]] = (
            _Answer(response["status_code"], response["body"])
            if response
            else _said(_LOST, str((error or {}).get("message", "no response")))
        )
    return found
