"""The approvals that a run waits for, and their answers.

The branches of a tree may ask side by side. Each question has an id of its own, and an answer to
some of them continues those branches while the others wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.types import Command, StateSnapshot

from hopyard.nodes.approve import APPROVE, EDIT
from hopyard.state.errors import UsageError

if TYPE_CHECKING:  # slow to import
    from langchain.agents.middleware.human_in_the_loop import HITLRequest


@dataclass(frozen=True)
class Waiting:
    """One question that a run waits for.

    Attributes:
        id: LangGraph's name of the interrupt.
        asked: The action to be approved, and the decisions that are allowed, as LangChain's
            `HITLRequest` gives them.
    """

    id: str
    asked: HITLRequest

    @property
    def action(self) -> str:
        """The step to approve, by its name in the setting `approve`."""
        return self.asked["action_requests"][0]["name"]

    @property
    def question(self) -> str:
        """The question that it is about."""
        return str(self.asked["action_requests"][0]["args"]["question"])


def waiting_in(state: StateSnapshot) -> list[Waiting]:
    """The questions that a thread waits for, each once, in the order of the questions' texts."""
    found = {asked.id: Waiting(asked.id, asked.value) for asked in state.interrupts}
    return sorted(found.values(), key=lambda waiting: waiting.question)


def answer_command(waiting: Sequence[Waiting], answer: object) -> Command[Any]:
    """The command that gives an answer to the questions that it is for.

    Args:
        answer: An answer to the only question, `"approve"` to all of them, or answers by the ids
            of the questions. An answer is one of `nodes.approve`, or an edit in short: the
            arguments that change.

    Raises:
        UsageError: Nothing waits, or it is not clear which question is meant.
    """
    asked = {question.id: question for question in waiting}
    if not asked:
        raise UsageError("The thread waits for no answer; resume it without one.")
    if isinstance(answer, Mapping) and answer and set(answer) <= set(asked):
        given = answer
    elif len(asked) == 1 or answer == APPROVE:
        given = dict.fromkeys(asked, answer)
    else:
        raise UsageError(
            f"The thread waits for {len(asked)} answers; give them by id, as in "
            f'{{"{next(iter(asked))}": "{APPROVE}", …}}, or {APPROVE} to approve all.'
        )
    return Command(resume={name: _decision(asked[name], each) for name, each in given.items()})


def _decision(question: Waiting, answer: object) -> object:
    """An edit in short, written out; any other answer as it is."""
    if not isinstance(answer, Mapping) or "type" in answer or "decisions" in answer:
        return answer
    action = {"name": question.action, "args": dict(answer)}
    return {"decisions": [{"type": EDIT, "edited_action": action}]}
