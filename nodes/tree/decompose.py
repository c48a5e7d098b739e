"""Decompose(Q) → {Q1, Q2}, judged by five rubrics (ToR-RAG, section III.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.nodes.approve import approve_split
from hopyard.nodes.attempt import attempted
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import repeats
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.decompose import DECOMPOSE, Decomposition
from hopyard.prompts.strategies.tree import JUDGE_DECOMPOSITION, Rubric
from hopyard.state import verdicts
from hopyard.state.schemas import Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import ROOT, because, child_paths, step_id
from hopyard.state.tree import TreeNode, TreeTask

RETRIES: Final = 1
"""How often a bad split or a weak branch is tried again. The paper says: a bounded number."""


async def decompose(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Split a question into two, or leave it a leaf.

    A decomposition that the judge rejects is asked for again, with its faults named. Then the
    question stays whole. One that repeats the question says that there is nothing to split: it is
    not judged or asked for again.
    """
    run = await run_of(state, runtime)
    node: TreeNode = {**state["node"], "judge": run.settings.model}
    rejected: list[Thrown] = []
    for _ in range(RETRIES + 1):
        attempt = await attempted(_propose(run, node, rejected))
        if attempt.output is None:
            return _leaf(node, attempt.reason, rejected) | {"truncated": attempt.truncated}
        split, rubric, reason = attempt.output
        if rubric is None:
            return _leaf(node, reason, rejected)
        if rubric.valid():
            return _approve(run, node, split, rubric.model_dump(), rejected)
        rejected.append(_thrown(split, f"it fails on {', '.join(rubric.faults)}"))
    return _leaf(node, "no decomposition passed the judge", rejected)


async def _propose(
    run: Run, node: TreeNode, rejected: Sequence[Thrown]
) -> tuple[Decomposition, Rubric | None, str]:
    """A decomposition, and its rubric; the reason if there is nothing to judge."""
    question = one_line(node["question"])
    values = {"question": question, "rejected": ""}
    if rejected:
        last = rejected[-1]
        values["rejected"] = (
            f"\nRejected, because {one_line(last['reason'])}: {one_line(last['question'])}"
        )
    step = step_id(node["path"])
    split = await run.call(DECOMPOSE, values, step=step)
    if split.kind == "simple":
        return split, None, "the question is simple"
    if echo := repeats(node["question"], (split.first, split.second)):
        return split, None, f"not split: {echo}"
    shown = {"question": question, "first": one_line(split.first), "second": one_line(split.second)}
    return split, await run.call(JUDGE_DECOMPOSITION, shown, step=step), ""


def _approve(
    run: Run, node: TreeNode, split: Decomposition, rubric: dict[str, int], rejected: list[Thrown]
) -> dict[str, Any]:
    """The branch as it is proposed, or as whoever is asked about it wants it."""
    parts = (split.first, split.second)
    wanted = None
    if "decomposition" in run.settings.approve:
        wanted = approve_split(node["question"], parts)
    if wanted is None:
        return _branch(node, parts, rubric, rejected)
    rejected = [*rejected, _thrown(split, "replaced at the approval")]
    if isinstance(wanted, str):
        return _leaf(node, "left whole at the approval", rejected)
    return _branch(node, wanted, {}, rejected)


def _thrown(split: Decomposition, reason: str) -> Thrown:
    return Thrown(question=f"{split.first} / {split.second}", reason=reason)


def _branch(
    node: TreeNode, parts: Sequence[str], rubric: dict[str, int], rejected: list[Thrown]
) -> dict[str, Any]:
    parent: TreeNode = {**node, "status": "to judge", "rubric": rubric, "replaced": rejected}
    tree = {node["path"]: parent}
    for path, part in zip(child_paths(node["path"]), parts, strict=True):
        tree[path] = TreeNode(path=path, question=part, status="to answer")
    return {"tree": tree}


def _leaf(node: TreeNode, reason: str, rejected: list[Thrown]) -> dict[str, Any]:
    """A leaf keeps its partial answer; the root has none yet and is searched for as it is."""
    unanswered_root = node["path"] == ROOT and "answer" not in node
    leaf: TreeNode = {
        **node,
        "status": "to answer" if unanswered_root else "done",
        "verdict": verdicts.LEAF,
        "reason": because(node, reason),
        "replaced": rejected,
    }
    return {"tree": {node["path"]: leaf}}
