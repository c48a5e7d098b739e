"""Markers in an answer: [2], [1][4] or [1, 4] after a statement name passages or citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

_MARKERS: Final = re.compile(r"(?:[ \t]*\[\d{1,3}(?:\s*,\s*\d{1,3})*\])+")
_CODE: Final = re.compile(r"```.*?(?:```|$)|`[^`\n]*`", re.DOTALL)
"""In code, [0] is no marker."""
_DIGITS: Final = re.compile(r"\d+")
_OPEN: Final = re.compile(r"(?:`[^`\n]*|[ \t]*(?:\[[\d,\s]*)?)\Z")
"""The end of a text that may become a marker, or code, with what comes next."""


def find_markers(answer: str) -> Iterator[re.Match[str]]:
    """The groups of markers in a text, outside of code."""
    return _MARKERS.finditer(_CODE.sub(lambda code: "`" * len(code.group()), answer))


def marker_numbers(markers: str) -> list[int]:
    """The numbers of a group of markers."""
    return [int(digits) for digits in _DIGITS.findall(markers)]


def renumber(answer: str, numbers: Mapping[int, int]) -> str:
    """The answer with other numbers in its markers; a number that has none is removed.

    Args:
        answer: With markers such as [2], [1][4] or [1, 4].
        numbers: The new number of each old number.
    """
    parts, start = [], 0
    for match in find_markers(answer):
        text = match.group()
        new = dict.fromkeys(numbers[number] for number in marker_numbers(text) if number in numbers)
        space = text[: len(text) - len(text.lstrip())] if new else ""
        parts += [answer[start : match.start()], space, *(f"[{number}]" for number in new)]
        start = match.end()
    return "".join([*parts, answer[start:]])


def marked_numbers(answer: str) -> list[int]:
    """The numbers in the markers of an answer, each once, in the order in which they appear."""
    found = (number for match in find_markers(answer) for number in marker_numbers(match.group()))
    return list(dict.fromkeys(found))


def in_order(answer: str) -> str:
    """The answer with its markers numbered from 1 in the order in which they appear."""
    numbers = {number: place for place, number in enumerate(marked_numbers(answer), 1)}
    return renumber(answer, numbers)


def settled(answer: str) -> str:
    """The beginning of an answer whose markers no further piece of it can change."""
    found = _OPEN.search(answer)
    return answer[: found.start()] if found else answer
