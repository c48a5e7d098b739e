"""ToR-RAG's settings and state: a tree of sub-questions, kept under their paths."""

from __future__ import annotations

import operator
from typing import Annotated, ClassVar, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, Evidence, Step, StrategyInput, Thrown, add_reason
from hopyard.state.settings.fields import Context, Group, profile_of
from hopyard.state.usage import Usage
from hopyard.state.verdicts import PRUNED, SPLIT

__all__ = (
    "MOST_PARTS",
    "ROOT",
    "Status",
    "Tree",
    "TreeNode",
    "TreeSettings",
    "TreeState",
    "TreeTask",
    "because",
    "below",
    "child_paths",
    "children_of",
    "depth_of",
    "in_order",
    "leaves",
    "merge_tree",
    "step_id",
    "with_dependencies",
)


_PAPER_RETRIES: Final = 1
_DEPENDENT_RETRIES: Final = 2


class TreeSettings(Group):
    """ToR-RAG. The defaults are the paper's, except for `dependencies`."""

    group: ClassVar[str] = "tree"

    dependencies: Literal["auto", "on", "off"] = Field(
        "auto",
        description="on: a sub-question may use the answer of an earlier sub-question, as in "
        "'Who founded #1?'; off: the paper's form; auto: on for capable models.",
    )
    max_depth: int = Field(3, ge=1, le=6, description="Maximum depth of the tree (paper: 3).")
    theta: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Paper's form: minimum mean score of a kept branch, from 0 to 1.",
    )
    min_rubric: int = Field(
        4,
        ge=0,
        le=5,
        description="Paper's form: minimum rubric points of a decomposition, out of five; "
        "relevant, non-overlapping and complete must be among them.",
    )
    retries: int | None = Field(
        None,
        ge=0,
        le=5,
        description="Maximum retries of a bad split or a weak part; empty means "
        f"{_DEPENDENT_RETRIES}, or {_PAPER_RETRIES} in the paper's form.",
    )
    judge: bool = Field(True, description="Judge decompositions and branches; false keeps all.")
    evidence_k: int = Field(5, ge=1, le=50, description="Passages for the final answer.")

    @property
    def paper_retries(self) -> int:
        """Times that a bad decomposition or a weak branch is redone in the paper's form."""
        return _PAPER_RETRIES if self.retries is None else self.retries

    @property
    def dependent_retries(self) -> int:
        """Times that a bad split or an unknown part is redone where parts may depend."""
        return _DEPENDENT_RETRIES if self.retries is None else self.retries


def with_dependencies(context: Context) -> bool:
    """Whether sub-questions may depend on one another; otherwise the tree has the paper's form."""
    setting = TreeSettings.of(context).dependencies
    return setting == "on" or (setting == "auto" and profile_of(context) == "capable")


ROOT: Final = ""

MOST_PARTS: Final = 4
"""Sub-questions of one question at most. The paper's form always has two."""

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
    cited: NotRequired[list[str]]
    """Ids of the passages that support the answer."""
    unconfirmed: NotRequired[str]
    """The part of the answer that no passage confirms, or ""."""
    written: NotRequired[str]
    """The question with its references, once `question` has them filled in."""
    needs: NotRequired[list[str]]
    """Paths of the earlier sub-questions whose answers it refers to."""
    needed: NotRequired[bool]
    """Whether a later sub-question refers to its answer."""
    simple: NotRequired[bool]
    """Whether it asks for one fact, so that it is not split."""
    judge: NotRequired[str]
    """The chat model that gives rubric and scores."""
    rubric: NotRequired[dict[str, int]]
    scores: NotRequired[dict[str, int]]
    score: NotRequired[float]
    verdict: NotRequired[str]
    """leaf, split, or pruned (its sub-questions were thrown away)."""
    reason: NotRequired[str]
    replaced: NotRequired[list[Thrown]]


Tree = dict[str, TreeNode]


def merge_tree(old: Tree, new: dict[str, TreeNode | None]) -> Tree:
    """Reducer: a node replaces the node with the same path; None removes it."""
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
    unconfirmed: str
    usage: Usage


class TreeTask(TypedDict):
    """The input of one task of a level."""

    run: str
    whole: NotRequired[str]
    """The user's question, if the task answers a sub-question of it."""
    node: TreeNode
    read: list[TreeNode]
    """Other nodes for the task: those below a judged branch, or the sub-questions that the node
    refers to."""


def step_id(path: str) -> str:
    """The id of a question's step; its model calls carry it."""
    return f"tree-{path or 'root'}"


def child_paths(path: str, many: int = 2) -> tuple[str, ...]:
    """The paths of a node's sub-questions."""
    return tuple(f"{path}.{number}" if path else str(number) for number in range(1, many + 1))


def children_of(tree: Tree, path: str) -> list[TreeNode]:
    """A node's sub-questions, the first one first."""
    return [tree[child] for child in child_paths(path, MOST_PARTS) if child in tree]


def below(tree: Tree, path: str) -> list[TreeNode]:
    """Every node under a node, a parent before its children."""
    start = f"{path}." if path else ""
    return [
        node for node in in_order(tree) if node["path"] != path and node["path"].startswith(start)
    ]


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
    if node is None or node.get("verdict") == PRUNED:
        return []
    if "answer" in node and node.get("verdict") != SPLIT:
        return [node]
    return [leaf for child in children_of(tree, path) for leaf in leaves(tree, child["path"])]


def because(node: TreeNode, reason: str) -> str:
    """The reason of a verdict, after the reasons that the node has already."""
    return add_reason(node.get("reason", ""), reason)
