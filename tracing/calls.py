"""Which step a model call belongs to, from the node and the question that the ledger keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hopyard.models.ledger import Use
from hopyard.prompts.passages import one_line

__all__ = ("Calls",)

_BY_NODE: Final[Mapping[str, str]] = {
    "receive": "rewrite",
    "gate": "gate",
    "route": "route",
    "split_question": "split",
    "rerank": "rerank",
    "aggregate": "aggregate",
    "conclude": "aggregate",
    "answer": "read",
}
"""Nodes that are one step of a run, and the kind of that step."""

_BY_QUESTION: Final[Mapping[str, str]] = {
    "decompose": "tree-node",
    "answer_sub_question": "tree-node",
    "judge_branch": "tree-node",
    "answer_link": "link",
}
"""Nodes that are many steps of a run, told apart by their question."""

_BY_PASSAGE: Final[Mapping[str, str]] = {"choose_hop": "hop"}


class Calls:
    """The uses of model calls of one run, each given away once.

    Args:
        uses: What the ledger says.
    """

    def __init__(self, uses: Iterable[Use]) -> None:
        self._left = list(uses)

    def of(self, step: Mapping[str, Any]) -> tuple[Use, ...]:
        """The calls of one step, which no other step gets."""
        mine = [use for use in self._left if _belongs(use, step)]
        self._left = [use for use in self._left if use not in mine]
        return tuple(mine)

    def rest(self) -> tuple[Use, ...]:
        """The calls that no step has claimed."""
        rest, self._left = tuple(self._left), []
        return rest


def _belongs(use: Use, step: Mapping[str, Any]) -> bool:
    kind, node, about = step["step"], use.place.node, use.place.about
    if _BY_NODE.get(node) == kind:
        return True
    if _BY_PASSAGE.get(node) == kind:
        return bool(step.get("round")) and step.get("tail") == about
    if _BY_QUESTION.get(node) == kind:
        return about in _questions(step)
    return False


def _questions(step: Mapping[str, Any]) -> Sequence[str]:
    """The step's question, and those that were thrown away for it."""
    thrown = [one.get("question", "") for one in step.get("replaced", [])]
    return [one_line(one) for one in (step.get("question", ""), *thrown) if one]
