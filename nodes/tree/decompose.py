"""Decompose(Q) → {Q1, Q2}, judged by five rubrics (ToR-RAG, section III.2)."""

from __future__ import annotations

import re
from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.approve import approved_split
from hopyard.nodes.resources import context_of
from hopyard.prompts.decompose import DECOMPOSE, Decomposition
from hopyard.prompts.judge import JUDGE_DECOMPOSITION, Rubric
from hopyard.prompts.passages import one_line, rewritable
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.settings import Context
from hopyard.state.tree import ROOT, TreeNode, TreeTask, because, child_paths

__all__ = ("decompose", "echoes", "plain")


async def decompose(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Split one node's question into two, or leave it a leaf.

    A decomposition that the judge finds too bad is asked for again, with its faults named, a
    bounded number of times. Then the question stays whole. One that merely repeats the question
    says that there is nothing to split: neither a judge nor a second try is paid for it.
    """
    context = context_of(runtime)
    node, run = state["node"], state["run"]
    rejected: list[dict[str, Any]] = []
    try:
        for _ in range(context.tree.retries + 1):
            split = await _split(node["question"], rejected, context, run)
            if split.kind == "simple":
                return _leaf(node, "the question is simple", rejected)
            if echo := echoes(node["question"], split):
                return _leaf(node, f"not split: {echo}", rejected)
            rubric, faults = await _judged(node["question"], split, context, run)
            if not faults:
                return _approved(node, split, rubric, rejected, context)
            rejected.append({"first": split.first, "second": split.second, "reason": faults})
        return _leaf(node, "no decomposition passed the judge", rejected)
    except ModelOutputError as error:
        return _leaf(node, str(error), rejected)
    except BudgetExceededError as error:
        return _leaf(node, str(error), rejected) | {"truncated": True}


def echoes(question: str, split: Decomposition) -> str:
    """Why the two sub-questions are none; "" where they are."""
    first, second, whole = (plain(text) for text in (split.first, split.second, question))
    if not first or not second:
        return "a sub-question is empty"
    if first == second:
        return "the sub-questions are the same"
    if whole in {first, second}:
        return "a sub-question repeats the question"
    return ""


async def _split(
    question: str, rejected: list[dict[str, Any]], context: Context, run: str
) -> Decomposition:
    values = {"question": rewritable(question), "rejected": ""}
    if rejected:
        last = rejected[-1]
        values["rejected"] = (
            f"\nRejected, because {one_line(last['reason'])}: {rewritable(last['first'])} / "
            f"{rewritable(last['second'])}"
        )
    return await call_model(DECOMPOSE, values, context=context, run=run)


async def _judged(
    question: str, split: Decomposition, context: Context, run: str
) -> tuple[dict[str, int], str]:
    """The rubric's points, and the faults that make the decomposition invalid, if any."""
    if not context.tree.judge:
        return {}, ""
    values = {
        "question": one_line(question),
        "first": one_line(split.first),
        "second": one_line(split.second),
    }
    rubric: Rubric = await call_model(JUDGE_DECOMPOSITION, values, context=context, run=run)
    valid = rubric.points >= context.tree.min_rubric
    faults = "" if valid else "it fails on " + ", ".join(rubric.faults)
    return rubric.model_dump(), faults


def _approved(
    node: TreeNode,
    split: Decomposition,
    rubric: dict[str, int],
    rejected: list[dict[str, Any]],
    context: Context,
) -> dict[str, Any]:
    """The branch as it is proposed, or as whoever is asked about it wants it."""
    if "decomposition" not in context.approve:
        return _branch(node, split, rubric, rejected)
    wanted = approved_split(node["question"], node["path"], split.first, split.second)
    if wanted is None:
        return _branch(node, split, rubric, rejected)
    thrown = {"first": split.first, "second": split.second, "reason": "replaced at the approval"}
    if isinstance(wanted, str):
        return _leaf(node, "left whole at the approval", [*rejected, thrown])
    edited = Decomposition(kind="compound", first=wanted[0], second=wanted[1])
    return _branch(node, edited, {}, [*rejected, thrown])


def _branch(
    node: TreeNode, split: Decomposition, rubric: dict[str, int], rejected: list[dict[str, Any]]
) -> dict[str, Any]:
    first, second = child_paths(node["path"])
    parent: TreeNode = {**node, "phase": "judge", "rubric": rubric, "replaced": rejected}
    return {
        "tree": {
            node["path"]: parent,
            first: TreeNode(path=first, question=split.first, phase="search"),
            second: TreeNode(path=second, question=split.second, phase="search"),
        }
    }


def _leaf(node: TreeNode, reason: str, rejected: list[dict[str, Any]]) -> dict[str, Any]:
    """A leaf keeps its partial answer; the root has none yet and is searched for as it is."""
    unanswered_root = node["path"] == ROOT and "answer" not in node
    leaf: TreeNode = {
        **node,
        "phase": "search" if unanswered_root else "done",
        "verdict": "leaf",
        "reason": because(node, reason),
        "replaced": rejected,
    }
    return {"tree": {node["path"]: leaf}}


def plain(text: str) -> str:
    """A question's words alone, to see whether two are the same."""
    return re.sub(r"\W+", " ", text).strip().lower()
