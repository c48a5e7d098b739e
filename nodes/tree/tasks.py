"""ToR-RAG's bookkeeping: which task each question of the tree needs next.

| status    | task                | status afterwards                                            |
|-----------|---------------------|--------------------------------------------------------------|
| to split  | decompose           | to judge (split; its sub-questions to answer), or done; in   |
|           |                     | the paper's form a root that stays whole is to answer        |
| to answer | answer_sub_question | answered; a root that stays whole is done. With dependencies |
|           |                     | one of several facts that stays unknown is to split          |
| answered  | none                | waits for its siblings and the judge of their branch         |
| to judge  | judge_branch        | done, or a sub-question is to answer again. In the paper's   |
|           |                     | form the sub-questions of a kept branch are to split; with   |
|           |                     | dependencies a branch below the root is answered             |
| done      | none                |                                                              |

A task has two forms, the paper's and the one for sub-questions that depend on one another; a run
has one of them throughout (`in_form`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, TypeVar

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.nodes.run import run_of
from hopyard.state.settings.fields import Context
from hopyard.state.tree import (
    ROOT,
    Status,
    Tree,
    TreeNode,
    TreeState,
    TreeTask,
    below,
    children_of,
    with_dependencies,
)

__all__ = ("in_form", "init_tree", "join_level", "next_tasks")

StateT_contra = TypeVar("StateT_contra", bound=Mapping[str, Any], contravariant=True)


class Task(Protocol[StateT_contra]):
    """A step of the tree."""

    async def __call__(self, state: StateT_contra, runtime: Runtime[Context]) -> dict[str, Any]:
        """Take the step's part of the state, and return what it changes."""


_TASKS: Final[Mapping[Status, str]] = {
    "to split": "decompose",
    "to answer": "answer_sub_question",
    "to judge": "judge_branch",
}


def in_form(*, paper: Task[StateT_contra], dependent: Task[StateT_contra]) -> Task[StateT_contra]:
    """The step that does its task in the form that the run's settings ask for."""

    async def step(state: StateT_contra, runtime: Runtime[Context]) -> dict[str, Any]:
        run = await run_of(state, runtime)
        task = dependent if with_dependencies(run.settings) else paper
        return await task(state, runtime)

    return step


async def init_tree(state: TreeState) -> dict[str, Any]:
    """Make the user's question the root of a new tree; the last turn's tree is removed."""
    root = TreeNode(path=ROOT, question=state["question"], status="to split")
    old = dict.fromkeys(state.get("tree", {}))
    return {"tree": {**old, ROOT: root}, "truncated": Overwrite(False), "unconfirmed": ""}


async def join_level(state: TreeState) -> dict[str, Any]:
    """Wait until all tasks of the level have ended; `next_tasks` says what follows."""
    del state
    return {}


def next_tasks(state: TreeState) -> list[Send] | Literal["aggregate"]:
    """One task for each question that needs one; all of them run side by side.

    Once the budget has ended the run, the only task left is to answer a root that stays whole.
    """
    tree = state["tree"]
    if state["truncated"]:
        whole = tree[ROOT]["status"] == "to answer"
        return [_task("answer_sub_question", state, tree[ROOT], [])] if whole else "aggregate"
    tasks = [
        _task(_TASKS[node["status"]], state, node, read)
        for node in tree.values()
        if node["status"] in _TASKS and (read := _read_with(node, tree)) is not None
    ]
    return tasks or "aggregate"


def _read_with(node: TreeNode, tree: Tree) -> list[TreeNode] | None:
    """The other nodes that the node's task reads, or None while they are not finished."""
    if node["status"] == "to judge":
        awaited, read = children_of(tree, node["path"]), below(tree, node["path"])
    else:
        awaited = read = [tree[path] for path in node.get("needs", [])]
    return read if all(other["status"] == "answered" for other in awaited) else None


def _task(name: str, state: TreeState, node: TreeNode, read: list[TreeNode]) -> Send:
    task = TreeTask(run=state["run"], node=node, read=read)
    if node["status"] == "to answer":
        task["whole"] = state["question"]
    return Send(name, task)
