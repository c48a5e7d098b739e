"""Approval: the run stops, says what it is about to spend money on, and waits for a decision.

A request has the shape of LangChain's `HumanInTheLoopMiddleware`: one action with its arguments,
and the decisions that are allowed. So Agent Chat UI and other interfaces draw buttons for it. An
answer is `{"decisions": [DECISION]}`, a `DECISION` alone, or only its type, as in `"approve"`. An
answer that cannot be used is asked for again, and the request says why. When the run continues,
its node starts again, and the ledger answers the model calls that it made before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from langgraph.types import interrupt

from hopyard.state.settings.fields import Approval

if TYPE_CHECKING:  # slow to import
    from langchain.agents.middleware.human_in_the_loop import DecisionType

APPROVE: Final = "approve"
"""The decision that takes what is proposed."""
EDIT: Final = "edit"
"""The decision that changes the arguments, in its `edited_action`."""
REJECT: Final = "reject"
"""The decision that leaves a question whole, or ends a traversal."""
WHOLE: Final = "whole"
"""The result of `approve_split` for a rejected split."""
LONGEST_SUB_QUESTION: Final = 300
"""Characters; what the model may write, too."""

T = TypeVar("T")
Arguments = Mapping[str, Any]


class _UnfitAnswerError(ValueError):
    """The answer cannot be used; the message says what would be."""


def approve_strategy(
    question: str, proposed: Mapping[str, Any], strategies: Sequence[str]
) -> str | None:
    """Ask which strategy answers. It can be approved or edited.

    Returns:
        The strategy put in the proposed one's place; None where that is approved.
    """

    def read(arguments: Arguments | None) -> str | None:
        if arguments is None:
            raise _UnfitAnswerError("approve it, or edit the strategy")
        name = arguments["strategy"]
        if name not in strategies:
            raise _UnfitAnswerError(f"{name!r} is no strategy of {', '.join(strategies)}")
        return None if name == proposed["strategy"] else str(name)

    return _ask(
        "route",
        {"question": question, "strategy": proposed["strategy"]},
        f"Answer with the strategy {proposed['strategy']}: {proposed['reason']}. "
        f"The strategies are {', '.join(strategies)}.",
        (APPROVE, EDIT),
        read,
    )


def approve_split(
    question: str,
    proposed: Sequence[str],
    most: int = 2,
    fault: Callable[[Sequence[str]], str] = lambda _: "",
) -> list[str] | str | None:
    """Ask whether a question is split as proposed.

    Args:
        most: Sub-questions that an edit may have; it has at least two.
        fault: Says what is wrong with the sub-questions of an edit; "" if nothing is.

    Returns:
        The sub-questions put in the place of those; `WHOLE` where the split is rejected; None
        where it is approved.
    """
    needed = "two" if most == 2 else f"two to {most}"

    def read(arguments: Arguments | None) -> list[str] | str | None:
        if arguments is None:
            return WHOLE
        given = _list(arguments["sub_questions"])
        if given is None or not 2 <= len(given) <= most:
            raise _UnfitAnswerError(f"{needed} sub-questions are needed")
        texts = [text.strip() if isinstance(text, str) else "" for text in given]
        if not all(texts) or max(map(len, texts)) > LONGEST_SUB_QUESTION:
            raise _UnfitAnswerError(
                f"a sub-question is a text of 1 to {LONGEST_SUB_QUESTION} characters"
            )
        if problem := fault(texts):
            raise _UnfitAnswerError(problem)
        return None if texts == list(proposed) else texts

    return _ask(
        "decomposition",
        {"question": question, "sub_questions": list(proposed)},
        f"Split the question into {len(proposed)} sub-questions and search for each. An edit has "
        f"{needed} sub-questions; reject leaves the question whole.",
        (APPROVE, EDIT, REJECT),
        read,
    )


def approve_passages(question: str, in_round: int, passages: Sequence[str]) -> list[str]:
    """Ask which passages the traversal continues from.

    Returns:
        Those that stay in the queue; none where the traversal is to stop.
    """

    def read(arguments: Arguments | None) -> list[str]:
        if arguments is None:
            return []
        given = _list(arguments["passages"])
        if given is None or any(name not in passages for name in given):
            raise _UnfitAnswerError("only passages of the queue may be kept")
        return [name for name in passages if name in given]

    return _ask(
        "hops",
        {"question": question, "passages": list(passages)},
        f"Start round {in_round} of hops from these passages. An edit keeps some of them; reject "
        "ends the hops here.",
        (APPROVE, EDIT, REJECT),
        read,
    )


def approve_reading(question: str, calls: int, about: str) -> int:
    """Ask how many calls read documents.

    Returns:
        At most `calls`; 0 where nothing is to be read.
    """

    def read(arguments: Arguments | None) -> int:
        if arguments is None:
            return 0
        given = str(arguments["calls"]).strip()
        if not given.isdecimal() or not 1 <= int(given) <= calls:
            raise _UnfitAnswerError(f"the calls are a number from 1 to {calls}")
        return int(given)

    return _ask(
        "reading",
        {"question": question, "calls": str(calls)},
        f"{about} An edit makes fewer calls; reject reads nothing.",
        (APPROVE, EDIT, REJECT),
        read,
    )


def _ask(
    name: Approval,
    arguments: Arguments,
    about: str,
    allowed: Sequence[DecisionType],
    read: Callable[[Arguments | None], T],
) -> T:
    """Wait for a decision, again and again until one can be used."""
    problem = ""
    while True:
        asked = {"name": name, "args": dict(arguments), "description": f"{problem}{about}"}
        review = {"action_name": name, "allowed_decisions": list(allowed)}
        answer = interrupt({"action_requests": [asked], "review_configs": [review]})
        try:
            return read(_decided(answer, name, arguments, allowed))
        except _UnfitAnswerError as error:
            problem = f"That cannot be used: {error}.\n"


def _decided(
    answer: object, name: str, arguments: Arguments, allowed: Sequence[DecisionType]
) -> Arguments | None:
    """The arguments as they are approved or edited; None where the action is rejected."""
    decision = _decision(answer)
    kind = decision.get("type")
    if kind not in allowed:
        raise _UnfitAnswerError(f"the decisions are {', '.join(allowed)}")
    if kind == REJECT:
        return None
    if kind == APPROVE:
        return arguments
    return _edited(decision.get("edited_action"), name, arguments)


def _decision(answer: object) -> Mapping[str, Any]:
    """The decision of an answer: the first of a list of one, one alone, or its type."""
    if isinstance(answer, str):
        return {"type": answer.strip().lower()}
    if isinstance(answer, Mapping) and isinstance(answer.get("decisions"), list):
        if len(answer["decisions"]) != 1:
            raise _UnfitAnswerError("one decision is needed")
        [answer] = answer["decisions"]
    return answer if isinstance(answer, Mapping) else {}


def _edited(action: object, name: str, arguments: Arguments) -> Arguments:
    """The arguments of an edit. Arguments that it leaves out stay, and so does the question.

    Branches may ask side by side, so an edit that is for another question is refused.
    """
    given = action.get("args") if isinstance(action, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(action, Mapping):
        raise _UnfitAnswerError('an edit needs "edited_action" with "name" and "args"')
    if action.get("name", name) != name or not set(given) <= set(arguments):
        raise _UnfitAnswerError(f"{name!r} has the arguments {', '.join(arguments)}")
    if given.get("question", arguments["question"]) != arguments["question"]:
        raise _UnfitAnswerError("the question cannot be edited")
    return {**arguments, **given}


def _list(given: object) -> Sequence[Any] | None:
    """A list, which an interface with text fields gives as JSON; None for anything else."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    return given if isinstance(given, (list, tuple)) else None
