"""Decompose(Q) → {Q1, Q2}, judged by five rubrics (ToR-RAG, section III.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.approve import approve_split
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.decompose import DECOMPOSE, Decomposition
from hopyard.prompts.strategies.tree import JUDGE_DECOMPOSITION, Rubric
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.tree import ROOT, TreeNode, TreeSettings, TreeTask, because, child_paths, step_id

__all__ = ("decompose", "echoes", "plain", "repeats")


async def decompose(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Split one node's question into two, or leave it a leaf.

    A decomposition that the judge finds too bad is asked for again, with its faults named, a
    bounded number of times. Then the question stays whole. One that merely repeats the question
    says that there is nothing to split: neither a judge nor a second try is paid for it.
    """
    run = await run_of(state, runtime)
    node: TreeNode = {**state["node"], "judge": run.settings.model}
    rejected: list[Thrown] = []
    try:
        for _ in range(TreeSettings.of(run.settings).paper_retries + 1):
            split = await _split(run, node, rejected)
            if split.kind == "simple":
                return _leaf(node, "the question is simple", rejected)
            if echo := echoes(node["question"], split):
                return _leaf(node, f"not split: {echo}", rejected)
            rubric, faults = await _judge(run, node, split)
            if not faults:
                return _approve(run, node, split, rubric, rejected)
            rejected.append(_thrown(split, faults))
        return _leaf(node, "no decomposition passed the judge", rejected)
    except ModelOutputError as error:
        return _leaf(node, str(error), rejected)
    except BudgetExceededError as error:
        return _leaf(node, str(error), rejected) | {"truncated": True}


def echoes(question: str, split: Decomposition) -> str:
    """Why the two sub-questions are none; "" where they are."""
    return repeats(question, (split.first, split.second))


def repeats(question: str, parts: Sequence[str]) -> str:
    """Why some texts are no sub-questions of a question: empty or repeated; "" where they are."""
    worded = [plain(part) for part in parts]
    if not all(worded):
        return "a sub-question is empty"
    if len(set(worded)) < len(worded):
        return "the sub-questions are the same"
    if plain(question) in worded:
        return "a sub-question repeats the question"
    return ""


async def _split(run: Run, node: TreeNode, rejected: list[Thrown]) -> Decomposition:
    values = {"question": one_line(node["question"]), "rejected": ""}
    if rejected:
        last = rejected[-1]
        values["rejected"] = (
            f"\nRejected, because {one_line(last['reason'])}: {one_line(last['question'])}"
        )
    return await run.call(DECOMPOSE, values, step=step_id(node["path"]))


async def _judge(run: Run, node: TreeNode, split: Decomposition) -> tuple[dict[str, int], str]:
    """The rubric's points, and the faults that make the decomposition invalid, if any."""
    settings = TreeSettings.of(run.settings)
    if not settings.judge:
        return {}, ""
    values = {
        "question": one_line(node["question"]),
        "first": one_line(split.first),
        "second": one_line(split.second),
    }
    rubric: Rubric = await run.call(JUDGE_DECOMPOSITION, values, step=step_id(node["path"]))
    valid = rubric.valid(settings.min_rubric)
    faults = "" if valid else "it fails on " + ", ".join(rubric.faults)
    return rubric.model_dump(), faults


def _approve(
    run: Run,
    node: TreeNode,
    split: Decomposition,
    rubric: dict[str, int],
    rejected: list[Thrown],
) -> dict[str, Any]:
    """The branch as it is proposed, or as whoever is asked about it wants it."""
    if "decomposition" not in run.settings.approve:
        return _branch(node, split, rubric, rejected)
    wanted = approve_split(node["question"], (split.first, split.second))
    if wanted is None:
        return _branch(node, split, rubric, rejected)
    thrown = _thrown(split, "replaced at the approval")
    if isinstance(wanted, str):
        return _leaf(node, "left whole at the approval", [*rejected, thrown])
    edited = Decomposition(kind="compound", first=wanted[0], second=wanted[1])
    return _branch(node, edited, {}, [*rejected, thrown])


def _thrown(split: Decomposition, reason: str) -> Thrown:
    return Thrown(question=f"{split.first} / {split.second}", reason=reason)


def _branch(
    node: TreeNode, split: Decomposition, rubric: dict[str, int], rejected: list[Thrown]
) -> dict[str, Any]:
    first, second = child_paths(node["path"])
    parent: TreeNode = {**node, "status": "to judge", "rubric": rubric, "replaced": rejected}
    return {
        "tree": {
            node["path"]: parent,
            first: TreeNode(path=first, question=split.first, status="to answer"),
            second: TreeNode(path=second, question=split.second, status="to answer"),
        }
    }


def _leaf(node: TreeNode, reason: str, rejected: list[Thrown]) -> dict[str, Any]:
    """A leaf keeps its partial answer; the root has none yet and is searched for as it is."""
    unanswered_root = node["path"] == ROOT and "answer" not in node
    leaf: TreeNode = {
        **node,
        "status": "to answer" if unanswered_root else "done",
        "verdict": "leaf",
        "reason": because(node, reason),
        "replaced": rejected,
    }
    return {"tree": {node["path"]: leaf}}


def plain(text: str) -> str:
    """A question's words alone, to see whether two are the same."""
    return re.sub(r"\W+", " ", text).strip().lower()
