"""ToR-RAG's bookkeeping: which task each question of the tree needs next.

| status    | task                | status afterwards                                            |
|-----------|---------------------|--------------------------------------------------------------|
| to split  | decompose           | to judge (split; its sub-questions to answer), done, or, for |
|           |                     | a root that stays whole, to answer                           |
| to answer | answer_sub_question | answered; a root that stays whole is done                    |
| answered  | none                | waits for its sibling and the judge of their branch          |
| to judge  | judge_branch        | done; its sub-questions are to split or done, or the weaker  |
|           |                     | one is replaced and to answer                                |
| done      | none                |                                                              |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from langgraph.types import Overwrite, Send

from hopyard.state.tree import (
    ROOT,
    Status,
    Tree,
    TreeNode,
    TreeState,
    TreeTask,
    child_paths,
)

__all__ = ("init_tree", "join_level", "next_tasks")

_TASKS: Final[Mapping[Status, str]] = {
    "to split": "decompose",
    "to answer": "answer_sub_question",
    "to judge": "judge_branch",
}


async def init_tree(state: TreeState) -> dict[str, Any]:
    """Make the user's question the root of a new tree; the last turn's tree is removed."""
    root = TreeNode(path=ROOT, question=state["question"], status="to split")
    old = dict.fromkeys(state.get("tree", {}))
    return {"tree": {**old, ROOT: root}, "truncated": Overwrite(False)}


async def join_level(state: TreeState) -> dict[str, Any]:
    """Wait until all tasks of the level have ended; `next_tasks` says what follows."""
    del state
    return {}


def next_tasks(state: TreeState) -> list[Send] | Literal["aggregate"]:
    """One task for each question that needs one; all of them run side by side.

    Once the budget has ended the run, the only task left is to answer a root that stays whole.
    """
    tree, run = state["tree"], state["run"]
    if state["truncated"]:
        whole = tree[ROOT]["status"] == "to answer"
        return [_task("answer_sub_question", run, tree[ROOT], [])] if whole else "aggregate"
    tasks = [
        _task(_TASKS[node["status"]], run, node, children)
        for node in tree.values()
        if node["status"] in _TASKS and (children := _children(node, tree)) is not None
    ]
    return tasks or "aggregate"


def _children(node: TreeNode, tree: Tree) -> list[TreeNode] | None:
    """What the node's task reads besides it; None while that is not there yet."""
    if node["status"] != "to judge":
        return []
    children = [tree[path] for path in child_paths(node["path"])]
    answered = all(child["status"] == "answered" for child in children)
    return children if answered else None


def _task(name: str, run: str, node: TreeNode, children: list[TreeNode]) -> Send:
    return Send(name, TreeTask(run=run, node=node, children=children))
