"""What the model says when it is shown a vertex's questions."""

from __future__ import annotations

from typing import Any

from ..graphs.script import Said, Script

__all__ = ("HopScript", "choice")


def choice(number: int, relevance: str = "necessary") -> Said:
    """A choice by number; 0 is none."""
    return {"choice": number, "relevance": relevance}


class HopScript(Script):
    """A script that also chooses hops.

    Shown a vertex's questions, the model takes the first that `useful` names and says of it what
    stands there; where there is none it takes none. Outputs for a whole list of questions, by
    `("hop", "Ask b?|Ask c?")` in `lines`, come before that.

    Attributes:
        useful: What the model finds a question to be, by question.
        shown: The questions of every such request, in the order in which they came.
    """

    def __init__(self) -> None:
        super().__init__()
        self.useful: dict[str, str] = {}
        self.shown: list[list[str]] = []

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        if title != "Choice":
            return super().__call__(title, messages)
        turn = str(messages[-1]["content"])
        if turn.startswith("That does not fit"):
            turn = str(messages[-3]["content"])
        numbered = [line.partition(". ")[2] for line in turn.splitlines()[2:]]
        request = ("hop", "|".join(numbered[1:]))
        with self._lock:
            self.asked.append(request)
            self.turns.append(turn)
            self.shown.append(numbered[1:])
            line = self.lines.get(request, self._first_useful(numbered))
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(*request)
        return line

    def _first_useful(self, numbered: list[str]) -> Said:
        for number, question in enumerate(numbered):
            if question in self.useful:
                return choice(number, self.useful[question])
        return choice(0, "irrelevant")
