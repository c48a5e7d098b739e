"""The answer's text, told while the model still writes it.

Every model call gives JSON. The closing call's `answer` is read out of the JSON as it comes and
put into LangGraph's "custom" stream, as `{"type": "token", "text": …, "restart": …}`: the texts
since the last restart add up to the answer, also where the ledger had it, a repair changed it or
a second try replaced it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langgraph.config import get_stream_writer

from hopyard.state.controls import without_controls

__all__ = ("ANSWER_FIELD", "PART_TYPE", "AnswerStream", "FieldText", "answer_stream", "chunk_text")

ANSWER_FIELD: Final = "answer"
"""The output field that a person reads; an output without it is not streamed."""
PART_TYPE: Final = "token"
"""`type` of the parts of the custom stream that carry the answer's text."""

_THOUGHTS: Final = ("<think>", "</think>")
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])")
_HIGH: Final = range(0xD800, 0xDC00)


class FieldText:
    """Reads one string field out of a JSON object that comes in pieces.

    Args:
        field: The field's name.
    """

    def __init__(self, field: str) -> None:
        self._begin = re.compile(rf'[{{,]\s*"{re.escape(field)}"\s*:\s*"')
        self._raw = ""
        self._inside = False
        self._ended = False

    def feed(self, piece: str) -> str:
        """The next piece of the model's text; gives what it adds to the field, perhaps nothing."""
        if self._ended:
            return ""
        self._raw += piece
        if not self._inside and not self._find():
            return ""
        return self._decoded()

    def _find(self) -> bool:
        opened, closed = _THOUGHTS
        if opened in self._raw and closed not in self._raw:
            return False  # a model that thinks aloud may write JSON there too
        spoken = self._raw.rpartition(closed)[2]
        found = self._begin.search(spoken)
        if found is None:
            return False
        self._raw = spoken[found.end() :]
        self._inside = True
        return True

    def _decoded(self) -> str:
        """Everything up to the closing quote, or to an escape that has not come in whole."""
        text, place = [], 0
        while place < len(self._raw):
            character = self._raw[place]
            if character == '"':
                self._ended = True
                break
            if character != "\\":
                text.append(character)
                place += 1
                continue
            end = self._escape_end(place)
            if end is None:
                break
            text.append(_unescaped(self._raw[place:end]))
            place = end
        self._raw = self._raw[place:]
        return "".join(text)

    def _escape_end(self, place: int) -> int | None:
        """Where the escape ends, the two halves of a surrogate pair being one; None: not yet."""
        found = _ESCAPE.match(self._raw, place)
        if found is None:
            return None
        end = found.end()
        if found.group()[1] != "u" or int(found.group()[2:], 16) not in _HIGH:
            return end
        rest = self._raw[end : end + 6]
        if len(rest) < 6 and '"' not in rest:
            return None
        second = _ESCAPE.match(self._raw, end)
        return second.end() if second and second.group().startswith("\\u") else end


def _unescaped(escape: str) -> str:
    try:
        text: str = json.loads(f'"{escape}"')
    except ValueError:
        return escape[1:]  # no escape that JSON knows: `parse` repairs it in the same way
    return text.encode("utf-8", "replace").decode()


class AnswerStream:
    """Tells the answer of one closing call, in whatever way it comes.

    Args:
        write: Takes one part of LangGraph's custom stream.
    """

    def __init__(self, write: Callable[[Any], None]) -> None:
        self._write = write
        self._told = ""
        self._field = FieldText(ANSWER_FIELD)

    def restart(self) -> None:
        """The model begins anew: what was told no longer counts."""
        self._field = FieldText(ANSWER_FIELD)
        if self._told:
            self._tell("", restart=True)

    def feed(self, piece: str) -> None:
        """One piece of the model's JSON."""
        text = without_controls(self._field.feed(piece))
        if text := text if self._told else text.lstrip():
            self._tell(text)

    def settle(self, answer: str) -> None:
        """The answer is known: tell what is missing, or all of it where something else was told."""
        if answer.startswith(self._told):
            if rest := answer[len(self._told) :]:
                self._tell(rest)
        elif self._told.rstrip() != answer:
            self._tell(answer, restart=True)

    def _tell(self, text: str, *, restart: bool = False) -> None:
        self._told = text if restart else self._told + text
        self._write({"type": PART_TYPE, "text": text, "restart": restart})


def answer_stream() -> AnswerStream | None:
    """The stream of the LangGraph run that this is a part of; None outside of one."""
    try:
        return AnswerStream(get_stream_writer())
    except (RuntimeError, KeyError):
        return None


def chunk_text(chunk: BaseMessage) -> str:
    """The piece of JSON in a chunk, which some providers give as the arguments of a tool call."""
    calls = getattr(chunk, "tool_call_chunks", None) or []
    return "".join(call["args"] or "" for call in calls) or chunk.text
