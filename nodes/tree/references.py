"""References from a sub-question to the answers of earlier sub-questions: "Who founded #1?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ("reference_fault", "references", "resolve_references")

_REFERENCE: Final = re.compile(r"(?<![\w#])#(\d+)\b")


def references(part: str, whole: str) -> list[int]:
    """The numbers that a sub-question refers to, in order, each once.

    Args:
        part: The sub-question.
        whole: The question that was split. What it says itself is no reference: "the #1 single".
    """
    own = set(_REFERENCE.findall(whole))
    found = (number for number in _REFERENCE.findall(part) if number not in own)
    return list(dict.fromkeys(int(number) for number in found))


def resolve_references(part: str, answers: Mapping[int, str]) -> str:
    """The sub-question with answers in the place of references.

    Args:
        part: The sub-question.
        answers: The answers by number. A reference without one stays, and so does what looks like
            a reference in an answer.
    """

    def answer(match: re.Match[str]) -> str:
        return answers.get(int(match.group(1)), match.group())

    return _REFERENCE.sub(answer, part)


def reference_fault(parts: Sequence[str], whole: str) -> str:
    """The reference that cannot be resolved, as a sentence; "" if all can.

    Only an earlier sub-question may be referred to, so no two can wait for each other.
    """
    for place, part in enumerate(parts, 1):
        for number in references(part, whole):
            if not 1 <= number < place:
                return f"sub-question {place} refers to #{number}, which is no earlier one"
    return ""
