"""The state of ToR-RAG: a binary tree of sub-questions, its nodes kept under their paths."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, Evidence, Step, StrategyInput
from hopyard.state.usage import Usage

__all__ = (
    "ROOT",
    "TreeNode",
    "TreeState",
    "TreeTask",
    "because",
    "child_paths",
    "depth_of",
    "in_order",
    "leaves",
    "merge_tree",
)

ROOT: Final = ""

Phase = Literal["decompose", "search", "answered", "judge", "done"]
"""What a node waits for: to be split, to be answered, its sibling, its judgement, nothing."""


class TreeNode(TypedDict):
    """One question of the tree. The root is the user's question."""

    path: str
    question: str
    phase: Phase
    passages: NotRequired[list[Evidence]]
    answer: NotRequired[str]
    rubric: NotRequired[dict[str, int]]
    scores: NotRequired[dict[str, int]]
    score: NotRequired[float]
    verdict: NotRequired[str]
    """leaf, split, or pruned (its sub-questions were thrown away)."""
    reason: NotRequired[str]
    replaced: NotRequired[list[dict[str, Any]]]


Tree = dict[str, TreeNode]


def merge_tree(old: Tree, new: dict[str, TreeNode | None]) -> Tree:
    """Reducer: a node written anew takes its place; None takes it away."""
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
    """The reason of a verdict, after what the node tells already: no failure is forgotten."""
    told = node.get("reason", "")
    return reason if told in {"", reason} else f"{told.rstrip('.')}; {reason}"
