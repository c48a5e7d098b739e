"""Streams the answer's text while the model is still writing it.

Every model call returns JSON. The closing call's `answer` is read from the JSON as it arrives and
written to LangGraph's "custom" stream, as `{"type": "token", "text": …, "restart": …}`. The texts
since the last restart add up to the answer. That holds too if the ledger had it, a repair changed
it, its end was cut off or a second try replaced it. On the "messages" stream it is spoken
(`models.calls.voice`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import BaseMessage
from langgraph.config import get_config, get_stream_writer

from hopyard.models.calls.thoughts import begins_to_speak
from hopyard.state.text.unicode import without_controls

if TYPE_CHECKING:
    from hopyard.models.calls.voice import Spoken, Voice

ANSWER_FIELD: Final = "answer"
"""The output field that people read; an output without it is not streamed."""
PART_TYPE: Final = "token"
"""`type` of the parts of the custom stream that contain the answer's text."""

_TURNS: Final = re.compile(r'[>\]▷{":]')
"""Only a piece with one of these can end a thought or begin the field."""
_HALF_ESCAPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_LENIENT: Final = json.JSONDecoder(strict=False)
"""Models write line breaks into strings as they are."""
_HIGH: Final = range(0xD800, 0xDC00)
"""The first half of a character that JSON writes as two escapes."""


class FieldText:
    """Reads a string field from a JSON object that arrives in pieces.

    Args:
        field: The field's name.
    """

    def __init__(self, field: str) -> None:
        self._begin = re.compile(rf'[{{,]\s*"{re.escape(field)}"\s*:\s*"')
        self._raw = ""
        self._told = 0
        self._inside = False
        self._ended = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the model's text, and return what it adds to the field."""
        if self._ended:
            return ""
        self._raw += piece
        if not self._inside and not (_TURNS.search(piece) and self._find()):
            return ""
        return self._decoded()

    def _find(self) -> bool:
        """Whether the field has begun; nothing is read from a text that may hold thoughts."""
        begin = begins_to_speak(self._raw)
        if begin is None or begin < 0:
            self._ended = begin is not None
            return False
        found = self._begin.search(self._raw, begin)
        end = _object_end(self._raw, begin)
        if end is not None and (found is None or found.start() >= end):
            self._ended = True  # the first object has no such field: which one counts, parse says
            return False
        if found is None:
            return False
        self._raw = self._raw[found.end() :]
        self._inside = True
        return True

    def _decoded(self) -> str:
        """The new text up to the closing quote, or to an escape that is not complete yet."""
        raw = _HALF_ESCAPE.sub(r"\1", self._raw)
        try:
            text, end = _LENIENT.raw_decode(f'"{raw}"')
        except ValueError:  # not a JSON escape: `parse` repairs it
            self._ended = True
            return ""
        self._ended = end < len(raw) + 2
        if not self._ended and text and ord(text[-1]) in _HIGH:
            text = text[:-1]
        new: str = text[self._told :]
        self._told = len(text)
        return new.encode("utf-8", "replace").decode()


def _object_end(text: str, begin: int) -> int | None:
    """Where the object that begins there ends; None if it is not complete yet."""
    try:
        return json.JSONDecoder().raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


class AnswerStream:
    """Streams the answer of a closing call.

    Args:
        write: Writes a part to LangGraph's custom stream.
        voice: Speaks the answer on the messages stream; None if nobody listens to it.
    """

    def __init__(self, write: Callable[[Any], None], voice: Voice | None = None) -> None:
        self._write = write
        self._voice = voice
        self._ended = False
        self._streamed = ""
        self._field = FieldText(ANSWER_FIELD)

    def restart(self) -> None:
        """The model starts again: what was streamed no longer counts."""
        self._field = FieldText(ANSWER_FIELD)
        if self._streamed:
            self._send("", restart=True)

    def feed(self, piece: str) -> None:
        """Take a piece of the model's JSON."""
        text = without_controls(self._field.feed(piece))
        if text := text if self._streamed else text.lstrip():
            self._send(text)

    def settle(self, answer: str) -> None:
        """The answer is final: stream the rest, or all of it if something else was streamed."""
        if answer.startswith(self._streamed):
            if rest := answer[len(self._streamed) :]:
                self._send(rest)
        elif self._streamed.rstrip() != answer:
            self._send(answer, restart=True)

    async def end(self, *, complete: bool) -> Spoken | None:
        """The call has ended: nothing is streamed any more.

        Args:
            complete: Whether it gave an answer.

        Returns:
            The message on the messages stream, if any.
        """
        self._ended = True
        if self._voice is None:
            return None
        await self._voice.end(complete=complete)
        return self._voice.spoken

    def _send(self, text: str, *, restart: bool = False) -> None:
        if self._ended:  # the call outlives its step, which was cancelled
            return
        if self._voice is not None:
            if restart:
                self._voice.restart()
            self._voice.say(text)
        self._streamed = text if restart else self._streamed + text
        self._write({"type": PART_TYPE, "text": text, "restart": restart})


def answer_stream(*, markers: bool) -> AnswerStream | None:
    """The stream of the current LangGraph run; None outside a run.

    Args:
        markers: Whether the answer has markers with the numbers of passages.
    """
    from hopyard.models.calls.voice import voice_of

    try:
        return AnswerStream(get_stream_writer(), voice_of(get_config(), markers=markers))
    except (RuntimeError, KeyError):
        return None


def chunk_text(chunk: BaseMessage) -> str:
    """The piece of JSON in a chunk. Some providers send it as arguments of a tool call."""
    calls = getattr(chunk, "tool_call_chunks", None) or []
    return "".join(call["args"] or "" for call in calls) or chunk.text
