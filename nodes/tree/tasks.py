"""ToR-RAG's bookkeeping: which task each question of the tree needs next.

| status    | task                | status afterwards                                       |
|-----------|---------------------|---------------------------------------------------------|
| to split  | decompose           | to judge (its two sub-questions to answer), or done; a  |
|           |                     | root that stays whole is to answer                      |
| to answer | answer_sub_question | answered; a root that stays whole is done               |
| answered  | none                | waits for its sibling and the judge of their branch     |
| to judge  | judge_branch        | done, with sub-questions to split, done or pruned; or a |
|           |                     | sub-question is to answer again                         |
| done      | none                |                                                         |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from langgraph.types import Send

from hopyard.state.sub_questions import ROOT, Status, children_of
from hopyard.state.tree import TreeNode, TreeState, TreeTask

_TASKS: Final[Mapping[Status, str]] = {
    "to split": "decompose",
    "to answer": "answer_sub_question",
    "to judge": "judge_branch",
}


def next_tasks(state: TreeState) -> list[Send] | Literal["aggregate"]:
    """One task for each question that needs one; all of them run side by side.

    Once the budget has ended the run, the only task left is to answer a root that stays whole.
    """
    tree = state["tree"]
    if state["truncated"]:
        tree = {ROOT: tree[ROOT]} if tree[ROOT]["status"] == "to answer" else {}
    tasks = [
        Send(_TASKS[node["status"]], TreeTask(run=state["run"], node=node, read=read))
        for node in tree.values()
        if node["status"] in _TASKS and (read := _read_with(node, tree)) is not None
    ]
    return tasks or "aggregate"


def _read_with(node: TreeNode, tree: Mapping[str, TreeNode]) -> list[TreeNode] | None:
    """The sub-questions of a branch to judge, or None while they are not answered."""
    if node["status"] != "to judge":
        return []
    children = children_of(tree, node["path"])
    return children if all(child["status"] == "answered" for child in children) else None
