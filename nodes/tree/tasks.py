"""ToR-RAG's bookkeeping: plant the root, and see which tasks every node waits for."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.types import Overwrite, Send

from hopyard.state.tree import ROOT, TreeNode, TreeState, TreeTask, child_paths

__all__ = ("grow", "next_tasks", "plant")


async def plant(state: TreeState) -> dict[str, Any]:
    """Make the user's question the root of a new tree; what a thread's last turn grew is gone."""
    root = TreeNode(path=ROOT, question=state["question"], phase="decompose")
    old = dict.fromkeys(state.get("tree", {}))
    return {"tree": {**old, ROOT: root}, "truncated": Overwrite(False)}


async def grow(state: TreeState) -> dict[str, Any]:
    """Wait until all tasks of the level are in; `next_tasks` says what comes next."""
    del state
    return {}


def next_tasks(state: TreeState) -> list[Send] | Literal["aggregate"]:
    """One task for each node that waits for something; all of them run side by side.

    Once the budget has ended the run, no task is sent but the one that answers an unsplit root.
    """
    tree = state["tree"]
    if state["truncated"]:  # nothing grows any more; a question without any answer gets its own
        root = TreeTask(run=state["run"], node=tree[ROOT], children=[])
        waiting = tree[ROOT]["phase"] == "search"
        return [Send("answer_sub_question", root)] if waiting else "aggregate"
    tasks = []
    for path, node in tree.items():
        task = TreeTask(run=state["run"], node=node, children=[])
        if node["phase"] == "decompose":
            tasks.append(Send("decompose", task))
        elif node["phase"] == "search":
            tasks.append(Send("answer_sub_question", task))
        elif node["phase"] == "judge":
            children = [tree[child] for child in child_paths(path)]
            if all(child["phase"] == "answered" for child in children):
                task["children"] = children
                tasks.append(Send("judge_branch", task))
    return tasks or "aggregate"
