"""The steps that a tree is drawn from: one for each question, whichever form the tree has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopyard.state.schemas import Step
from hopyard.state.tree import Tree, TreeNode, in_order, step_id

__all__ = ("steps_of",)


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a tree that is still growing, or of the nodes that a task has written."""
    if state.get("steps"):
        return list(state["steps"])
    return _steps({path: node for path, node in (state.get("tree") or {}).items() if node})


def _steps(tree: Tree) -> list[Step]:
    return [_step(node) for node in in_order(tree)]


def _step(node: TreeNode) -> Step:
    path = node["path"]
    step = Step(
        id=step_id(path),
        kind="question",
        parent=step_id(path.rpartition(".")[0]) if path else "",
        title=node["question"],
        question=node["question"],
    )
    for key in ("answer", "passages", "reason", "replaced", "verdict", "score"):
        if key in node:
            step[key] = node[key]
    if node["status"] != "done":
        step["verdict"] = "open"
    if facts := _facts(node):
        step["facts"] = facts
    if "judge" in node and (node.get("rubric") or node.get("scores")):
        step["judge"] = node["judge"]
    return step


def _facts(node: TreeNode) -> dict[str, str]:
    facts = {}
    if rubric := node.get("rubric"):
        facts["rubric"] = f"{sum(rubric.values())}/{len(rubric)}"
        if faults := [name.replace("_", " ") for name, point in rubric.items() if not point]:
            facts["fails on"] = ", ".join(faults)
    if node.get("cut"):
        facts["answer"] = "cut at its limit"
    for name, score in node.get("scores", {}).items():
        facts[name.replace("_", " ")] = f"{score}/5"
    return facts
