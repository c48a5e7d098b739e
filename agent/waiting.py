"""What a run waits for, and which answer belongs to which question.

The branches of a tree may ask side by side. Each question has an id of its own, and an answer to
some of them lets those branches go on while the others stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.types import Command, StateSnapshot

from hopyard.nodes.approve import ACCEPT
from hopyard.state.errors import UsageError

__all__ = ("Waiting", "answer_command", "waiting_in")


@dataclass(frozen=True)
class Waiting:
    """One question that a run waits for.

    Attributes:
        id: LangGraph's name of the interrupt.
        asked: What is asked: `approve` says about what, `proposed` what would be done, `answers`
            which answers can be given, and `problem` what was wrong with the last one.
    """

    id: str
    asked: dict[str, Any]


def waiting_in(state: StateSnapshot) -> list[Waiting]:
    """The questions that a thread waits for, in the order in which its branches stand."""
    found = {asked.id: Waiting(asked.id, dict(asked.value)) for asked in state.interrupts}
    return sorted(found.values(), key=lambda waiting: str(waiting.asked.get("path", "")))


def answer_command(waiting: Sequence[Waiting], answer: object) -> Command[Any]:
    """The command that gives an answer to the questions that it is for.

    Args:
        waiting: What the thread waits for.
        answer: An answer to the only question, `"accept"` to all of them, or answers by the ids of
            the questions.

    Raises:
        UsageError: Nothing waits, or it is not clear which question is meant.
    """
    ids = [question.id for question in waiting]
    if not ids:
        raise UsageError("The thread waits for no answer; resume it without one.")
    if isinstance(answer, Mapping) and answer and set(answer) <= set(ids):
        return Command(resume=dict(answer))
    if len(ids) == 1 or answer == ACCEPT:
        return Command(resume=dict.fromkeys(ids, answer))
    raise UsageError(
        f"The thread waits for {len(ids)} answers; give them by id, as in "
        f'--answer \'{{"{ids[0]}": "{ACCEPT}", …}}\', or --answer {ACCEPT} to take all proposals.'
    )
