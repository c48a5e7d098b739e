"""Requests of OpenAI clients: a question with its conversation, or a prompt about the conversation.

Clients also ask the model for titles, tags, follow-up questions, search queries and summaries. Such
prompts hold the conversation as one text, whatever their language and template, so that shape is
looked for first, and words second.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from hopyard.state.errors import UsageError
from hopyard.state.text.unicode import storable_text

__all__ = ("PLAIN", "WITH_LINKS", "Chat", "Conversations", "is_about_the_chat", "read_chat")

PLAIN: Final = "hopyard"
WITH_LINKS: Final = "hopyard-links"
"""The same with the marks of its citations as links, for clients that show nothing else."""

_KINDS: Final = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "system": SystemMessage,
    "developer": SystemMessage,
}
_TASK_TOKENS: Final = 500
_MOST_TASK_TOKENS: Final = 4000
_REMEMBERED: Final = 1000
"""Conversations whose thread is known. One that is forgotten begins a new thread."""

_PERSON: Final = re.compile(r"^[^\w\n]*(?:user|human)[^\w\n]*:", re.IGNORECASE | re.MULTILINE)
_MODEL: Final = re.compile(r"^[^\w\n]*(?:assistant|ai|bot)[^\w\n]*:", re.IGNORECASE | re.MULTILINE)
_SHAPE: Final = re.compile(r'\{\s*"\w+"\s*:')
_TOOL_CALLS: Final = re.compile(r'\{\s*"tool_calls"\s*:')
_WISH: Final = re.compile(
    r"\b(?:title|name|tags?|follow[- ]?ups?|emojis?|summar\w+|search quer\w+)\b", re.IGNORECASE
)
_FACE: Final = re.compile(r"\bemojis?\b", re.IGNORECASE)
_TALK: Final = re.compile(r"\b(?:conversation|chat|dialogue|discussion)\b", re.IGNORECASE)
_THIS_TALK: Final = re.compile(
    r"\b(?:this|our|the above|the whole|the entire)\s+(?:conversation|chat|dialogue|discussion)\b",
    re.IGNORECASE,
)
_SHORT: Final = 1000
"""Characters of a wish about the chat that follows the chat's own messages."""
_LONGEST: Final = 200_000
"""Characters in which conversations are looked for."""


@dataclass(frozen=True)
class Chat:
    """A request of a client, as far as it counts."""

    messages: Sequence[AnyMessage]
    """All messages with text. Without the system's, the last is the user's."""
    model: str = PLAIN
    stream: bool = False
    usage: bool = False
    """Whether a stream ends with a chunk of the tokens."""
    task_tokens: int = _TASK_TOKENS
    form: str = ""
    """The option that demands a call of a tool, or JSON, in place of a text; "" for none."""
    field: str = ""
    """The only field of the JSON object that it demands, such as `title`; "" for several."""

    @property
    def links(self) -> bool:
        """Whether citations are links in the text."""
        return self.model == WITH_LINKS

    @property
    def said(self) -> list[AnyMessage]:
        """The conversation without the client's instructions."""
        return [message for message in self.messages if not isinstance(message, SystemMessage)]


def read_chat(given: Mapping[str, Any]) -> Chat:
    """The parts of a request that count. The rest, such as `temperature` and `stop`, is ignored.

    Raises:
        UsageError: It has no question, or wants several answers.
    """
    if not isinstance(given.get("messages"), list):
        raise UsageError("A request needs `messages`, a list.")
    if given.get("n") not in (None, 1):
        raise UsageError("There is one answer to a question: leave out `n`.")
    messages = [found for sent in given["messages"] if (found := _message(sent)) is not None]
    options = given.get("stream_options")
    most = given.get("max_completion_tokens") or given.get("max_tokens")
    chat = Chat(
        messages,
        str(given.get("model") or PLAIN),
        bool(given.get("stream")),
        isinstance(options, dict) and bool(options.get("include_usage")),
        min(most, _MOST_TASK_TOKENS) if isinstance(most, int) and most > 0 else _TASK_TOKENS,
        _form(given),
        _only_field(given),
    )
    if not chat.said or not isinstance(chat.said[-1], HumanMessage):
        raise UsageError("The last message must be the user's.")
    return chat


def is_about_the_chat(chat: Chat, conversations: Conversations) -> bool:
    """Whether a client asks for a title, tags or the like of a conversation.

    Args:
        chat: The request.
        conversations: Those that were answered here: a prompt that repeats both the question and
            the answer of one is about it, in whatever language.
    """
    *before, last = chat.said
    orders = "\n".join(each.text for each in chat.messages if isinstance(each, SystemMessage))
    text = last.text
    if _TOOL_CALLS.search(orders):
        return True
    if before:
        return len(text) <= _SHORT and bool(_WISH.search(text) and _THIS_TALK.search(text))
    if _holds_a_message(text) or conversations.are_in(text):
        return True
    whole = f"{orders}\n{text}"
    wished = _SHAPE.search(whole) or (_WISH.search(whole) and _TALK.search(whole))
    return bool(_PERSON.search(text) and _MODEL.search(text) and wished)


def _holds_a_message(text: str) -> bool:
    """Whether it is one of Open WebUI's prompts: a conversation in tags, or a message to feel."""
    if "<chat_history>" in text and "</chat_history>" in text:
        return True
    return text.rstrip().endswith("```") and bool(_FACE.search(text))


class Conversations:
    """Threads by the conversation that they hold."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, int, str, str]] = OrderedDict()

    def take(self, said: Sequence[AnyMessage]) -> tuple[str, int]:
        """The thread of a conversation that continues, and its number of answers; else ("", 0)."""
        thread, turns, *_ = self._kept.pop(_key(said), ("", 0))
        return thread, turns

    def keep(self, said: Sequence[AnyMessage], answer: str, thread: str, turns: int) -> None:
        """Note the thread of a conversation and its last answer."""
        held = thread, turns, _words(said[-1].text), _words(answer)
        self._kept[_key([*said, AIMessage(answer)])] = held
        while len(self._kept) > _REMEMBERED:
            self._kept.popitem(last=False)

    def are_in(self, text: str) -> bool:
        """Whether a text holds the last question and answer of a conversation."""
        words = _words(text[:_LONGEST])
        return any(
            answer and question in words and answer in words
            for *_, question, answer in self._kept.values()
        )


def _form(given: Mapping[str, Any]) -> str:
    tool, form = given.get("tool_choice"), given.get("response_format")
    if tool == "required" or isinstance(tool, dict):
        return "tool_choice"
    wanted = isinstance(form, dict) and form.get("type", "text") != "text"
    return "response_format" if wanted else ""


def _only_field(given: Mapping[str, Any]) -> str:
    form: Any = given
    for name in ("response_format", "json_schema", "schema", "properties"):
        form = form.get(name) if isinstance(form, dict) else None
    return str(next(iter(form))) if isinstance(form, dict) and len(form) == 1 else ""


def _message(sent: Any) -> AnyMessage | None:
    """A message with its text; None for a kind that says nothing about the documents."""
    role = sent.get("role") if isinstance(sent, dict) else None
    if not isinstance(role, str) or role not in _KINDS:
        return None
    text = storable_text(_text(sent.get("content")))
    message: AnyMessage = _KINDS[role](_own_words(text))
    return message


def _text(content: Any) -> str:
    """The text of a message, which may come in parts; pictures and sounds are left out."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise UsageError("The content of a message must be a text or a list of parts.")
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _own_words(text: str) -> str:
    """A person's words without the files that Open WebUI puts before them."""
    before, found, own = text.rpartition("</context>")
    attached = found and "<context>" in before and "<source" in before
    return own.strip() if attached and own.strip() else text


def _key(said: Sequence[AnyMessage]) -> str:
    """The same for a conversation whose white space a client has changed."""
    words = [(message.type, _words(message.text)) for message in said]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def _words(text: str) -> str:
    return " ".join(text.split())
