"""The settings and state of `plan`: sub-questions that may need one another's answers."""

from __future__ import annotations

import operator
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState
from hopyard.state.sub_questions import SubQuestion, merge_tree


class PlanNode(SubQuestion):
    """One question of the plan."""

    cited: NotRequired[list[str]]
    """Ids of the passages that support the answer."""
    written: NotRequired[str]
    """The question with its references, once `question` has them filled in."""
    needs: NotRequired[list[str]]
    """Paths of the earlier sub-questions whose answers it refers to."""
    needed: NotRequired[bool]
    """Whether a later sub-question refers to its answer."""
    simple: NotRequired[bool]
    """Whether it asks for one fact, so that it is not split."""


class PlanState(StrategyState):
    """The strategy's state."""

    tree: Annotated[dict[str, PlanNode], merge_tree]
    truncated: Annotated[bool, operator.or_]


class PlanTask(TypedDict):
    """The input of one task."""

    run: str
    whole: str
    """The user's question."""
    node: PlanNode
    read: list[PlanNode]
    """Those below a branch to close, or the sub-questions that the node refers to."""
