"""References from a sub-question to the answers of earlier sub-questions: "Who founded #1?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Final

_REFERENCE: Final = re.compile(r"(?<![\w#])#(\d+)\b")
_QUOTED: Final = 2
"""Words around "#1" that a sub-question shares with the question, if it repeats its words."""


def references(part: str, whole: str) -> list[int]:
    """The numbers that a sub-question refers to, in order, each once.

    Args:
        whole: The question that was split. Its own words are no reference: "the #1 single of 1990".
    """
    found = _REFERENCE.finditer(part)
    return list(dict.fromkeys(int(each[1]) for each in found if not _repeats(each, whole)))


def resolve_references(part: str, answers: Mapping[int, str], whole: str) -> str:
    """The sub-question with answers in the place of references.

    Args:
        answers: The answers by number. A reference without one stays, and so does what looks like
            a reference in an answer.
    """

    def answer(match: re.Match[str]) -> str:
        repeated = _repeats(match, whole)
        return match.group() if repeated else answers.get(int(match[1]), match.group())

    return _REFERENCE.sub(answer, part)


def _repeats(found: re.Match[str], whole: str) -> bool:
    """Whether "#1" stands among the same words as in the question that was split."""
    before, after = _around(found)
    for other in _REFERENCE.finditer(whole):
        if other[1] == found[1]:
            others_before, others_after = _around(other)
            shared = _shared(before, others_before) + _shared(after, others_after)
            if shared >= _QUOTED:
                return True
    return False


def _around(found: re.Match[str]) -> tuple[list[str], list[str]]:
    """The words before a match, the nearest first, and those after it."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    return re.findall(r"\w+", before.lower())[::-1], re.findall(r"\w+", after.lower())


def _shared(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words are the same up to the first difference."""
    same = (word == other for word, other in zip(words, others, strict=False))
    return sum(1 for _ in takewhile(bool, same))


def reference_fault(parts: Sequence[str], whole: str) -> str:
    """The reference that cannot be resolved, as a sentence; "" if all can.

    Only an earlier sub-question may be referred to, so no two can wait for each other.
    """
    for place, part in enumerate(parts, 1):
        for number in references(part, whole):
            if not 1 <= number < place:
                return f"sub-question {place} refers to #{number}, which is no earlier one"
    return ""
