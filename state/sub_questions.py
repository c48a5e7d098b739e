"""Trees of sub-questions, kept under their paths: what the states of `tree` and `plan` share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NotRequired, TypeVar

from typing_extensions import TypedDict

from hopyard.state.schemas import Evidence, Thrown, add_reason
from hopyard.state.verdicts import PRUNED, SPLIT

ROOT: Final = ""

MOST_PARTS: Final = 4
"""Sub-questions of one question at most; ToR-RAG has two."""

Status = Literal["to split", "to answer", "answered", "to judge", "done"]
"""How far a question is; the module `tasks` of each strategy has the table of what follows."""


class SubQuestion(TypedDict):
    """One question of a tree. The root is the user's question."""

    path: str
    """"" for the root; "1.2" is the second sub-question of its first sub-question."""
    question: str
    status: Status
    passages: NotRequired[list[Evidence]]
    answer: NotRequired[str]
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    unconfirmed: NotRequired[str]
    """The part of the answer that no passage confirms, or ""."""
    judge: NotRequired[str]
    """The chat model that judges the question's split and branch."""
    rubric: NotRequired[dict[str, int]]
    """1 or 0 for each demand on the split."""
    verdict: NotRequired[str]
    """leaf, split, or pruned (its sub-questions were thrown away)."""
    reason: NotRequired[str]
    replaced: NotRequired[list[Thrown]]


QuestionT = TypeVar("QuestionT", bound=SubQuestion)


def merge_tree(
    old: dict[str, QuestionT], new: Mapping[str, QuestionT | None]
) -> dict[str, QuestionT]:
    """Reducer: a question replaces a question with the same path; None removes it."""
    return {path: node for path, node in {**old, **new}.items() if node is not None}


def step_id(path: str) -> str:
    """The id of a question's step; its model calls carry it."""
    return f"tree-{path or 'root'}"


def child_paths(path: str, many: int = 2) -> tuple[str, ...]:
    """The paths of a question's sub-questions."""
    return tuple(f"{path}.{number}" if path else str(number) for number in range(1, many + 1))


def children_of(tree: Mapping[str, QuestionT], path: str) -> list[QuestionT]:
    """A question's sub-questions, in order."""
    return [tree[child] for child in child_paths(path, MOST_PARTS) if child in tree]


def below(tree: Mapping[str, QuestionT], path: str) -> list[QuestionT]:
    """Every question under a question, a parent before its children."""
    start = f"{path}." if path else ""
    return [
        node for node in in_order(tree) if node["path"] != path and node["path"].startswith(start)
    ]


def depth_of(path: str) -> int:
    """0 for the root, 1 for its sub-questions, and so on."""
    return len(path.split(".")) if path else 0


def in_order(tree: Mapping[str, QuestionT]) -> list[QuestionT]:
    """Every question, a parent before its children, the first child before the second."""
    return [tree[path] for path in sorted(tree)]


def leaves(tree: Mapping[str, QuestionT], path: str = ROOT) -> list[QuestionT]:
    """The questions under a path whose partial answers make the final answer.

    If the budget ended a branch before it was judged, its question answers for itself; the root,
    which then has no answer of its own, is answered by its sub-questions.
    """
    node = tree.get(path)
    if node is None or node.get("verdict") == PRUNED:
        return []
    if "answer" in node and node.get("verdict") != SPLIT:
        return [node]
    return [leaf for child in children_of(tree, path) for leaf in leaves(tree, child["path"])]


def because(node: SubQuestion, reason: str) -> str:
    """The reason of a verdict, after the reasons that the question has already."""
    return add_reason(node.get("reason", ""), reason)
