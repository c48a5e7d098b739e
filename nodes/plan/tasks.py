"""The bookkeeping of `plan`: which task each question needs next.

| status    | task         | status afterwards                                              |
|-----------|--------------|----------------------------------------------------------------|
| to split  | split        | to judge (its parts to answer), or answered; a root that stays |
|           |              | whole is done                                                  |
| to answer | answer_part  | answered; a part of several facts that stays unknown is to     |
|           |              | split                                                          |
| answered  | none         | waits for the other parts                                      |
| to judge  | close_branch | answered (the root: done), or a part is to answer again        |
| done      | none         |                                                                |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from langgraph.types import Send

from hopyard.state.plan import PlanNode, PlanState, PlanTask
from hopyard.state.sub_questions import Status, below, children_of

_TASKS: Final[Mapping[Status, str]] = {
    "to split": "split",
    "to answer": "answer_part",
    "to judge": "close_branch",
}


def next_tasks(state: PlanState) -> list[Send] | Literal["conclude"]:
    """One task for each question that needs one; all of them run side by side.

    Once the budget has ended the run, no task is left.
    """
    tasks = [
        _task(state, node, read)
        for node in state["tree"].values()
        if node["status"] in _TASKS and (read := _read_with(node, state["tree"])) is not None
    ]
    return "conclude" if state["truncated"] or not tasks else tasks


def _task(state: PlanState, node: PlanNode, read: list[PlanNode]) -> Send:
    task = PlanTask(run=state["run"], whole=state["question"], node=node, read=read)
    return Send(_TASKS[node["status"]], task)


def _read_with(node: PlanNode, tree: Mapping[str, PlanNode]) -> list[PlanNode] | None:
    """The other questions that the task reads, or None while they are not finished."""
    if node["status"] == "to judge":
        awaited, read = children_of(tree, node["path"]), below(tree, node["path"])
    else:
        awaited = read = [tree[path] for path in node.get("needs", [])]
    return read if all(other["status"] == "answered" for other in awaited) else None
