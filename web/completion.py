"""An answer in the form of OpenAI's API, with the events of Open WebUI."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from starlette.responses import JSONResponse, Response

from hopyard.agent.answer import Answer, Citation
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.schemas import Step
from hopyard.state.text.counting import counted
from hopyard.tracing.describe import line_of
from hopyard.web.chats import Chat, Conversations
from hopyard.web.requests import error_of, refused
from hopyard.web.runs import Run
from hopyard.web.turns import doubts

__all__ = ("Completion", "chunk_line", "frame")

_MARK: Final = re.compile(r"\[(\d+)\]")
_AGAIN: Final = "\n\n---\n\n"
_IDLE: Final = 15
"""Seconds after which an idle stream sends an empty chunk, so that no proxy closes it. A comment
would do for the protocol, but breaks some clients."""
_STOPPED: Final = "The run was stopped; the page can continue it."
_AWAY: Final = "The server was stopped; the answer will be on its page after the next start."


class Completion:
    """One answer.

    Args:
        run: The run that writes it.
        chat: The request.
        address: The server's address, as the client knows it.
        turn: The number of the answer in its thread, from 1.
        annotated: Whether a stream has annotations. Open WebUI would show each as a second source.
    """

    def __init__(
        self, run: Run, chat: Chat, address: str, turn: int, *, annotated: bool = True
    ) -> None:
        self._run, self._chat, self._address, self._turn = run, chat, address, turn
        self._frame, self._annotated = frame(chat.model), annotated
        self._steps: set[str] = set()
        self._answer: Answer | None = None
        self._text = ""
        """The answer, as far as the client has it."""

    async def whole(self, conversations: Conversations) -> Response:
        """The answer as one object."""
        async for happening in self._run.follow():
            if happening.kind == "failed":
                return refused(502, happening.data["text"])
            if happening.kind == "answer":
                self._answer = happening.data["answer"]
        if self._answer is None:
            return refused(503, _STOPPED)
        self._text = self._linked(_spoken(self._answer), self._answer)
        self._remember(conversations)
        message = {
            "role": "assistant",
            "content": self._text,
            "annotations": self._annotations(self._answer),
        }
        choice = {"index": 0, "message": message, "finish_reason": _finish(self._answer)}
        usage = _usage(self._answer)
        return JSONResponse(
            {**self._frame, "object": "chat.completion", "choices": [choice], "usage": usage}
        )

    async def chunks(self, conversations: Conversations) -> AsyncGenerator[str, None]:
        """The answer as the lines of a stream."""
        yield chunk_line(self._frame, {"role": "assistant", "content": ""})
        problem, written = _STOPPED, _Written()
        async for happening in self._run.follow(idle=_IDLE):
            data = happening.data
            if happening.kind == "idle":
                yield chunk_line(self._frame, {})
            elif happening.kind == "steps":
                for line in self._new_steps(data["steps"]):
                    yield self._event("status", {"description": line, "done": False})
            elif happening.kind == "token" and not self._chat.links:
                if piece := written.add(data["text"], restart=data["restart"]):
                    yield self._say(piece)
            elif happening.kind in {"failed", "away"}:
                problem = data.get("text", _AWAY)
            elif happening.kind == "answer":
                self._answer = data["answer"]
        if self._answer is None:
            yield self._event("status", {"description": problem, "done": True})
            yield _line(error_of(502, problem))
        else:
            for line in self._closing(self._answer, written.shown):
                yield line
            self._remember(conversations)
        yield "data: [DONE]\n\n"

    def _new_steps(self, steps: Iterable[Step]) -> Iterator[str]:
        """The lines of steps that have not been told. A step comes again when it has changed."""
        for step in steps:
            line = line_of(step, {})
            if line not in self._steps:
                self._steps.add(line)
                yield line

    def _closing(self, answer: Answer, told: str) -> list[str]:
        """The lines after the text: the rest of it, sources, annotations and usage."""
        spoken = self._linked(_spoken(answer), answer)
        if not spoken.startswith(told):
            told = told.rstrip()  # a model's space after its answer is no part of it
        if not self._chat.links and _differs_in_numbers(told, answer):
            spoken = told + spoken.removeprefix(answer.text)
        lines = [] if spoken.startswith(told) else [self._say(_AGAIN)]
        if rest := spoken.removeprefix(told):
            lines.append(self._say(rest))
        lines += [
            self._event("source", self._source(number, cited))
            for number, cited in enumerate(answer.citations, 1)
        ]
        lines.append(self._event("status", {"description": _cost(answer), "done": True}))
        if self._annotated and (found := self._annotations(answer)):
            lines.append(chunk_line(self._frame, {"annotations": found}))
        lines.append(chunk_line(self._frame, {}, _finish(answer)))
        if self._chat.usage:
            lines.append(_line({**self._frame, "choices": [], "usage": _usage(answer)}))
        return lines

    def _say(self, text: str) -> str:
        self._text += text
        return chunk_line(self._frame, {"content": text})

    def _remember(self, conversations: Conversations) -> None:
        conversations.keep(self._chat.said, self._text, self._run.thread, self._turn)

    def _event(self, kind: str, data: dict[str, Any]) -> str:
        """An event of Open WebUI. To other clients it is a chunk that adds nothing."""
        return chunk_line({**self._frame, "event": {"type": kind, "data": data}}, {})

    def _place(self, number: int) -> str:
        return f"{self._address}threads/{quote(self._run.thread)}/{self._turn}/citations/{number}"

    def _source(self, number: int, cited: Citation) -> dict[str, Any]:
        """A source as Open WebUI shows it: the passage, its name and its page.

        It shows an id that is an address in place of the name, and counts sources by their ids.
        """
        name, id_ = cited.reference, f"{self._run.thread}/{self._turn}/{number}"
        return {
            "source": {"id": id_, "name": name, "url": self._place(number)},
            "document": [cited.text or cited.quote],
            "metadata": [{**cited.metadata, "source": id_, "name": name}],
        }

    def _annotations(self, answer: Answer) -> list[dict[str, Any]]:
        found = []
        for mark in _MARK.finditer(self._text):
            number = int(mark[1])
            if 1 <= number <= len(answer.citations):
                citation = {
                    "start_index": mark.start(),
                    "end_index": mark.end(),
                    "url": self._place(number),
                    "title": answer.citations[number - 1].reference,
                }
                found.append({"type": "url_citation", "url_citation": citation})
        return found

    def _linked(self, text: str, answer: Answer) -> str:
        def link(mark: re.Match[str]) -> str:
            number = int(mark[1])
            cited = 1 <= number <= len(answer.citations)
            return f"{mark[0]}({self._place(number)})" if cited else mark[0]

        return _MARK.sub(link, text) if self._chat.links else text


class _Written:
    """An answer that is being written, of which nothing can be taken back.

    A beginning of "Unknown" is held back: another strategy may find the answer. An answer that is
    begun again continues what is shown of it already, if it is the same so far.
    """

    def __init__(self) -> None:
        self.shown = ""
        """The text that is shown, since the answer was last begun in other words."""
        self._text = ""

    def add(self, text: str, *, restart: bool) -> str:
        """Take the next piece of the answer, and return what to show."""
        self._text = text if restart else self._text + text
        shown = self.shown
        if shown.startswith(self._text) or _may_be_unknown(self._text):
            return ""
        if restart and _unnumbered(shown) == _unnumbered(self._text):
            self._text = shown  # the last numbers come with the answer
            return ""
        goes_on = self._text.startswith(shown)
        self.shown = self._text
        return self._text[len(shown) :] if goes_on else f"{_AGAIN}{self._text}"


def _may_be_unknown(text: str) -> bool:
    return UNKNOWN.casefold().startswith(text.strip(" .").casefold())


def frame(model: str) -> dict[str, Any]:
    """The fields that all chunks of an answer share."""
    made = int(time.time())
    kind = "chat.completion.chunk"
    return {"id": f"chatcmpl-{uuid4().hex}", "object": kind, "created": made, "model": model}


def chunk_line(begun: Mapping[str, Any], delta: dict[str, Any], finish: str | None = None) -> str:
    """A chunk of a stream. Many clients read its first choice unseen, so it has one."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _line({**begun, "choices": [choice]})


def _differs_in_numbers(told: str, answer: Answer) -> bool:
    """Whether a text is the answer, with other numbers that lead to the same passages.

    While an answer is written, a passage has one number; at its end, one for each other quote.
    """
    cited = {str(place): found.passage_id for place, found in enumerate(answer.citations, 1)}
    pairs = zip(_MARK.findall(told), _MARK.findall(answer.text), strict=False)
    same = all(ours in cited and cited[ours] == cited.get(final) for ours, final in pairs)
    return same and _unnumbered(told) == _unnumbered(answer.text)


def _unnumbered(text: str) -> str:
    return _MARK.sub("[]", text.strip())


def _spoken(answer: Answer) -> str:
    """The text of an answer, with what the documents do not confirm."""
    if answer.waiting:
        asked = ", ".join(waiting.action for waiting in answer.waiting)
        return f"Waiting for approval: {asked}."
    return "\n\n".join([answer.text, *(f"*{note}*" for note in doubts(answer))])


def _finish(answer: Answer) -> str:
    if answer.ending == "filtered":
        return "content_filter"
    return "length" if answer.truncated or answer.ending == "cut" else "stop"


def _usage(answer: Answer) -> dict[str, int]:
    given, written = answer.usage.input_tokens, answer.usage.output_tokens
    return {
        "prompt_tokens": given,
        "completion_tokens": written,
        "total_tokens": given + written,
    }


def _cost(answer: Answer) -> str:
    usage = answer.usage
    calls = counted(usage.model_calls, "model call")
    return f"{answer.strategy}: {calls}, {usage.seconds:.1f} s"


def _line(data: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
