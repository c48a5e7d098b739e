"""Thoughts in a model's text: where they end, and what the model said outside of them.

Reasoning models put their thoughts between marks, each family between its own. A server may remove
one of the marks: chat templates write the opening tag themselves, and limits cut off the closing
tag. A mark inside a JSON string is text of the answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json

from hopyard.state.unicode import valid_unicode

__all__ = ("Spoken", "begins_to_speak", "spoken_objects", "without_thoughts")

_NAMES: Final = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection)"
_OPEN: Final = re.compile(
    rf"<{_NAMES}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>"
    r"|<\|channel\|>\s*(?!final)\w+[^<]*<\|message\|>",
    re.I,
)
_CLOSE: Final = re.compile(
    rf"<//?{_NAMES}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>"
    r"|<\|channel\|>\s*final\b[^<]*<\|message\|>|\bassistantfinal(?=\s*[{`])",
    re.I,
)
"""DeepSeek-R1, Qwen, Magistral, Kimi, Cohere, Seed, MiniMax and gpt-oss, whose channel "final" ends
the thoughts. Some servers drop the marks around gpt-oss's channel names, so only words remain."""
_MARK: Final = re.compile(rf"(?P<open>{_OPEN.pattern})|(?P<close>{_CLOSE.pattern})|\{{", re.I)
_LONGEST_MARK: Final = 60
"""Characters. A mark that is still arriving is at most this long."""
_SPEECH: Final = re.compile(r"\s*(?:```\w*\s*)?\{")
_SPEECH_BEGINNING: Final = re.compile(r"\s*(?:`{0,2}|```\w*\s*)")
_MOST_OBJECTS: Final = 200
"""Text with more braces than this is no answer; reading on would take quadratic time."""


@dataclass(frozen=True)
class Spoken:
    """A model's text outside of its thoughts.

    Attributes:
        text: The text after the last thought; all of it if a thought never ends.
        objects: The complete JSON objects in it, each with its text, in order.
        begun: The object that begins after them and is cut off; "" if there is none.
    """

    text: str
    objects: tuple[tuple[dict[str, Any], str], ...]
    begun: str


def spoken_objects(text: str) -> Spoken:
    """Find the JSON objects that a model wrote outside of its thoughts.

    A closing mark ends all thoughts before it, also without an opening mark. If an opening mark
    has no closing mark, nobody knows where the thought ends: everything after it counts as spoken.

    Args:
        text: The model's output.
    """
    decoder = json.JSONDecoder()
    begin = place = 0
    objects: list[tuple[dict[str, Any], str]] = []
    ends = True
    for _ in range(_MOST_OBJECTS):
        mark = _MARK.search(text, place)
        if mark is None:
            break
        place = mark.end()
        if mark["open"]:
            close = _CLOSE.search(text, place) if ends else None
            ends = close is not None
            place = close.end() if close else place
            begin, objects = place, []
        elif mark["close"]:
            begin, objects = place, []
        else:
            try:
                found, place = decoder.raw_decode(text, mark.start())
            except (ValueError, RecursionError):
                if _is_cut_off(text[mark.start() :]):
                    return Spoken(text[begin:], tuple(objects), text[mark.start() :])
                continue
            objects.append((found, text[mark.start() : place]))
    return Spoken(text[begin:], tuple(objects), "")


def _is_cut_off(text: str) -> bool:
    """Whether the text is the beginning of a JSON object with a field."""
    try:
        return bool(from_json(valid_unicode(text), allow_partial="trailing-strings"))
    except ValueError:
        return False


def without_thoughts(text: str) -> str:
    """The part of a model's output that may be kept: all of it after its last thought.

    Text without marks of thoughts stays as it is.
    """
    return spoken_objects(text).text


def begins_to_speak(text: str) -> int | None:
    """Where a text that is still arriving begins to speak: the place of its first brace.

    Returns:
        The place; None if it is not known yet, because the text is still a thought; -1 if prose
        comes first. Prose may be a thought without marks, so nothing of this text can be shown
        before it is complete.
    """
    place = 0
    while opened := _OPEN.match(text, _after_space(text, place)):
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return None
        place = closed.end()
    if final := _CLOSE.match(text, _after_space(text, place)):
        place = final.end()
    if found := _SPEECH.match(text, place):
        return found.end() - 1
    rest = text[place:]
    if _SPEECH_BEGINNING.fullmatch(rest) or _may_become_a_mark(rest.lstrip()):
        return None
    return -1


def _after_space(text: str, place: int) -> int:
    return place + len(text[place:]) - len(text[place:].lstrip())


def _may_become_a_mark(text: str) -> bool:
    return text[:1] in {"<", "[", "◁"} and len(text) < _LONGEST_MARK and "{" not in text
