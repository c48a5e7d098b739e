"""What the model says when it is shown a vertex's questions."""

from __future__ import annotations

import re
from typing import Any

from ..script import Said, Script

_PASSAGE = re.compile(r"^\[\d+\] (.*?): (.*)$", re.MULTILINE)
_OFFER = re.compile(r"^\d+\. from \[\d+\] to .*?: (.*)$", re.MULTILINE)


def judgements(*labels: str) -> Said:
    """One judgement a question, in the order shown."""
    return {"judgements": list(labels)}


def answered(answer: str, *useful: int, unconfirmed: str = "") -> Said:
    """An answer from the passages of those numbers."""
    facts = [{"passage": number, "fact": f"Fact of {number}."} for number in useful]
    return {"thought": "", "useful": facts, "unconfirmed": unconfirmed, "answer": answer}


class HopScript(Script):
    """A script that also judges edge questions, chooses among them, and selects passages.

    Outputs for a whole list of questions stand in `lines` under `("hop", "To b?|To c?")`; other
    lists are judged question by question. A choice without a question is enough.

    Attributes:
        useful: What the model finds a question to be.
        otherwise: What it finds a question to be that is not named there.
        titles: The titles of the passages that it finds useful.
        shown: The questions of every such request, in the order in which they came.
        read: The titles of the passages of every choice, in the order in which they came.
    """

    def __init__(self) -> None:
        super().__init__()
        self.useful: dict[str, str] = {}
        self.otherwise = "irrelevant"
        self.titles: set[str] = set()
        self.shown: list[list[str]] = []
        self.read: list[list[str]] = []

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        if title not in {"Judgements", "HopChoice"}:
            return super().__call__(title, messages)
        turn = str(messages[-1]["content"])
        if turn.startswith("That does not fit"):
            turn = str(messages[-3]["content"])
        if title == "Judgements":
            questions = [line.partition(". ")[2] for line in turn.splitlines()[2:]]
        else:
            questions = _OFFER.findall(turn)
        request = ("hop", "|".join(questions))
        with self._lock:
            self.asked.append(request)
            self.turns.append(turn)
            self.shown.append(questions)
            labels = [self.useful.get(question, self.otherwise) for question in questions]
            otherwise = judgements(*labels) if title == "Judgements" else self._choice(turn, labels)
            line = self.lines.get(request, otherwise)
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(*request)
        return line

    def _choice(self, turn: str, labels: list[str]) -> Said:
        titles = [title for title, _ in _PASSAGE.findall(turn)]
        self.read.append(titles)
        chosen = {
            label: [number for number, own in enumerate(labels, 1) if own == label]
            for label in ("necessary", "indirect")
        }
        return {
            "thought": "",
            "useful": [number for number, own in enumerate(titles, 1) if own in self.titles],
            "enough": not any(chosen.values()),
            **chosen,
        }
