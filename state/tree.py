"""ToR-RAG's settings and state: a binary tree of sub-questions, kept under their paths."""

from __future__ import annotations

import operator
from typing import Annotated, ClassVar, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, Evidence, Step, StrategyInput, Thrown, add_reason
from hopyard.state.settings import Group
from hopyard.state.usage import Usage

__all__ = (
    "ROOT",
    "Status",
    "Tree",
    "TreeNode",
    "TreeSettings",
    "TreeState",
    "TreeTask",
    "because",
    "child_paths",
    "depth_of",
    "in_order",
    "leaves",
    "merge_tree",
    "step_id",
)


class TreeSettings(Group):
    """ToR-RAG. The defaults are the paper's."""

    group: ClassVar[str] = "tree"

    max_depth: int = Field(3, ge=1, le=6, description="Levels of sub-questions (paper: 3).")
    theta: float = Field(
        0.4, ge=0, le=1, description="A branch is kept when its mean score, 0-1, reaches this."
    )
    min_rubric: int = Field(
        3, ge=0, le=5, description="A decomposition with fewer of the five rubric points is redone."
    )
    retries: int = Field(
        1, ge=0, le=5, description="Times that a bad decomposition or a weak branch is redone."
    )
    judge: bool = Field(True, description="Judge decompositions and branches; off keeps them all.")
    evidence_k: int = Field(5, ge=1, le=50, description="Snippets kept for the final answer.")


ROOT: Final = ""

Status = Literal["to split", "to answer", "answered", "to judge", "done"]
"""How far a question of the tree is; `nodes.tree.tasks` has the table of what follows."""


class TreeNode(TypedDict):
    """One question of the tree. The root is the user's question."""

    path: str
    question: str
    status: Status
    passages: NotRequired[list[Evidence]]
    answer: NotRequired[str]
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    rubric: NotRequired[dict[str, int]]
    scores: NotRequired[dict[str, int]]
    score: NotRequired[float]
    verdict: NotRequired[str]
    """leaf, split, or pruned (its sub-questions were thrown away)."""
    reason: NotRequired[str]
    replaced: NotRequired[list[Thrown]]


Tree = dict[str, TreeNode]


def merge_tree(old: Tree, new: dict[str, TreeNode | None]) -> Tree:
    """Reducer: a node replaces the one of its path; None removes it."""
    merged = old | new
    return {path: node for path, node in merged.items() if node is not None}


class TreeState(StrategyInput):
    """The strategy's state."""

    tree: Annotated[Tree, merge_tree]
    truncated: Annotated[bool, operator.or_]
    answer: str
    citations: list[Citation]
    evidence: list[Evidence]
    steps: list[Step]
    usage: Usage


class TreeTask(TypedDict):
    """What one task of a level is sent: a node, and its children where they are judged."""

    run: str
    node: TreeNode
    children: list[TreeNode]


def step_id(path: str) -> str:
    """The id of a question's step; its model calls carry it."""
    return f"tree-{path or 'root'}"


def child_paths(path: str) -> tuple[str, str]:
    """The paths of a node's two sub-questions."""
    return (f"{path}.1", f"{path}.2") if path else ("1", "2")


def depth_of(path: str) -> int:
    """0 for the root, 1 for its sub-questions, and so on."""
    return len(path.split(".")) if path else 0


def in_order(tree: Tree) -> list[TreeNode]:
    """Every node, a parent before its children, the first child before the second."""
    return [tree[path] for path in sorted(tree)]


def leaves(tree: Tree, path: str = ROOT) -> list[TreeNode]:
    """The nodes whose partial answers make the final one, from a node on downwards.

    Where the budget ended a branch before it was judged, its question answers for itself; the
    root, which then has no answer of its own, is answered by its sub-questions.
    """
    node = tree.get(path)
    if node is None or node.get("verdict") == "pruned":
        return []
    if "answer" in node and node.get("verdict") != "split":
        return [node]
    return [leaf for child in child_paths(path) for leaf in leaves(tree, child)]


def because(node: TreeNode, reason: str) -> str:
    """The reason of a verdict, after the reasons that the node has already."""
    return add_reason(node.get("reason", ""), reason)
