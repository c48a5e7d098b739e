"""How long a prompt may be: errors of servers about it, and prompts made to fit.

A window holds the prompt and the answer together. The server names it (Ollama's `/api/show`), or an
error does. Where neither has, the server's error decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, Final

from langchain_core.messages import BaseMessage

from hopyard.models.prompt import Prompt
from hopyard.models.servers.failures import Failure, classify, server_said
from hopyard.models.servers.tokenizers import Counter, estimate_tokens

LEAST_ANSWER: Final = 256
"""Tokens that an answer gets in a window that the prompt nearly fills."""
TOKENS_A_MESSAGE: Final = 8
"""Average tokens that a chat template adds to a message."""
_MATERIAL: Final = ("passages", "reports", "points")
"""Values of prompts that are lists, an item a line and the best first."""
_NUMBER: Final = r"(\d[\d,]*)"
_WINDOW: Final = tuple(
    re.compile(text.replace("#", _NUMBER), re.I)
    for text in (
        r"maximum (?:context|prompt) length (?:is|of) #",  # OpenAI, vLLM, DeepSeek, xAI
        r"model token limit: #",  # Moonshot
        r"greater than max_seq_len #",  # TabbyAPI
        r"with # maximum context length",  # Mistral
        r"context length of only # tokens",  # LM Studio
        r"n_ctx\W+#",  # LM Studio, llama.cpp
        r"context (?:size|window|length) (?:\(|of )#",  # llama.cpp, Ollama, SGLang
        r"> # maximum",  # Anthropic
        r"maximum number of tokens allowed \(#\)",  # Gemini
        r"`max_new_tokens` must be <= #",  # text-generation-inference
        r"input length should be \[\d+, #\]",  # DashScope
        r"Limit #, Requested",  # Groq: a request above the limit of a minute never passes
    )
)
_PROMPT: Final = tuple(
    re.compile(text.replace("#", _NUMBER), re.I)
    for text in (
        r"\(# in (?:the messages|your prompt)",
        r"messages resulted in # tokens",
        r"(?:has|at least) # input tokens",
        r"(?:input|requested tokens) \(#",
        r"request \(# tokens\)",
        r"Prompt contains # tokens",
        r"keep the first # tokens",
        r"n_keep\W+#",
        r"prompt is too long: # tokens",
        r"input token count \(#\)",
        r"Given: # `inputs` tokens",
    )
)


@dataclass(frozen=True)
class LengthSaid:
    """The lengths, in tokens, in a server's error about a prompt that is too long; 0 if unsaid."""

    window: int = 0
    prompt: int = 0


def length_said(error: BaseException) -> LengthSaid:
    """Read the window and the prompt's length out of a client's exception."""
    if classify(error) is not Failure.TOO_LONG:
        return LengthSaid()
    message = server_said(error).message
    return LengthSaid(_first(_WINDOW, message), _first(_PROMPT, message))


def _first(patterns: Sequence[re.Pattern[str]], text: str) -> int:
    found = filter(None, (pattern.search(text) for pattern in patterns))
    return next((int(match[1].replace(",", "")) for match in found), 0)


def estimate(messages: Sequence[BaseMessage], count: Counter = estimate_tokens) -> int:
    """About how many tokens a conversation has."""
    return sum(count(message.text) + TOKENS_A_MESSAGE for message in messages)


@dataclass(frozen=True)
class Fitted:
    """A prompt that fits a window.

    Attributes:
        tokens: About how many tokens they have.
        max_tokens: Room for the answer in the window, at most the prompt's own limit.
        shown: Items of the prompt's lists that are in it.
        given: Items that there were.
        items: Their name, such as "passages".
    """

    messages: list[BaseMessage]
    tokens: int
    max_tokens: int
    shown: int
    given: int
    items: str


def fit(
    prompt: Prompt[Any],
    values: Mapping[str, str],
    window: int,
    scale: float = 1.0,
    count: Counter = estimate_tokens,
) -> Fitted | None:
    """The messages of a call, with so many items of its lists as the window holds.

    Items are left out from the end, because the best come first. Each list keeps one.

    Args:
        window: Tokens of prompt and answer together; 0 if it is not known.
        scale: Tokens of this model for each token that is counted.

    Returns:
        None if the prompt does not fit even with one item of each list.
    """
    lists = {name: values[name].splitlines() for name in _MATERIAL if f"${name}" in prompt.template}
    given, most = (sum(max(0, len(lines) - least) for lines in lists.values()) for least in (0, 1))
    room = window - min(prompt.max_tokens, LEAST_ANSWER)

    @cache
    def without(number: int) -> tuple[list[BaseMessage], int]:
        """The messages where so many items are left out, and their tokens."""
        kept = {name: [*lines] for name, lines in lists.items()}
        for _ in range(number):
            max(kept.values(), key=len).pop()
        shown = {name: "\n".join(lines) for name, lines in kept.items()}
        messages = prompt.messages({**values, **shown})
        return messages, estimate(messages, count)

    def fits(number: int) -> bool:
        return not window or ceil(scale * without(number)[1]) <= room

    # A tokenizer takes its time, so the whole is counted, and then few of the others.
    left_out = 0 if fits(0) else 1 + bisect_left(range(1, most + 1), True, key=fits)
    if left_out > most:
        return None
    messages, tokens = without(left_out)
    left = window - ceil(scale * tokens) if window else prompt.max_tokens
    answer = min(prompt.max_tokens, left)
    return Fitted(messages, tokens, answer, given - left_out, given, " and ".join(lists))
