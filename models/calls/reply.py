"""A model's reply: its text, how it ended (`Ending`), and what it cost.

docs/reliability.md has the table of what Hopyard does about each ending.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from hopyard.models.calls.stream import chunk_text
from hopyard.models.calls.thoughts import spoken_objects
from hopyard.models.servers.failures import UnfinishedReplyError
from hopyard.models.servers.tokenizers import estimate_tokens
from hopyard.state.errors import CallFailedError

LONGEST_OUTPUT: Final = 100_000
"""Characters kept of one reply: ten times as many as any prompt asks for."""
_LONGEST_REFUSAL: Final = 200


class Ending(StrEnum):
    """How a reply ended. The value names it in steps, results and errors."""

    FINISHED = "finished"
    CUT = "cut"
    """It reached its limit of tokens. The beginning is kept and marked."""
    UNFINISHED = "unfinished"
    """It broke off before its end. It is asked for again."""
    FILTERED = "filtered"
    """A content filter stopped it. It is an error."""
    REFUSED = "refused"
    """The model refused. It is an error."""
    EMPTY = "empty"
    """It says nothing outside of its thoughts. It is asked for again."""


_CUT: Final = frozenset((
    "error_limit", "length", "max_output_tokens", "max_tokens", "model_context_window_exceeded",
    "model_length",
))  # fmt: skip
_FILTERED: Final = frozenset((
    "blocklist", "content_filter", "content_filtered", "error_toxic", "guardrail_intervened",
    "image_safety", "prohibited_content", "recitation", "safety", "sensitive", "spii",
))  # fmt: skip
_REFUSED: Final = frozenset({"refusal", "refused"})
"""How OpenAI, Anthropic, Ollama, Mistral, Gemini, Bedrock, Cohere and Z.ai name the end of a
reply."""
_BROKEN: Final = frozenset((
    "abort", "aborted", "cancelled", "error", "insufficient_system_resource", "model_error",
    "network_error", "timeout", "unload", "user_cancel",
))  # fmt: skip
"""Servers that fail in the middle of a reply, or are stopped, end it with one of these."""
_DONE: Final = frozenset(
    {
        *("stop", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "completed"),
        *("tool_calls", "tool_use", "function_call"),
    }
)
"""Marks of a finished reply. A mark that is not known proves no end: the text has to show it."""
_TWICE: Final = re.compile(r"^(\w+?)\1+$")
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "stopReason")
_PARTS_OF_JSON: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.S)
_CLOSING: Final = {"{": "}", "[": "]"}
_ENDS_OF_VALUES: Final = '"]}el'
"""How a string, a list, an object, true, false and null end. A number may be half."""
_MARKING: Final = frozenset({"BaseChatOpenAI", "ChatAnthropic", "ChatOllama", "ChatGroq"})
"""LangChain's classes whose protocols mark the end of every reply. Others may not."""


_WORDS: Final = re.compile(r"\w\s+\w")
"""Two words: more than the mark of a fence."""


@dataclass(frozen=True)
class Reply:
    """A reply that was paid for.

    Attributes:
        text: The text that the model wrote.
        ending: `FINISHED` or `CUT`.
        input_tokens: Tokens of the prompt; None if the server did not count them.
        output_tokens: Tokens of the reply; None if the server did not count them.
        thought: Thoughts that the server sent apart from the text.
        seconds: How long it took, if another process sent the request; 0.0 if this one did.
    """

    text: str
    ending: Ending
    input_tokens: int | None = None
    output_tokens: int | None = None
    thought: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Spent:
    """The tokens of a call: as the server counted them, else estimated.

    Attributes:
        output_tokens: Tokens of the reply, its thoughts included.
        estimated: Whether the server did not count one of the two.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


def spent_on(reply: Reply, messages: Sequence[BaseMessage]) -> Spent:
    """The tokens of a reply to these messages."""
    asked, answered = reply.input_tokens, reply.output_tokens
    return Spent(
        input_tokens=prompt_tokens(messages) if asked is None else asked,
        output_tokens=_estimate([reply.text, reply.thought]) if answered is None else answered,
        estimated=asked is None or answered is None,
    )


def prompt_tokens(messages: Sequence[BaseMessage]) -> int:
    """About the tokens of a prompt."""
    return _estimate(message.text for message in messages)


def _estimate(texts: Iterable[str]) -> int:
    return sum(map(estimate_tokens, texts))


def read_reply(message: AIMessage, name: str, kind: type, limit: int) -> Reply:
    """Read a reply out of LangChain's message.

    Args:
        name: The model, for errors.
        limit: Tokens that the reply may have. Some servers call a reply finished that reached it.

    Raises:
        UnfinishedReplyError: It has no mark of its end and is no whole JSON object, or its mark
            says that the server failed. Or its mark is unknown and it does not end with an object,
            or it ends within an object although it was not cut.
        CallFailedError: The model refused, or a filter stopped it.
    """
    written, reason = _text(message), _reason(message.response_metadata)
    text = storable(written)
    refusal = str(message.additional_kwargs.get("refusal") or "")
    if reason in _FILTERED:
        raise CallFailedError(
            f"The content filter of {name} stopped this reply; ask in other words.",
            reason=Ending.FILTERED.value,
        )
    if not text and not refusal:
        refusal = _refusal_part(message)
    if refusal or reason in _REFUSED:
        said = f": {refusal[:_LONGEST_REFUSAL]!r}" if refusal else ""
        raise CallFailedError(
            f"The model {name} refused to answer{said}.", reason=Ending.REFUSED.value
        )
    marks = any(base.__name__ in _MARKING for base in kind.__mro__)
    unknown = bool(reason) and reason not in _DONE | _CUT and not _ends_with_object(text)
    if reason in _BROKEN or unknown or (marks and not reason and not _is_whole(text)):
        raise UnfinishedReplyError("the reply broke off before its end")
    counted = message.usage_metadata or _openai_usage(message.response_metadata) or {}
    tokens_in, tokens_out = _count(counted, "input_tokens"), _count(counted, "output_tokens")
    cut = reason in _CUT or len(written) > LONGEST_OUTPUT
    if not cut and _ends_within_object(text):
        if tokens_out is None or tokens_out < limit:
            raise UnfinishedReplyError("the reply ends within an object")
        cut = True
    ending = Ending.CUT if cut else Ending.FINISHED
    beside = message.additional_kwargs
    thought = storable(str(beside.get("reasoning_content") or beside.get("reasoning") or ""))
    if cut and _is_prose(text):
        text, thought = "", f"{thought}{text}"
    return Reply(text, ending, tokens_in, tokens_out, thought)


def _count(counted: Mapping[str, Any], name: str) -> int | None:
    """A server's count of tokens; None if it sent none, or what cannot be one."""
    count = counted.get(name)
    return count if isinstance(count, int) and count > 0 else None


def _text(message: AIMessage) -> str:
    """The JSON text. Some providers send it as arguments of a tool call."""
    if isinstance(message, AIMessageChunk):
        # LangChain completes the arguments of a streamed call, also where they are cut off.
        return chunk_text(message)
    # Of several the last counts, as of objects in a text. One that cannot be read may be cut off.
    calls = [json.dumps(each["args"], ensure_ascii=False) for each in message.tool_calls]
    bad = [each["args"] or "" for each in message.invalid_tool_calls]
    return "\n".join([*calls, *bad]).strip() or message.text


def _refusal_part(message: AIMessage) -> str:
    """The refusal of a content in parts."""
    parts = [part for part in message.content if isinstance(part, dict)]
    return next((str(part["refusal"]) for part in parts if part.get("refusal")), "")


def storable(text: str) -> str:
    """The text without half characters, which can be neither kept nor sent."""
    return text[:LONGEST_OUTPUT].encode("utf-8", "replace").decode()


def _reason(metadata: Mapping[str, Any]) -> str:
    """The provider's word for the end of the reply, in lower case, if any.

    LangChain joins the words of two pieces of a stream, as in `stopstop`. KoboldCpp says "null"
    until the end.
    """
    said = next((str(metadata[name]).lower() for name in _REASONS if metadata.get(name)), "")
    return _TWICE.sub(r"\1", said.replace("null", ""))


def _is_whole(text: str) -> bool:
    """Whether the text is one JSON object and nothing else: its end is certain without a mark."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_prose(text: str) -> bool:
    """Whether all objects stand within prose, as the drafts of a thought without marks do."""
    spoken = spoken_objects(text)
    if spoken.begun or not spoken.objects:
        return False
    before = spoken.text.partition(spoken.objects[0][1])[0]
    after = spoken.text.rpartition(spoken.objects[-1][1])[2]
    return all(_WORDS.search(part) for part in (before, after))


def _ends_with_object(text: str) -> bool:
    """Whether nothing but the end of a code fence comes after the last object."""
    objects = spoken_objects(text).objects
    return bool(objects) and text.rstrip("` \n").endswith(objects[-1][1])


def _ends_within_object(text: str) -> bool:
    """Whether the text ends within a JSON object, and more is missing than closing brackets."""
    begun = spoken_objects(text).begun.rstrip()
    if not begun:
        return False
    brackets = _open_brackets(begun)
    if brackets is None or begun[-1] not in _ENDS_OF_VALUES:
        return True
    try:
        json.loads(begun + brackets)
    except (ValueError, RecursionError):
        return True
    return False


def _open_brackets(text: str) -> str | None:
    """The brackets that would close the text; None if it ends within a string."""
    opened: list[str] = []
    for part in _PARTS_OF_JSON.findall(text):
        if part in _CLOSING:
            opened.append(_CLOSING[part])
        elif part in "]}":
            opened = opened[:-1]
        elif len(part) == 1 or not part.endswith('"'):
            return None
    return "".join(reversed(opened))


def _openai_usage(metadata: Mapping[str, Any]) -> Mapping[str, int] | None:
    """OpenAI's count of a stream, which LangChain leaves where it is."""
    counted = metadata.get("token_usage")
    if (
        not isinstance(counted, Mapping)
        or not {"prompt_tokens", "completion_tokens"} <= counted.keys()
    ):
        return None
    return {
        "input_tokens": counted["prompt_tokens"],
        "output_tokens": counted["completion_tokens"],
    }
