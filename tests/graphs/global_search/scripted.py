"""The scripted model of the tests of `global`, and what they look at."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hopyard.state.global_search import Point
from hopyard.testing import ScriptedChat

QUESTION = "What do the documents tell about bridges?"
LEVELS = [
    ["0-0", "0-1", "0-2", "0-3"],
    ["0-2", "0-3", "1-0", "1-1", "1-2", "1-3"],
    ["0-2", "0-3", "1-2", "1-3", "2-0", "2-1", "2-2", "2-3"],
]
"""Communities at each level: 0-0 consists of 1-0 and 1-1, 0-1 of 1-2 and 1-3, 1-0 of 2-0 and 2-2,
1-1 of 2-1 and 2-3.

The garden is 0-3, a single entity whose report takes no call, and 2-2 is the Iron Bridge's opening
in 1781 over the River Severn.
"""
SCORES = {"1781": 90, "1146": 80, "Bavaria": 0}
"""How much points with a word help to answer the question; other points have 40."""


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A report has a finding for each sentence; each finding is a point; the answer lists all."""
    turn = str(messages[-1]["content"])
    if name == "CommunityReport":
        lines = re.findall(r"^(S\d+|E\d+) (.*)$", turn, re.MULTILINE)
        sentences = [line for line in lines if line[0][0] == "S"] or lines[:1]
        return {
            "title": lines[0][1][:30],
            "summary": "A summary.",
            "rating": 5,
            "findings": [
                {"summary": "Fact", "explanation": text[-30:], "elements": [number]}
                for number, text in sentences
            ],
        }
    if name == "Points":
        found = re.findall(r"^\[(\d+)\] Fact: (.*)$", turn, re.MULTILINE)
        return {
            "points": [
                {"point": text, "findings": [int(number)], "score": score_of(text)}
                for number, text in found
            ]
        }
    points = re.findall(r"^- \(\d+\) (.*?) ((?:\[\d+\])+)$", turn, re.MULTILINE)
    return {"thought": "", "answer": " ".join(f"It says: {text} {marks}" for text, marks in points)}


def score_of(text: str) -> int:
    return next((score for word, score in SCORES.items() if word in text), 40)


def asked_for(chat: ScriptedChat) -> Counter[str]:
    return Counter(request.name for request in chat.requests)


def turns(chat: ScriptedChat, name: str) -> list[str]:
    return [request.turn for request in chat.requests if request.name == name]


def step_of(output: Any, step_id: str) -> Any:
    [step] = [step for step in output["steps"] if step["id"] == step_id]
    return step


def point(score: int, text: str = "abcd") -> Point:
    return Point(text=text, score=score, reports=["0-0"], passages=["p"])
