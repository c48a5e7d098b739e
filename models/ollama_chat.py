"""Ollama's chat model with a window that holds the prompt and the answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, Self

import ollama
from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama
from pydantic import model_validator

from hopyard.models.ollama import (
    KEEP_ALIVE,
    client_options,
    context_length,
    ollama_address,
    server_version,
)
from hopyard.models.servers.error_replies import check_replies
from hopyard.models.servers.failures import Failure, PromptCutError, classify
from hopyard.models.servers.windows import LEAST_ANSWER, TOKENS_A_MESSAGE, estimate, length_said

SMALLEST_WINDOW: Final = 4096
"""Ollama's own default."""
_windows: Final[dict[tuple[str, str], int]] = {}
"""The largest window that this process has asked for, by server and model. Ollama reloads a model
for each new size, so the window never shrinks."""
SPARE: Final = 4 / 3
"""Times the estimate of a prompt: a large window costs memory, a small one cuts the prompt."""
MOST_CHARACTERS_A_TOKEN: Final = 6
"""More than in any of our prompts: a server that counts fewer tokens has not read all of it."""
MOST_KEPT: Final = 64
"""Tokens of a prompt's beginning that a server keeps beside half a window, when it cuts the rest
(`num_keep`, 4 to 24)."""


def prompt_tokens(messages: Sequence[BaseMessage]) -> int:
    """Tokens of a prompt, rather too many than too few."""
    spare = TOKENS_A_MESSAGE * len(messages)
    return int(SPARE * (estimate(messages) - spare)) + spare


def window_for(messages: Sequence[BaseMessage], answer: int) -> int:
    """The least window for a prompt and its answer: a power of two, so that there are few sizes.

    Args:
        answer: Maximum tokens of the answer.
    """
    needed = prompt_tokens(messages) + answer
    window = SMALLEST_WINDOW
    while window < needed:
        window *= 2
    return window


class SizedChatOllama(ChatOllama):
    """Ollama's chat model with a window that fits the prompt.

    Hopyard asks Ollama to refuse a prompt that does not fit, and calls it again with a larger
    window. A server older than 0.12.6 does not know that option. Its count of what it read
    shows whether it cut the prompt.
    """

    @model_validator(mode="after")
    def _refuse_to_cut(self) -> Self:
        check_replies(self)
        for client in (self._client, self._async_client):
            _refuse_to_cut(client)
        return self

    def _chat_params(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Add the window to the request: all four ways to call the model use this method."""
        window = kwargs.pop("window", None) or self._window(messages)
        params = super()._chat_params(messages, stop, **kwargs)
        params["options"]["num_ctx"] = window
        if self.num_predict and window < window_for(messages, self.num_predict):
            room = max(window - prompt_tokens(messages), LEAST_ANSWER)
            params["options"]["num_predict"] = min(self.num_predict, room)
        return params

    async def _acreate_chat_stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> AsyncIterator[Mapping[str, Any] | str]:
        """The reply in pieces, asked for with a larger window while the prompt does not fit."""
        window = self._window(messages)
        while True:
            try:
                asked = super()._acreate_chat_stream(messages, stop, **kwargs, window=window)
                async for part in asked:
                    if not isinstance(part, str) and part.get("done"):
                        await self._check_read(part.get("prompt_eval_count"), messages, window)
                    yield part
            except ollama.ResponseError as error:
                larger = self._larger_window(error, messages, window)
                if larger <= window:
                    raise
                window = self._grow(larger)
            else:
                return

    def _window(self, messages: list[BaseMessage]) -> int:
        """The window for a prompt, at most that of the model."""
        window = self._grow(window_for(messages, self.num_predict or 0))
        return min(window, context_length(self.model) or window)

    def _grow(self, window: int) -> int:
        """The window of the model from now on: this size, or the larger size that it had."""
        name = (str(self.base_url), self.model)
        _windows[name] = max(window, _windows.get(name, 0))
        return _windows[name]

    def _larger_window(
        self, error: ollama.ResponseError, messages: list[BaseMessage], window: int
    ) -> int:
        """The next window after a refusal; the same one if the refusal had another reason."""
        if classify(error) is not Failure.TOO_LONG:
            return window
        needed = length_said(error).prompt + (self.num_predict or 0)
        larger = 2 * window
        while larger < needed:
            larger *= 2
        # No tokenizer makes more tokens of a text than it has bytes.
        most = sum(len(message.text.encode("utf-8", "replace")) for message in messages)
        return min(larger, context_length(self.model) or 2 * max(most, SMALLEST_WINDOW))

    async def _check_read(self, read: int | None, messages: list[BaseMessage], window: int) -> None:
        """See that the server has read the whole prompt.

        `prompt_eval_count` may be missing or small because the beginning was cached, so a small
        count alone proves nothing. A prompt that is cut fills the window, or half of it.

        Raises:
            PromptCutError: It has not.
        """
        if not read:
            return
        least = sum(len(message.text) for message in messages) / MOST_CHARACTERS_A_TOKEN
        halves = (window // 2, *(2**power for power in range(10, 20)))
        filled = any(0 <= read - half <= MOST_KEPT for half in halves)
        cut = read >= window or (
            filled and read < least and await asyncio.to_thread(_cuts_in_silence)
        )
        if cut:
            raise PromptCutError(
                f"Ollama read {read:,} tokens of about {estimate(messages):,}, and dropped the "
                "rest; version 0.12.6 and newer do not"
            )


def _refuse_to_cut(client: Any) -> None:
    """Ask for an error instead of a prompt without its beginning, or an answer that pushes it out.

    Ollama's client has no parameter for these two fields of its API.
    """
    send = client._request

    def request(*args: Any, **kwargs: Any) -> Any:
        if "/api/chat" in args:
            kwargs["json"] = {**kwargs["json"], "truncate": False, "shift": False}
        return send(*args, **kwargs)

    client._request = request


def _cuts_in_silence() -> bool:
    """Whether the server does not know the option `truncate` of a chat: Ollama before 0.12.6."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", server_version())
    return numbers is None or tuple(map(int, numbers.groups())) < (0, 12, 6)


def connect_chat(name: str, *, max_tokens: int, temperature: float, seed: int) -> ChatOllama:
    """The chat model for a sampling. Thinking is off, because the answers are short JSON."""
    address = ollama_address()
    return SizedChatOllama(
        model=name,
        base_url=address,
        num_predict=max_tokens,
        temperature=temperature,
        seed=seed,
        reasoning=False,
        keep_alive=KEEP_ALIVE,
        client_kwargs=client_options(address),
    )
