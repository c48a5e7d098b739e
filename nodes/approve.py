"""Approval: the run stops, says what it is about to spend money on, and waits for an answer.

Whoever answers may be a person in a terminal or in Studio, or an agent that called Hopyard as a
tool. An answer is `"accept"`, or an edit as the question's `answers` describe it; one that does
not fit is asked for again, with the fault named. When the run continues, its node starts again, and
the ledger answers the model calls that it made before the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from langgraph.types import interrupt

from hopyard.state.settings import Approval

__all__ = ("ACCEPT", "STOP", "WHOLE", "approve_passages", "approve_split", "approve_strategy")

ACCEPT: Final = "accept"
"""The answer that takes what is proposed."""
WHOLE: Final = "whole"
"""The answer that leaves a question unsplit."""
STOP: Final = "stop"
"""The answer that ends the traversal with the passages reached so far."""
LONGEST_SUB_QUESTION: Final = 300
"""Characters; what the model may write, too."""

T = TypeVar("T")


class _UnfitAnswerError(ValueError):
    """The answer cannot be used; the message says what would be."""


def approve_strategy(
    question: str, proposed: Mapping[str, Any], strategies: Sequence[str]
) -> str | None:
    """Ask which strategy answers.

    Args:
        question: The question to be answered.
        proposed: The route's own decision: `strategy`, and its `reason`.
        strategies: Those that may be chosen instead.

    Returns:
        The strategy put in the proposed one's place; None where that is accepted.
    """

    def read(answer: object) -> str | None:
        if answer == ACCEPT:
            return None
        name = _only(answer, "strategy") if isinstance(answer, Mapping) else answer
        if name not in strategies:
            raise _UnfitAnswerError(f"{name!r} is no strategy of {', '.join(strategies)}")
        return None if name == proposed["strategy"] else str(name)

    payload = {
        "question": question,
        "proposed": proposed["strategy"],
        "reason": proposed["reason"],
        "answers": [ACCEPT, {"strategy": " | ".join(strategies)}],
    }
    return _ask("route", payload, read)


def approve_split(
    question: str,
    path: str,
    proposed: Sequence[str],
    most: int = 2,
    fault: Callable[[Sequence[str]], str] = lambda _: "",
) -> list[str] | str | None:
    """Ask whether a question is split as proposed.

    Args:
        question: The question that is split.
        path: Its place in the tree; "" is the user's own question.
        proposed: The sub-questions proposed.
        most: Sub-questions that an edit may have; it has at least two.
        fault: Says what is wrong with the sub-questions of an edit; "" if nothing is.

    Returns:
        The sub-questions put in the place of those; `WHOLE` where it is not to be split; None
        where the proposal is accepted.
    """

    def read(answer: object) -> list[str] | str | None:
        if answer == ACCEPT:
            return None
        if answer == WHOLE:
            return WHOLE
        given = _only(answer, "sub_questions") if isinstance(answer, Mapping) else answer
        if not isinstance(given, (list, tuple)) or not 2 <= len(given) <= most:
            needed = "two" if most == 2 else f"two to {most}"
            raise _UnfitAnswerError(f"{needed} sub-questions are needed")
        texts = [text.strip() if isinstance(text, str) else "" for text in given]
        if not all(texts) or max(map(len, texts)) > LONGEST_SUB_QUESTION:
            raise _UnfitAnswerError(
                f"a sub-question is a text of 1 to {LONGEST_SUB_QUESTION} characters"
            )
        if problem := fault(texts):
            raise _UnfitAnswerError(problem)
        return None if texts == list(proposed) else texts

    payload = {
        "question": question,
        "path": path,
        "proposed": list(proposed),
        "answers": [ACCEPT, {"sub_questions": ["…"] * len(proposed)}, WHOLE],
    }
    return _ask("decomposition", payload, read)


def approve_passages(question: str, in_round: int, passages: Sequence[str]) -> list[str]:
    """Ask which passages the traversal goes on from.

    Args:
        question: The question to be answered.
        in_round: The round of hops that would be reasoned about.
        passages: Ids of the passages in the queue.

    Returns:
        Those that stay in the queue; none where the traversal is to stop.
    """

    def read(answer: object) -> list[str]:
        if answer == ACCEPT:
            return list(passages)
        if answer == STOP:
            return []
        given = _only(answer, "passages") if isinstance(answer, Mapping) else answer
        if not isinstance(given, (list, tuple)) or any(name not in passages for name in given):
            raise _UnfitAnswerError("only passages of the queue may be kept")
        return [name for name in passages if name in given]

    payload = {
        "question": question,
        "round": in_round,
        "proposed": list(passages),
        "answers": [ACCEPT, {"passages": ["…"]}, STOP],
    }
    return _ask("hops", payload, read)


def _ask(what: Approval, payload: Mapping[str, Any], read: Callable[[object], T]) -> T:
    """Wait for an answer, again and again until one can be used."""
    problem = ""
    while True:
        asked = {"approve": what, **payload} | ({"problem": problem} if problem else {})
        try:
            return read(interrupt(asked))
        except _UnfitAnswerError as error:
            problem = str(error)


def _only(answer: Mapping[Any, Any], key: str) -> Any:
    if set(answer) != {key}:
        raise _UnfitAnswerError(f"the answer needs the key {key!r} and no other")
    return answer[key]
