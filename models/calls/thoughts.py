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
_LENIENT: Final = json.JSONDecoder(strict=False)
"""Models write line breaks into strings as they are."""
_BEGUN: Final = re.compile(
    r"\s*(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|[.eE][+-]?\d*|\\?u[0-9a-fA-F]{0,3})\s*"
)
"""The beginning of a value that is neither a text, a list nor an object, or of an escape."""
_WORD: Final = re.compile(r"\w")
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
        begun: The object that begins after them and is cut off, if any.
    """

    text: str
    objects: tuple[tuple[dict[str, Any], str], ...]
    begun: str


_NOTHING: Final = Spoken("", (), "")


def spoken_objects(text: str) -> Spoken:
    """Find the JSON objects that a model wrote outside of its thoughts.

    A closing mark ends all thoughts before it, also without an opening mark. If an opening mark
    has no closing mark, only an object with which the text ends is spoken: whatever is followed by
    more words, or cut off, may still be a draft.
    """
    decoder = json.JSONDecoder()
    begin = place = ended = 0
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
                begun = text[mark.start() :]
                if is_cut_off(begun) and not _CLOSE.search(begun):
                    return Spoken(text[begin:], tuple(objects), begun) if ends else _NOTHING
                continue  # no object, or a draft that a thought broke off
            objects.append((found, text[mark.start() : place]))
            ended = place
    if not ends and _WORD.search(text, max(begin, ended)):
        return _NOTHING
    return Spoken(text[begin:], tuple(objects), "")


def is_cut_off(text: str) -> bool:
    """Whether a text that begins with a brace is the beginning of a JSON object.

    An object with a fault before its end is not: nobody knows what would follow.
    """
    try:
        _LENIENT.raw_decode(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        unended = error.msg.startswith("Unterminated string") or not rest.strip()
        return unended or _BEGUN.fullmatch(rest) is not None
    except RecursionError:
        return False
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
