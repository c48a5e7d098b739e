"""What the model says when it is asked for the next sub-question, or shown passages to judge."""

from __future__ import annotations

import re
from typing import Any

from ..script import Said, Script

ENOUGH: Said = {"kind": "enough", "question": ""}
_PASSAGE = re.compile(r"^\[\d+\] (.*?):", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


def ask(question: str) -> Said:
    """The next sub-question."""
    return {"kind": "ask", "question": question}


class BaselineScript(Script):
    """A script that knows two more kinds: `next` (sub-question) and `rerank` (passages).

    Attributes:
        useful: What a passage is found to be, by title; irrelevant where it is not named.
    """

    def __init__(self) -> None:
        super().__init__()
        self.useful: dict[str, str] = {}

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        kind = {"NextQuestion": "next", "PassageJudgements": "rerank"}.get(title)
        if kind is None:
            return super().__call__(title, messages)
        turn = str(messages[-1]["content"])
        request = (kind, _QUESTION.findall(turn)[-1])
        with self._lock:
            self.asked.append(request)
            self.turns.append(turn)
            line = self.lines.get(request, self._unscripted(kind, turn))
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(*request)
        return line

    def _unscripted(self, kind: str, turn: str) -> Said:
        if kind == "next":
            return ENOUGH
        labels = [self.useful.get(name, "irrelevant") for name in _PASSAGE.findall(turn)]
        return {"judgements": labels}
