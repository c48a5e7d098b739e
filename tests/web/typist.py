"""A server in this process whose model writes what a test dictates, piece by piece."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from queue import Queue
from typing import Any

import uvicorn
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableGenerator
from pydantic import Field, PrivateAttr

from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import read_given
from hopyard.web.app import Server, application

from .test_page import wait_for


class Typist(BaseChatModel):
    """A chat model. `write` adds to its answer, `end` ends it."""

    asked: list[str] = Field(default_factory=list)
    """The last message of each request."""
    stopped: int = 0
    """Requests that were broken off."""
    _dictated: Queue[str | None] = PrivateAttr(default_factory=Queue)

    def register(self) -> Typist:
        """Make it usable by name in this process."""
        provider = ChatProvider("typist", lambda _: self, 16, cure="fix the script")
        register_chat_provider("typist", provider)
        return self

    def write(self, text: str) -> None:
        self._dictated.put(text)

    def end(self) -> None:
        self._dictated.put(None)

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        async def answer(sent: AsyncIterator[Any]) -> AsyncIterator[AIMessageChunk]:
            async for messages in sent:
                self.asked.append(messages[-1].text)
                if schema["title"] == "StandAlone":
                    alone = {"kind": "question", "question": f"Iron Bridge {len(self.asked)}?"}
                    yield AIMessageChunk(json.dumps(alone))
                    continue
                yield AIMessageChunk('{"answer": "')
                try:
                    while (text := await self._next()) is not None:
                        yield AIMessageChunk(json.dumps(text)[1:-1])
                except asyncio.CancelledError:
                    self.stopped += 1
                    raise
                yield AIMessageChunk('", "passages": [1]}')

        return RunnableGenerator(answer)

    async def _next(self) -> str | None:
        for _ in iter(self._dictated.empty, False):
            await asyncio.sleep(0.01)
        return self._dictated.get()

    @property
    def _llm_type(self) -> str:
        return "typist"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError


class LiveServer:
    """`hopyard serve` in a thread. While `broken`, a proxy before it answers with 502."""

    def __init__(self, index: Path) -> None:
        self.broken, self.slow = False, 0.0
        settings = {"index": str(index), "model": "typist", "embedding": "words"}
        settings |= {"profile": "capable", "gate": "off", "strategy": "single"}
        settings |= {"answer.check": "rules"}
        self._given = read_given(settings.items())

    def __enter__(self) -> LiveServer:
        self._resources = Resources().__enter__()
        self.app = application(self._given, self._resources)
        config = uvicorn.Config(
            self._proxy,
            port=0,
            log_level="critical",
            timeout_graceful_shutdown=1,
            interface="asgi3",
        )
        self._server = Server(config, self.app)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        wait_for(lambda: self._server.started)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        return self

    def stop(self) -> None:
        """Let it end, as Ctrl-C does."""
        self._server.should_exit = True

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()
        self._resources.__exit__(None, None, None)

    async def _proxy(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if self.broken:
                raise ConnectionError
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.broken:
            await send({"type": "http.response.start", "status": 502, "headers": []})
            await send({"type": "http.response.body", "body": b"Bad Gateway"})
        else:
            if scope["method"] == "POST":
                await asyncio.sleep(self.slow)
            await self.app(scope, receive, sent)
