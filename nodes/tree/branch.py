"""A branch of the tree: its partial answers, its judgement, its pruning (ToR-RAG, III.3-III.5)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.answer import read
from hopyard.nodes.resources import context_of
from hopyard.nodes.search import find_passages
from hopyard.nodes.tree.decompose import plain
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.decompose import REPLACE
from hopyard.prompts.judge import JUDGE_BRANCH, BranchScores, branch_score
from hopyard.prompts.passages import one_line, rewritable
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.settings import Context
from hopyard.state.tree import ROOT, TreeNode, TreeTask, because, depth_of

__all__ = ("answer_sub_question", "judge_branch")


async def answer_sub_question(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for one question of the tree and answer it from what was found."""
    context = context_of(runtime)
    node = state["node"]
    # A root that is answered here stays whole: this is the closing call, nothing comes after it.
    closing = node["path"] == ROOT
    passages = await find_passages(node["question"], context)
    answered: TreeNode = {
        **node,
        "passages": passages,
        "phase": "done" if closing else "answered",
    }
    try:
        answered["answer"], _ = await read(
            node["question"], passages, context, state["run"], final=closing
        )
    except (ModelOutputError, BudgetExceededError) as error:
        if closing and isinstance(error, CallFailedError):
            raise  # a resumed run may have more luck
        answered |= {"answer": UNKNOWN, "reason": because(node, str(error))}
        return {
            "tree": {node["path"]: answered},
            "truncated": isinstance(error, BudgetExceededError),
        }
    return {"tree": {node["path"]: answered}}


async def judge_branch(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep a branch, replace its weaker sub-question, or prune it.

    A branch whose normalised score reaches θ is kept, and its sub-questions may be split in turn.
    One below θ has its weaker sub-question replaced, a bounded number of times, and is pruned if
    it stays below, or if no replacement can be had. A judge whose output cannot be used keeps the
    branch as it is, unexpanded.
    """
    context = context_of(runtime)
    node, children, run = state["node"], state["children"], state["run"]
    if not context.tree.judge:
        return _kept(node, children, "the judge is off", context)
    try:
        judgement: BranchScores = await call_model(
            JUDGE_BRANCH, _values(node, children), context=context, run=run
        )
    except (ModelOutputError, BudgetExceededError) as error:
        cut_short = isinstance(error, BudgetExceededError)
        return _closed(node, children, str(error)) | {"truncated": cut_short}
    judged: TreeNode = {
        **node,
        "scores": judgement.scores,
        "score": round(branch_score(judgement.scores), 3),
    }
    if judged["score"] >= context.tree.theta:
        return _kept(judged, children, f"at or above θ={context.tree.theta:g}", context)
    if _replacements(node) >= context.tree.retries:
        return _pruned(judged, children, f"below θ={context.tree.theta:g}")
    weak = 0 if judgement.weaker == "first" else 1
    return await _replaced(judged, children, weak, context, run)


def _values(node: TreeNode, children: list[TreeNode]) -> dict[str, str]:
    first, second = children
    return {
        "question": one_line(node["question"]),
        "first": one_line(first["question"]),
        "first_answer": one_line(first["answer"]),
        "second": one_line(second["question"]),
        "second_answer": one_line(second["answer"]),
    }


def _kept(
    node: TreeNode, children: list[TreeNode], reason: str, context: Context
) -> dict[str, Any]:
    """The branch stands; its sub-questions are split next, unless they are at full depth."""
    full = depth_of(node["path"]) + 1 >= context.tree.max_depth
    update = {node["path"]: _done(node, "split", reason)}
    for child in children:
        update[child["path"]] = (
            _done(child, "leaf", "at full depth") if full else {**child, "phase": "decompose"}
        )
    return {"tree": update}


def _closed(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """The branch stands, but nothing below it is split."""
    update = {node["path"]: _done(node, "split", reason)}
    update |= {child["path"]: _done(child, "leaf", reason) for child in children}
    return {"tree": update}


def _pruned(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """The sub-questions are thrown away; the question answers for itself."""
    pruned = _done(node, "leaf", f"its branch was pruned: {reason}")
    if node["path"] == ROOT:  # the root has no answer yet
        pruned["phase"] = "search"
    update = {node["path"]: pruned}
    update |= {child["path"]: _done(child, "pruned", reason) for child in children}
    return {"tree": update}


def _done(node: TreeNode, verdict: str, reason: str) -> TreeNode:
    return {**node, "phase": "done", "verdict": verdict, "reason": because(node, reason)}


async def _replaced(
    node: TreeNode, children: list[TreeNode], weak: int, context: Context, run: str
) -> dict[str, Any]:
    """Ask for a better sub-question in the weaker one's place, and search for it.

    A replacement that repeats what is there already would find the same again: the branch is
    pruned without paying for that, as it is where no replacement can be had.
    """
    old, kept = children[weak], children[1 - weak]
    values = {
        "question": rewritable(node["question"]),
        "kept": rewritable(kept["question"]),
        "answer": rewritable(kept["answer"]),
        "weak": rewritable(old["question"]),
    }
    try:
        better = await call_model(REPLACE, values, context=context, run=run)
    except (ModelOutputError, BudgetExceededError) as error:
        cut_short = isinstance(error, BudgetExceededError)
        return _pruned(node, children, str(error)) | {"truncated": cut_short}
    asked_before = {plain(one["question"]) for one in (node, old, kept)}
    if plain(better.question) in asked_before:
        return _pruned(node, children, "the weaker sub-question's replacement repeats another")
    thrown = {
        "question": old["question"],
        "answer": old["answer"],
        "score": node["score"],
        "reason": f"the weaker half of a branch below θ={context.tree.theta:g}",
    }
    parent: TreeNode = {**node, "replaced": [*node.get("replaced", []), thrown]}
    new = TreeNode(path=old["path"], question=better.question, phase="search")
    return {"tree": {node["path"]: parent, old["path"]: new}}


def _replacements(node: TreeNode) -> int:
    """Sub-questions replaced so far; rejected decompositions do not count."""
    return sum("question" in one for one in node.get("replaced", []))
