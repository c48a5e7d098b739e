"""Speaks the answer on LangGraph's `messages` stream while the model is still writing it.

Model calls return JSON and are not on that stream: `request` tags them. The answer's text is there
as the tokens of one chat model, in the name of the agent, so every client reads it as an ordinary
message. LangGraph's `push_message` would be simpler, but `astream_events(version="v3")` has no
message that was pushed. A message that was begun and then replaced by other words is followed by
another message with another id. Numbers of passages are left out, because the answer's check
replaces them by those of citations.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.utils import LC_ID_PREFIX
from langsmith import tracing_context

from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.markers import renumber, settled

UNKNOWN: Final = "unknown"
"""An answer that says only this is not spoken: another strategy may take over."""
_NAMESPACE: Final = "langgraph_checkpoint_ns"


@dataclass(frozen=True)
class Spoken:
    """A message that was spoken: its id, and its text without markers."""

    id: str
    text: str


class Voice:
    """Speaks the answer of one closing call.

    Args:
        config: Where the message goes: callbacks and metadata of its chat model.
        markers: Whether the answer has markers with the numbers of passages.
    """

    def __init__(self, config: RunnableConfig, *, markers: bool) -> None:
        self._config = config
        self._markers = markers
        self._text = ""
        self._spoken = ""
        self._id: UUID | None = None
        self._again = False
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def spoken(self) -> Spoken | None:
        """The last message; None if nothing was spoken since the last restart."""
        return Spoken(f"{LC_ID_PREFIX}-{self._id}", self._spoken) if self._id else None

    def say(self, text: str) -> None:
        """Speak the next piece of the answer, as far as later pieces cannot change it."""
        self._text += text
        self._speak(settled(self._text) if self._markers else self._text)

    def restart(self) -> None:
        """The next piece begins the answer again.

        It continues the message that was begun if that says the same so far, or begins another.
        """
        self._text, self._again = "", self._id is not None

    async def end(self, *, complete: bool) -> None:
        """End the message, and wait until everything has been heard.

        Args:
            complete: Whether the answer ends here; otherwise its last piece is missing.
        """
        if complete:
            self._speak(self._text, whole=True)
        if self._id is not None:
            self._pieces.put_nowait(None)
        if self._tasks:
            await asyncio.wait(self._tasks)
        for task in self._tasks:
            task.result()

    def _speak(self, text: str, *, whole: bool = False) -> None:
        told = renumber(text, {}) if self._markers else text
        if self._again:
            if self._spoken.startswith(told) and not (whole and told != self._spoken):
                return
            self._again = False
            if not told.startswith(self._spoken):
                self._pieces.put_nowait(None)
                self._spoken, self._id = "", None
        if self._id is None and UNKNOWN.startswith(text.strip(" .").lower()):
            return
        if piece := told[len(self._spoken) :]:
            if self._id is None:
                self._begin()
            self._pieces.put_nowait(piece)
            self._spoken = told

    def _begin(self) -> None:
        self._id, self._pieces = uuid4(), asyncio.Queue()
        before = self._tasks[-1] if self._tasks else None
        self._tasks.append(asyncio.create_task(self._run(self._id, self._pieces, before)))

    async def _run(
        self, name: UUID, pieces: asyncio.Queue[str | None], before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        # It is no model call, so no trace shows it.
        with tracing_context(enabled=False):
            await _Speaker(pieces=pieces).ainvoke([], self._config | RunnableConfig(run_id=name))


def voice_of(config: RunnableConfig, *, markers: bool) -> Voice | None:
    """The voice of a node; None if nobody listens to tokens.

    The answer of a strategy is spoken in the name of the agent's node, so that it is heard without
    the streams of subgraphs too.

    Args:
        markers: Whether the answer has markers with the numbers of passages.
    """
    callbacks = config.get("callbacks")
    if not isinstance(callbacks, BaseCallbackManager):
        return None
    listeners = callbacks.copy()
    listeners.handlers = [h for h in callbacks.handlers if _listens(h)]
    listeners.inheritable_handlers = [h for h in callbacks.inheritable_handlers if _listens(h)]
    if not listeners.handlers:
        return None
    metadata = {**(config.get("metadata") or {})}
    *outer, strategy, _ = ["", *str(metadata.get(_NAMESPACE, "")).split("|")]
    node = strategy.partition(":")[0]
    if node in STRATEGIES:
        metadata[_NAMESPACE] = "|".join([*outer[1:], strategy])
        metadata["langgraph_node"] = node
    return Voice(RunnableConfig(callbacks=listeners, metadata=metadata), markers=markers)


def _listens(handler: object) -> bool:
    """Whether it is a handler of LangGraph's streams, as LangChain tells them from others."""
    return hasattr(handler, "tap_output_aiter")


class _Speaker(BaseChatModel):
    """A chat model whose tokens are the pieces of an answer that another model writes."""

    pieces: Any

    @property
    def _llm_type(self) -> str:
        return "hopyard-answer"

    async def _astream(  # the words are not its own
        self,
        messages: list[BaseMessage],  # noqa: ARG002
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: object = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> AsyncIterator[ChatGenerationChunk]:
        while (piece := await self.pieces.get()) is not None:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", chunk_position="last"))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: object = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("it only streams")
