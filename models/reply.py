"""A model's reply: its text, how it ended, and what it cost.

Five things that look alike are told apart: a reply that is finished, one that its token limit cut,
one that broke off, one that a filter or the model itself refused, and one that says nothing outside
of its thoughts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from langchain_core.messages import AIMessage, AIMessageChunk

from hopyard.models.failures import UnfinishedReplyError
from hopyard.models.stream import chunk_text
from hopyard.state.errors import CallFailedError

__all__ = ("Ending", "Reply", "read_reply")

LONGEST_OUTPUT: Final = 100_000
"""Characters kept of one reply: ten times as many as any prompt asks for."""
_LONGEST_REFUSAL: Final = 200


class Ending(StrEnum):
    """How a reply ended."""

    FINISHED = "finished"
    CUT = "cut"
    """It reached its limit of tokens. What it has is kept and marked."""
    FILTERED = "filtered"
    REFUSED = "refused"


_CUT: Final = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)
_FILTERED: Final = frozenset(
    {
        "blocklist",
        "content_filter",
        "content_filtered",
        "error_toxic",
        "guardrail_intervened",
        "image_safety",
        "prohibited_content",
        "recitation",
        "safety",
        "spii",
    }
)
_REFUSED: Final = frozenset({"refusal", "refused"})
"""How OpenAI, Anthropic, Ollama, Mistral, Gemini, Bedrock and Cohere name the end of a reply."""
_BROKEN: Final = frozenset({"error", "abort", "aborted", "cancelled"})
"""Servers that fail in the middle of a reply, or are stopped, end it with one of these."""
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "stopReason")
_MARKING: Final = frozenset({"BaseChatOpenAI", "ChatAnthropic", "ChatOllama", "ChatGroq"})
"""LangChain's classes whose protocols mark the end of every reply. Others may not."""


@dataclass(frozen=True)
class Reply:
    """A reply that was paid for.

    Attributes:
        text: What the model wrote.
        ending: `FINISHED` or `CUT`.
        input_tokens: Tokens of the prompt; None if the server did not count them.
        output_tokens: Tokens of the reply; None if the server did not count them.
    """

    text: str
    ending: Ending
    input_tokens: int | None = None
    output_tokens: int | None = None


def read_reply(message: AIMessage, name: str, kind: type) -> Reply:
    """Read a reply out of LangChain's message.

    Args:
        message: The message, whole.
        name: The model, for errors.
        kind: The class of the LangChain model.

    Raises:
        UnfinishedReplyError: It has no mark of its end and is no whole JSON object, or its mark
            says that the server failed.
        CallFailedError: The model refused, or a filter stopped it.
    """
    text, reason = _text(message), _reason(message.response_metadata)
    refusal = str(message.additional_kwargs.get("refusal") or "")
    if reason in _FILTERED:
        raise CallFailedError(
            f"The content filter of {name} stopped this reply; ask in other words.",
            reason="filtered",
        )
    if refusal or reason in _REFUSED:
        said = f": {refusal[:_LONGEST_REFUSAL]!r}" if refusal else ""
        raise CallFailedError(f"The model {name} refused to answer{said}.", reason="refused")
    marks = any(base.__name__ in _MARKING for base in kind.__mro__)
    if reason in _BROKEN or (marks and not reason and not _is_whole(text)):
        raise UnfinishedReplyError("the reply broke off before its end")
    usage = message.usage_metadata or _openai_usage(message.response_metadata)
    return Reply(
        text=text,
        ending=Ending.CUT if reason in _CUT else Ending.FINISHED,
        input_tokens=usage["input_tokens"] if usage else None,
        output_tokens=usage["output_tokens"] if usage else None,
    )


def _text(message: AIMessage) -> str:
    """The JSON text. Some providers send it as arguments of a tool call."""
    if isinstance(message, AIMessageChunk):
        # LangChain completes the arguments of a streamed call, also where they are cut off.
        return _storable(chunk_text(message))
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    bad = message.invalid_tool_calls
    return _storable((bad[0]["args"] if bad else None) or message.text)


def _storable(text: str) -> str:
    """The text without half characters, which can be neither kept nor sent."""
    return text[:LONGEST_OUTPUT].encode("utf-8", "replace").decode()


def _reason(metadata: Mapping[str, Any]) -> str:
    """The provider's word for the end of the reply, in lower case; "" if there is none."""
    return next((str(metadata[name]).lower() for name in _REASONS if metadata.get(name)), "")


def _is_whole(text: str) -> bool:
    """Whether the text is one JSON object and nothing else: its end is certain without a mark."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _openai_usage(metadata: Mapping[str, Any]) -> Mapping[str, int] | None:
    """OpenAI's count of a stream, which LangChain leaves where it is."""
    counted = metadata.get("token_usage") or {}
    if not {"prompt_tokens", "completion_tokens"} <= counted.keys():
        return None
    return {
        "input_tokens": counted["prompt_tokens"],
        "output_tokens": counted["completion_tokens"],
    }
