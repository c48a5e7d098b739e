"""What the scripted model says in the contracts of Hopyard's own parts."""

from __future__ import annotations

import re
from typing import Any

from hopyard.testing import DOCUMENTS

_PASSAGE = re.compile(r"^\[1\] (.*?): ", re.MULTILINE)
_TITLES = [document.title for document in DOCUMENTS]
_MOST_QUESTIONS = 4


def write_questions(turn: str) -> dict[str, list[str]]:
    """The in-coming questions of a passage, and out-coming ones about the titles that it names."""
    found = _PASSAGE.findall(turn)[-1]
    text = next(document.text for document in DOCUMENTS if document.title == found)
    named = [title for title in _TITLES if title in text and title != found]
    others = [question for title in named for question in _questions(title)]
    return {
        "incoming": _questions(found),
        "outcoming": (others + _questions(f"the history of {found}") + _questions("Wales"))[
            : max(_MOST_QUESTIONS, len(others))
        ],
    }


def judge_edges(turn: str) -> dict[str, list[str]]:
    """All follow-up questions are necessary."""
    shown = turn.partition("Follow-up questions:\n")[2].splitlines()
    return {"judgements": ["necessary"] * len(shown)}


def judge_passages(turn: str) -> dict[str, list[str]]:
    """Passages about an iron bridge are necessary, the others are irrelevant."""
    shown = re.findall(r"^\[\d+\] (.*)$", turn, re.MULTILINE)
    labels = ["necessary" if "Iron Bridge" in line else "irrelevant" for line in shown]
    return {"judgements": labels}


def last_turn(messages: list[dict[str, Any]]) -> str:
    """The request itself."""
    return str(messages[-1]["content"])


def _questions(title: str) -> list[str]:
    return [f"What is known about {title}?", f"When was {title} first named?"]
