"""Models for tests: a chat model that answers from a script, and embeddings made of words."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableLambda
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.embedder import Vector, Vectors

__all__ = (
    "FAILURES",
    "GARBAGE",
    "Answers",
    "ChatRequest",
    "Reply",
    "ScriptedChat",
    "WordEmbedder",
    "word_vector",
)

Reply = Mapping[str, Any] | str | AIMessage | Exception
"""A reply of the model: the fields of the output, a plain text, a message, or an error to raise."""


class _ServerError(Exception):
    """The error of a server that refuses, as the clients of the providers raise it."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status_code = status
        self.body = {"error": {"message": code, "code": code}}


GARBAGE: Final = "I would rather talk about the weather."
"""A reply that fits no schema."""

FAILURES: Final[Mapping[str, Reply]] = {
    "unfit": GARBAGE,
    "unfinished": '{"answer": "It is the',
    "empty": "",
    "filtered": AIMessage("It", response_metadata={"finish_reason": "content_filter"}),
    "refused": AIMessage("", additional_kwargs={"refusal": "I will not say."}),
    "too long": _ServerError(400, "context_length_exceeded"),
    "timeout": TimeoutError(),
    "busy": _ServerError(503, "overloaded"),
    "unreachable": ConnectionRefusedError("nothing listens"),
}
"""Every way in which a call can fail, by the name of the failure."""

Answers = (
    Callable[[str, list[dict[str, Any]]], Reply]
    | Mapping[str | tuple[str, str], Reply | Sequence[Reply]]
)
"""A function of the output's name and the messages, or a table (see `ScriptedChat`)."""

_ROLES: Final = {"human": "user", "ai": "assistant"}
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class ChatRequest:
    """One request to the chat model.

    Attributes:
        name: Name of the output's class, such as `Answer`.
        turn: The last message that is not about a bad output: what differs from call to call.
    """

    name: str
    turn: str


class ScriptedChat:
    """A chat model that answers from a script, in this process and without a server.

    Args:
        answers: A function of the output's name and the messages (mappings with `role` and
            `content`), or a table. A key of the table is the name of the output's class, such as
            `Answer`, or a pair of that name and a text that occurs in the request. The first key
            that matches counts, so put specific keys first. A list gives its replies in turn and
            then repeats the last.

    Attributes:
        requests: Every request so far.
        before: Called before each reply. It may raise.
    """

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.requests: list[ChatRequest] = []
        self.before: Callable[[ChatRequest], None] = lambda request: None
        self._given: dict[str | tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def register(self, name: str = "scripted", *, concurrency: int = 16) -> None:
        """Make it usable by name in this process, as in `Context(model="scripted")`."""
        model: Any = self
        provider = ChatProvider(name, lambda _: model, concurrency, cure="fix the script")
        register_chat_provider(name, provider)

    def with_structured_output(
        self, schema: Mapping[str, Any], **_: Any
    ) -> RunnableLambda[Any, Any]:
        """The model as Hopyard asks it: held to a schema."""

        async def answer(messages: list[BaseMessage]) -> AIMessage:
            asked = [
                {"role": _ROLES.get(message.type, message.type), "content": message.content}
                for message in messages
            ]
            reply = self._reply(str(schema["title"]), asked)
            if isinstance(reply, Exception):
                raise reply
            if isinstance(reply, AIMessage):
                return reply
            text = reply if isinstance(reply, str) else json.dumps(dict(reply))
            usage = UsageMetadata(input_tokens=100, output_tokens=10, total_tokens=110)
            return AIMessage(text, usage_metadata=usage)

        return RunnableLambda(answer)

    def _reply(self, name: str, messages: list[dict[str, Any]]) -> Reply:
        request = ChatRequest(name, _turn(messages))
        with self._lock:
            self.requests.append(request)
        self.before(request)
        if callable(self.answers):
            return self.answers(name, messages)
        for key, replies in self.answers.items():
            wanted, text = (key, "") if isinstance(key, str) else key
            if wanted == name and text in request.turn:
                return self._next(key, replies)
        raise LookupError(f"the script has no {name} for {request.turn[-200:]!r}")

    def _next(self, key: str | tuple[str, str], replies: Reply | Sequence[Reply]) -> Reply:
        if isinstance(replies, (str, Mapping, AIMessage, Exception)):
            return replies
        with self._lock:
            place = self._given.get(key, 0)
            self._given[key] = place + 1
        return replies[min(place, len(replies) - 1)]


def _turn(messages: list[dict[str, Any]]) -> str:
    turn = str(messages[-1]["content"])
    # A retry repeats the request and adds the bad output and what is wrong with it.
    return str(messages[-3]["content"]) if turn.startswith("That does not fit") else turn


def word_vector(text: str, dimension: int = 32) -> Vector:
    """A unit vector [dimension] of a text: a random direction for each word, summed.

    Texts that share words lie close together. The same text has the same vector on every machine.
    """
    total = np.zeros(dimension)
    for word in _WORD.findall(text.lower()) or [""]:
        total += _direction(word, dimension)
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


@lru_cache(maxsize=4096)
def _direction(word: str, dimension: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8])
    return np.random.default_rng(seed).normal(size=dimension)


class WordEmbedder:
    """An embedding model that needs no weights: see `word_vector`."""

    name = "words"
    dimension = 32
    window = 2048
    tokenizer: Tokenizer | None = None

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, 32], each row of length 1."""
        vectors = [self.embed_query(text) for text in texts]
        return np.stack(vectors) if vectors else np.empty((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [32], of length 1."""
        return word_vector(text, self.dimension)
