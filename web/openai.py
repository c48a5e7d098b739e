"""The endpoint that OpenAI clients talk to: `/v1/models` and `/v1/chat/completions`.

A client sends the whole conversation each time. A conversation whose last answer came from here
continues its thread; any other begins a thread. Clients also ask the model for titles, tags and
follow-up questions; such prompts are answered by the model alone, and make no turn of a thread.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from hopyard.agent.answer import Answer, Citation
from hopyard.models.chat import Sampling, chat_provider
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.schemas import UNCONFIRMED
from hopyard.state.settings.fields import Context
from hopyard.tracing.describe import line_of
from hopyard.web.runs import Run, Runs

__all__ = ("chat_completions", "is_about_the_chat", "models")

PLAIN: Final = "hopyard"
WITH_LINKS: Final = "hopyard-links"
"""The same with the marks of its citations as links, for clients that show nothing else."""

_REMEMBERED: Final = 1000
"""Conversations whose thread is known. One that is forgotten begins a new thread."""
_TASK_TOKENS: Final = 500
_TASK: Final = re.compile(r"\s*###\s*Task:", re.IGNORECASE)
_ABOUT: Final = re.compile(
    r"(?=.*\b(?:title|tags?|follow[- ]?ups?|emoji|summar\w+|search quer\w+)\b)"
    r"(?=.*\b(?:conversation|chat|dialogue)\b)"
    r"(?=.*\b(?:generate|provide|write|suggest|create|return|summar\w+|make)\b)",
    re.IGNORECASE | re.DOTALL,
)
_TRANSCRIPT: Final = re.compile(
    r"<chat_history>|^\W*(?:user|human|assistant|ai)\W*:", re.IGNORECASE | re.MULTILINE
)
_MARK: Final = re.compile(r"\[(\d+)\]")


async def models(request: Request) -> Response:
    """The models that a client may choose."""
    del request
    made = int(time.time())
    named = [
        {"id": name, "object": "model", "created": made, "owned_by": "hopyard"}
        for name in (PLAIN, WITH_LINKS)
    ]
    return JSONResponse({"object": "list", "data": named})


async def chat_completions(request: Request) -> Response:
    """Answer the last message of a conversation, at once or as it is written."""
    runs: Runs = request.app.state.runs
    try:
        asked = _read(await request.json())
    except (UsageError, ValueError) as error:
        return _error(400, str(error))
    if is_about_the_chat(asked["messages"]):
        return await _answer_alone(runs.given.context, asked)
    said = [message for message in asked["messages"] if not isinstance(message, SystemMessage)]
    *history, last = said
    known = _conversations(request)
    thread, turns = known.pop(_key(history), ("", 0))
    try:
        run = runs.ask(last.text, thread, () if thread else history)
    except HopyardError as error:
        return _error(400, str(error))
    completion = _Completion(run, asked, str(request.base_url), turns + 1)
    if asked["stream"]:
        return StreamingResponse(
            _remembering(completion.chunks(), completion, known), media_type="text/event-stream"
        )
    answered = await completion.whole()
    completion.remember(known)
    return answered


def is_about_the_chat(messages: Sequence[AnyMessage]) -> bool:
    """Whether a client asks for a title, tags or the like of a conversation.

    Open WebUI's prompts begin with "### Task:"; those of others ask for a title or a summary, and
    hold the conversation.
    """
    said = messages[-1].text
    if _TASK.match(said):
        return True
    around = "\n".join(message.text for message in messages if isinstance(message, SystemMessage))
    whole = f"{around}\n{said}"
    return bool(_ABOUT.search(whole) and (_TRANSCRIPT.search(whole) or len(messages) > 2))


class _Completion:
    """One answer in the form of OpenAI's API."""

    def __init__(self, run: Run, asked: Mapping[str, Any], address: str, turn: int) -> None:
        self._run, self._asked, self._address, self._turn = run, asked, address, turn
        self._id, self._made = f"chatcmpl-{uuid4().hex}", int(time.time())
        self._text = ""
        self._answer: Answer | None = None

    async def whole(self) -> Response:
        """The answer as one object."""
        async for happening in self._run.follow():
            if happening.kind == "failed":
                return _error(502, happening.data["text"])
            if happening.kind == "answer":
                self._answer = happening.data["answer"]
        if self._answer is None:
            return _error(503, "The run was stopped.")
        self._text = self._linked(_spoken(self._answer))
        message = {"role": "assistant", "content": self._text, "annotations": self._annotations()}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse(self._frame("chat.completion", choices=[choice], usage=self._usage()))

    async def chunks(self) -> AsyncGenerator[str, None]:
        """The answer as the lines of a stream."""
        yield self._chunk({"role": "assistant", "content": ""})
        told = ""
        async for happening in self._run.follow():
            data = happening.data
            if happening.kind == "steps":
                for step in data["steps"]:
                    yield self._event("status", {"description": line_of(step, {}), "done": False})
            elif happening.kind == "token" and not self._asked["links"]:
                if data["restart"] and told:
                    yield self._chunk({"content": "\n\n---\n\n"})
                    told = ""
                told += data["text"]
                yield self._chunk({"content": data["text"]})
            elif happening.kind == "failed":
                yield _line({"error": {"message": data["text"]}})
            elif happening.kind == "answer":
                self._answer = data["answer"]
        if self._answer is not None:
            for line in self._closing(self._answer, told):
                yield line
        yield "data: [DONE]\n\n"

    def remember(self, known: OrderedDict[str, tuple[str, int]]) -> None:
        """Note the thread, so that the conversation with this answer continues it."""
        if self._answer is not None:
            sent = [*self._asked["messages"], AIMessage(self._text)]
            known[_key(sent)] = self._run.thread, self._turn
            while len(known) > _REMEMBERED:
                known.popitem(last=False)

    def _closing(self, answer: Answer, told: str) -> list[str]:
        """The lines after the text: the rest of it, sources, annotations and usage."""
        spoken = self._linked(_spoken(answer))
        rest = spoken[len(told) :] if spoken.startswith(told) else ""
        self._text = told + rest if rest or told else spoken
        lines = [self._chunk({"content": rest})] if rest else []
        lines += [
            self._event("source", self._source(number, cited))
            for number, cited in enumerate(answer.citations, 1)
        ]
        lines.append(self._event("status", {"description": _cost(answer), "done": True}))
        lines.append(self._chunk({"annotations": self._annotations()}, finish="stop"))
        if self._asked["usage"]:
            lines.append(
                _line(self._frame("chat.completion.chunk", choices=[], usage=self._usage()))
            )
        return lines

    def _frame(self, kind: str, **more: Any) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": kind,
            "created": self._made,
            "model": self._asked["model"],
            **more,
        }

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _line(self._frame("chat.completion.chunk", choices=[choice]))

    def _event(self, kind: str, data: dict[str, Any]) -> str:
        """An event of Open WebUI. To other clients it is a chunk that adds nothing."""
        event = {"type": kind, "data": data}
        return _line(self._frame("chat.completion.chunk", choices=[], event=event))

    def _place(self, number: int) -> str:
        return f"{self._address}threads/{quote(self._run.thread)}/{self._turn}/citations/{number}"

    def _source(self, number: int, cited: Citation) -> dict[str, Any]:
        """A source as Open WebUI shows it: the passage, its name and its page."""
        place = self._place(number)
        return {
            "source": {"id": place, "name": cited.reference, "url": place},
            "document": [cited.text or cited.quote],
            "metadata": [{"source": place, "name": cited.reference, **cited.metadata}],
        }

    def _annotations(self) -> list[dict[str, Any]]:
        cited = self._answer.citations if self._answer else ()
        found = []
        for mark in _MARK.finditer(self._text):
            number = int(mark[1])
            if 1 <= number <= len(cited):
                citation = {
                    "start_index": mark.start(),
                    "end_index": mark.end(),
                    "url": self._place(number),
                    "title": cited[number - 1].reference,
                }
                found.append({"type": "url_citation", "url_citation": citation})
        return found

    def _linked(self, text: str) -> str:
        if not self._asked["links"]:
            return text
        return _MARK.sub(lambda mark: f"[{mark[1]}]({self._place(int(mark[1]))})", text)

    def _usage(self) -> dict[str, int]:
        usage = self._answer.usage if self._answer else None
        given = usage.input_tokens if usage else 0
        written = usage.output_tokens if usage else 0
        return {
            "prompt_tokens": given,
            "completion_tokens": written,
            "total_tokens": given + written,
        }


async def _remembering(
    lines: AsyncIterator[str], completion: _Completion, known: OrderedDict[str, tuple[str, int]]
) -> AsyncGenerator[str, None]:
    async for line in lines:
        yield line
    completion.remember(known)


def _read(given: Any) -> dict[str, Any]:
    """The parts of a request that count.

    Raises:
        UsageError: It has no question.
    """
    if not isinstance(given, dict) or not isinstance(given.get("messages"), list):
        raise UsageError("A request needs `messages`, a list.")
    messages = [found for sent in given["messages"] if (found := _message(sent)) is not None]
    if not messages or not isinstance(messages[-1], HumanMessage):
        raise UsageError("The last message must be the user's.")
    model = str(given.get("model") or PLAIN)
    return {
        "messages": messages,
        "model": model,
        "links": model == WITH_LINKS,
        "stream": bool(given.get("stream")),
        "usage": bool((given.get("stream_options") or {}).get("include_usage")),
    }


def _message(sent: Any) -> AnyMessage | None:
    """A message with its text; None for a kind that says nothing about the documents."""
    kinds = {"user": HumanMessage, "assistant": AIMessage, "system": SystemMessage}
    if not isinstance(sent, dict) or sent.get("role") not in kinds:
        return None
    content = sent.get("content") or ""
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        content = "\n".join(filter(None, parts))
    message: AnyMessage = kinds[sent["role"]](str(content))
    return message


async def _answer_alone(context: Context, asked: Mapping[str, Any]) -> Response:
    """Let the chat model answer a prompt about the conversation."""
    provider = chat_provider(context.model)
    if provider.prepare:
        await asyncio.to_thread(provider.prepare)
    sampling = Sampling(max_tokens=_TASK_TOKENS, temperature=0.0, seed=context.seed)
    model = await asyncio.to_thread(provider.connect, sampling)
    reply = await model.ainvoke(asked["messages"])
    frame = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": asked["model"]}
    if not asked["stream"]:
        message = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({**frame, "object": "chat.completion", "choices": [choice]})

    async def lines() -> AsyncGenerator[str, None]:
        for delta, finish in (({"role": "assistant", "content": reply.text}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            yield _line({**frame, "object": "chat.completion.chunk", "choices": [choice]})
        yield "data: [DONE]\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


def _conversations(request: Request) -> OrderedDict[str, tuple[str, int]]:
    """Threads by the conversation that they hold."""
    if not hasattr(request.app.state, "conversations"):
        request.app.state.conversations = OrderedDict()
    found: OrderedDict[str, tuple[str, int]] = request.app.state.conversations
    return found


def _key(messages: Sequence[AnyMessage]) -> str:
    said = [(message.type, message.text) for message in messages if message.type != "system"]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _spoken(answer: Answer) -> str:
    """The text of an answer, with what the documents do not confirm."""
    if answer.waiting:
        asked = ", ".join(waiting.action for waiting in answer.waiting)
        return f"Waiting for approval: {asked}."
    if not answer.unconfirmed:
        return answer.text
    return f"{answer.text}\n\n*{UNCONFIRMED} {answer.unconfirmed}*"


def _cost(answer: Answer) -> str:
    usage = answer.usage
    return f"{answer.strategy}: {usage.model_calls} model calls, {usage.seconds:.1f} s"


def _line(data: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": {"message": why, "type": "invalid_request_error"}}, status)
