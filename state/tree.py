"""ToR-RAG's settings and state: a tree of sub-questions with judged branches."""

from __future__ import annotations

import operator
from typing import Annotated, ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, StrategyState
from hopyard.state.settings.fields import Group
from hopyard.state.sub_questions import SubQuestion, merge_tree


class TreeSettings(Group):
    """ToR-RAG. The defaults are the paper's."""

    group: ClassVar[str] = "tree"

    max_depth: int = Field(3, ge=1, le=6, description="Maximum depth of the tree (paper: 3).")
    theta: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Minimum mean score of a kept branch, from 0 to 1; 0 keeps all (paper: 0.4).",
    )


class TreeNode(SubQuestion):
    """One question of the tree."""

    citations: NotRequired[list[Citation]]
    """The quotes that support the answer of a root that was not split."""
    scores: NotRequired[dict[str, int]]
    """The branch judge's scores, 0 to 5 each."""
    score: NotRequired[float]
    """Their mean, from 0 to 1."""


class TreeState(StrategyState):
    """The strategy's state."""

    tree: Annotated[dict[str, TreeNode], merge_tree]
    truncated: Annotated[bool, operator.or_]


class TreeTask(TypedDict):
    """The input of one task of a level."""

    run: str
    node: TreeNode
    read: list[TreeNode]
    """The sub-questions of a branch to judge."""
