"""What the model says when it is shown a vertex's questions."""

from __future__ import annotations

from typing import Any

from ..graphs.script import Said, Script

__all__ = ("HopScript", "judgements")


def judgements(*labels: str) -> Said:
    """One judgement a question, in the order shown."""
    return {"judgements": list(labels)}


class HopScript(Script):
    """A script that also judges edge questions.

    Outputs for a whole list of questions stand in `lines` under `("hop", "To b?|To c?")`; other
    lists are judged question by question.

    Attributes:
        useful: What the model finds a question to be; irrelevant where it is not named.
        shown: The questions of every such request, in the order in which they came.
    """

    def __init__(self) -> None:
        super().__init__()
        self.useful: dict[str, str] = {}
        self.shown: list[list[str]] = []

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        if title != "Judgements":
            return super().__call__(title, messages)
        turn = str(messages[-1]["content"])
        if turn.startswith("That does not fit"):
            turn = str(messages[-3]["content"])
        questions = [line.partition(". ")[2] for line in turn.splitlines()[2:]]
        request = ("hop", "|".join(questions))
        with self._lock:
            self.asked.append(request)
            self.turns.append(turn)
            self.shown.append(questions)
            labels = [self.useful.get(question, "irrelevant") for question in questions]
            line = self.lines.get(request, judgements(*labels))
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(*request)
        return line
