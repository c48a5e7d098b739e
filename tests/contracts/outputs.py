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
    text = next((document.text for document in DOCUMENTS if document.title == found), "")
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


def search_globally(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A report says when the Iron Bridge was opened, if its lines do; that is the only point."""
    turn = last_turn(messages)
    if name == "CommunityReport":
        lines = re.findall(r"^([ERS]\d+) (.*)$", turn, re.MULTILINE)
        number, text = max(lines, key=lambda line: "1781" in line[1])
        text = "It was opened in 1781." if "1781" in text else "It is old."
        finding = {"summary": "Fact", "explanation": f"{text} [{number}]", "elements": [number]}
        return {"title": "Bridges", "summary": "Some.", "rating": 5, "findings": [finding]}
    if name == "Points":
        found = re.findall(r"^\[(\d+)\] Fact: (.*)$", turn, re.MULTILINE)
        return {
            "points": [
                {"point": text, "findings": [int(number)], "score": 90 if "1781" in text else 0}
                for number, text in found
            ]
        }
    if name == "Answer":  # the budget left no call to read reports
        return {"answer": "1781"}
    number, *_ = re.findall(r"^- \(90\) .* \[(\d+)\]$", turn, re.MULTILINE)
    return {"answer": f"The Iron Bridge was opened in 1781 [{number}]."}


def map_passages(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Each passage is a point; only a passage about 1781 helps."""
    if name != "Points":
        return search_globally(name, messages)
    lines = re.findall(r"^\[(\d+)\] (.*)$", last_turn(messages), re.MULTILINE)
    return {
        "points": [
            {"point": "In 1781.", "findings": [int(number)], "score": 90 if "1781" in text else 0}
            for number, text in lines
        ]
    }


def list_bridges(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Each passage with a bridge's year is a row of the table."""
    turn = last_turn(messages)
    lines = re.findall(r"^\[(\d+)\] ([^:]*): .*?(?:opened|completed) in (\d+)", turn, re.MULTILINE)
    rows = [
        {"cells": [title, year], "passages": [int(number)] * 2} for number, title, year in lines
    ]
    form = {"kind": "list", "item": "A bridge.", "columns": ["Bridge", "Year"]}
    opened = {**form, "sentence": "There are # bridges:"} if name == "Opened" else {}
    return {**opened, "rows": rows, "complete": True}


def last_turn(messages: list[dict[str, Any]]) -> str:
    """The request itself."""
    return str(messages[-1]["content"])


def _questions(title: str) -> list[str]:
    return [f"What is known about {title}?", f"When was {title} first named?"]
