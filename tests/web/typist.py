"""A chat model that writes what a test dictates, piece by piece."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from queue import Queue
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableGenerator
from pydantic import Field, PrivateAttr

from hopyard.models.chat import ChatProvider, register_chat_provider


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
