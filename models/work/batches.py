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
from collections.abc import Awaitable, Mapping, Sequence
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
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.state.storage.postgres.work import WorkQueue

POLL: Final = 20.0
"""Seconds between two looks at the batches."""
QUIET: Final = 2.0
"""Seconds without a new request, after which a batch is sent."""
PATIENCE: Final = 30 * 86_400.0
"""Seconds that a request may wait, with those after a batch that expired."""
_URL: Final = "/v1/chat/completions"
_TRIES: Final = 10
"""Looks or batches in a row that fail, after which the build ends."""
_MISSING: Final = 404
_LOST: Final = 503
"""The status in place of a reply that a batch lacks, as one that expired: it is asked for again."""
_MISSES: Final = 3
"""Looks in a row that do not find a batch, after which it is gone. At first it may be late."""
_FAILED: Final = 501
"""The status in place of the replies of a batch that the provider refused: the build ends."""

_log: Final = logging.getLogger(__name__)


class _Answer(NamedTuple):
    status: int
    body: Any


class Batches:
    """The batches of one build. Use it under `with`, and its model in one event loop.

    Args:
        queue: Remembers which batches were sent, until the build has ended well.
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
        self._early: dict[str, _Answer] = {}
        """Answers of a batch that another process sent, to requests that were not made yet."""
        self._sent = {name: set(digests) for name, digests in queue.batches().items()}
        self._ids: dict[str, str] = {}
        self._missed: dict[str, int] = {}
        self._gone: set[str] = set()
        """The digests of requests whose batch is gone. They are sent once more."""
        self._ended: dict[str, list[str]] = {}
        """The files of the batches that were read."""
        self._arrived = 0.0
        self._loop: asyncio.Task[None] | None = None
        self.provider = cache(self._provider)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None or not self._ended:
            return
        from openai import OpenAI

        with OpenAI(base_url=server_address("openai") or None) as client:
            for name, files in self._ended.items():
                self._queue.delete_batch(name)
                for file in files:
                    with suppress(Exception):  # the provider deletes files too, later
                        client.files.delete(file)

    def _provider(self, spec: str) -> ChatProvider:
        from openai import DefaultAsyncHttpxClient

        http: Any = DefaultAsyncHttpxClient(transport=_Transport(self))
        connect = cache(lambda sampling: connect_hosted(spec, sampling, http))
        return replace(chat_provider(spec), connect=connect)

    async def answer(self, body: bytes) -> _Answer:
        """The answer to a request, from the batch that has it."""
        digest = sha256(body).hexdigest()
        if early := self._early.pop(digest, None):
            return early
        if digest not in self._futures:
            self._futures[digest] = asyncio.get_running_loop().create_future()
            self._bodies[digest], self._arrived = body, monotonic()
        self._loop = self._loop or asyncio.create_task(self._run())
        return await asyncio.shield(self._futures[digest])

    async def _run(self) -> None:
        looked, failures = 0.0, 0
        while True:
            await asyncio.sleep(QUIET / 4)
            try:
                if monotonic() > looked + POLL:
                    looked = monotonic()
                    await self._look()
                    failures = 0
                sent = set().union(*self._sent.values())
                new = [digest for digest in self._bodies if digest not in sent]
                if new and monotonic() > self._arrived + QUIET:
                    await self._send(new)
                    failures = 0
            except Exception as error:  # of the provider's client, or the database
                failures += 1
                status = getattr(error, "status_code", None) or _LOST
                _log.warning("the batch API failed: %s", error)
                if status < 500 and status not in {408, 409, 429}:
                    self._give(dict.fromkeys(self._futures, _said(status, str(error))))
                elif failures >= _TRIES:
                    self._give(dict.fromkeys(self._futures, _said(_FAILED, str(error))))

    async def _send(self, digests: Sequence[str]) -> None:
        """Send requests as one batch. They all name the build's model."""
        name, client = uuid4().hex, _client()
        common = {"method": "POST", "url": _URL}
        lines = [
            json.dumps({"custom_id": each, **common, "body": json.loads(self._bodies[each])})
            for each in digests
        ]
        await asyncio.to_thread(self._queue.add_batch, name, digests)
        self._sent[name] = set(digests)
        try:
            data = "\n".join(lines).encode()
            file = await client.files.create(file=("requests.jsonl", data), purpose="batch")
            batch = await client.with_options(max_retries=0).batches.create(  # two cost twice
                input_file_id=file.id,
                endpoint=_URL,
                completion_window="24h",
                metadata={"hopyard": name},
            )
        except Exception as error:
            if getattr(error, "status_code", None):  # else the batch may have been made
                await self._forget(name)
            raise
        self._ids[name] = batch.id

    async def _look(self) -> None:
        """Read the batches that have ended."""
        client, left = _client(), self._sent.keys() - self._ids.keys()
        if left:  # sent by a process that was killed, or the reply was lost
            async for each in client.batches.list(limit=100):
                name = (each.metadata or {}).get("hopyard", "")
                if name in left:
                    self._ids[name] = each.id
                    left.discard(name)
                if not left:
                    break
        for name in list(self._sent):
            batch: Any = None
            if name not in left:
                batch = await _found(client.batches.retrieve(self._ids[name]))
            if not getattr(batch, "status", ""):  # some servers answer 200 with an error object
                await self._miss(name)
                continue
            self._missed.pop(name, None)
            if batch.status not in {"completed", "expired", "cancelled", "failed"}:
                continue
            problems = batch.errors.data if batch.errors else None
            told = "; ".join(each.message or "" for each in problems or [])
            status = _FAILED if batch.status == "failed" else _LOST
            rest = _said(status, f"the batch has the status {batch.status}: {told}")
            answers = dict.fromkeys(self._sent[name], rest)
            files = [file for file in (batch.output_file_id, batch.error_file_id) if file]
            for file in files:
                content = await _found(client.files.content(file))
                answers |= _answers(content.text) if content else {}
            self._ended[name] = [*files, batch.input_file_id]
            if batch.status == "failed":  # the next build sends its requests again
                await asyncio.to_thread(self._queue.delete_batch, name)
            del self._sent[name]
            self._give(answers)

    async def _miss(self, name: str) -> None:
        """Count a look without a batch. If the batch is gone, its requests are sent once more."""
        self._missed[name] = self._missed.get(name, 0) + 1
        if self._missed[name] < _MISSES:
            return
        if name in self._ids:  # else it was never made
            _log.warning("the batch %s is gone at the provider", self._ids[name])
            again, digests = self._gone & self._sent[name], self._sent[name]
            self._gone |= digests
            self._give(dict.fromkeys(again, _said(_FAILED, "two batches are gone at the provider")))
        await self._forget(name)

    async def _forget(self, name: str) -> None:
        await asyncio.to_thread(self._queue.delete_batch, name)
        self._sent.pop(name)

    def _give(self, answers: Mapping[str, _Answer]) -> None:
        for digest, answer in answers.items():
            self._bodies.pop(digest, None)
            if future := self._futures.pop(digest, None):
                future.set_result(answer)
            elif answer.status == 200:
                self._early[digest] = answer


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


async def _found(asked: Awaitable[Any]) -> Any:
    """The reply of the provider; None where it does not know the thing."""
    try:
        return await asked
    except Exception as error:
        if getattr(error, "status_code", None) != _MISSING:
            raise
        return None


def _client() -> Any:
    from openai import AsyncOpenAI

    http = openai_clients(INTERNET)["http_async_client"]
    return AsyncOpenAI(base_url=server_address("openai") or None, http_client=http)


def _said(status: int, message: str) -> _Answer:
    return _Answer(status, {"error": {"message": message}})


def _answers(lines: str) -> dict[str, _Answer]:
    """The answers in a file of results, by the digest of the request; not those that are broken."""
    found = {}
    for line in lines.splitlines():
        try:
            entry = json.loads(line)
            digest, error, response = entry["custom_id"], entry.get("error"), entry.get("response")
            message = (error or {}).get("message") or "there is no response"
            answer = _said(_LOST, str(message))
            if response and response.get("status_code"):  # OpenAI has sent 0
                answer = _Answer(int(response["status_code"]), response["body"])
            found[digest] = answer
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
    return found
