"""What the model says when it is shown passages to judge."""

from __future__ import annotations

import re
from typing import Any

from ..script import Said, Script

_PASSAGE = re.compile(r"^\[\d+\] (.*?):", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


class BaselineScript(Script):
    """A script that knows one more kind, `rerank` (passages).

    Attributes:
        useful: What a passage is found to be, by title; irrelevant where it is not named.
    """

    def __init__(self) -> None:
        super().__init__()
        self.useful: dict[str, str] = {}

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        if title != "PassageJudgements":
            return super().__call__(title, messages)
        turn = str(messages[-1]["content"])
        request = ("rerank", _QUESTION.findall(turn)[-1])
        with self._lock:
            self.asked.append(request)
            self.turns.append(turn)
            line = self.lines.get(request, self._unscripted(turn))
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(*request)
        return line

    def _unscripted(self, turn: str) -> Said:
        labels = [self.useful.get(name, "irrelevant") for name in _PASSAGE.findall(turn)]
        return {"judgements": labels}
