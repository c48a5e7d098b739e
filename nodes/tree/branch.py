"""A branch in the paper's form: its answers, judgement and pruning (ToR-RAG, III.3-III.5)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import answer_from_passages
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.tree.decompose import plain
from hopyard.nodes.unanswered import answer_without
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.decompose import REPLACE
from hopyard.prompts.strategies.tree import JUDGE_BRANCH, BranchScores, branch_fault, branch_score
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.tree import (
    ROOT,
    Status,
    TreeNode,
    TreeSettings,
    TreeTask,
    because,
    depth_of,
    step_id,
)

__all__ = ("answer_sub_question", "judge_branch")


async def answer_sub_question(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for one question of the tree and answer it from what was found."""
    run, node = await run_of(state, runtime), state["node"]
    # A root that is answered here stays whole: this is the closing call, nothing comes after it.
    closing = node["path"] == ROOT
    step = step_id(node["path"])
    passages = await run.find(node["question"], step=step)
    status: Status = "done" if closing else "answered"
    answered: TreeNode = {**node, "passages": passages, "status": status}
    if run.problem:
        answered["reason"] = because(node, run.problem)
    try:
        reading = await answer_from_passages(
            run, node["question"], passages, step=step, final=closing
        )
        answered["answer"] = reading.answer
        if reading.cut:
            answered["cut"] = True
    except (ModelOutputError, BudgetExceededError) as error:
        answer = answer_without(error) if closing else UNKNOWN
        answered |= {"answer": answer, "reason": because(answered, str(error))}
        out_of_budget = isinstance(error, BudgetExceededError)
        return {"tree": {node["path"]: answered}, "truncated": out_of_budget}
    return {"tree": {node["path"]: answered}, "truncated": run.out_of_budget}


async def judge_branch(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep a branch, replace its weaker sub-question, or prune it.

    A branch without a fault (`branch_fault`) is kept, and its sub-questions may be split in turn.
    Otherwise its weaker sub-question is replaced, a bounded number of times; the branch is pruned
    if it stays weak, or if no replacement can be had. A judge whose output cannot be used keeps the
    branch as it is, unexpanded.
    """
    run, node, children = await run_of(state, runtime), state["node"], state["read"]
    settings = TreeSettings.of(run.settings)
    if not settings.judge:
        return _keep(node, children, "the judge is off", settings)
    try:
        judgement: BranchScores = await run.call(
            JUDGE_BRANCH, _values(node, children), step=step_id(node["path"])
        )
    except (ModelOutputError, BudgetExceededError) as error:
        cut_short = isinstance(error, BudgetExceededError)
        return _close(node, children, str(error)) | {"truncated": cut_short}
    judged: TreeNode = {
        **node,
        "judge": run.settings.model,
        "scores": judgement.scores,
        "score": round(branch_score(judgement.scores), 3),
    }
    fault = branch_fault(judgement.scores, settings.theta)
    if not fault:
        return _keep(judged, children, f"at or above θ={settings.theta:g}", settings)
    if _replacements(node) >= settings.paper_retries:
        return _prune(judged, children, fault)
    weak = 0 if judgement.weaker == "first" else 1
    return await _replace(run, judged, children, weak, fault)


def _values(node: TreeNode, children: list[TreeNode]) -> dict[str, str]:
    first, second = children
    return {
        "question": one_line(node["question"]),
        "first": one_line(first["question"]),
        "first_answer": one_line(first["answer"]),
        "second": one_line(second["question"]),
        "second_answer": one_line(second["answer"]),
    }


def _keep(
    node: TreeNode, children: list[TreeNode], reason: str, settings: TreeSettings
) -> dict[str, Any]:
    """Keep the branch; its sub-questions are split next, unless they are at full depth."""
    full = depth_of(node["path"]) + 1 >= settings.max_depth
    update = {node["path"]: _done(node, "split", reason)}
    for child in children:
        update[child["path"]] = (
            _done(child, "leaf", "at full depth") if full else {**child, "status": "to split"}
        )
    return {"tree": update}


def _close(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """Keep the branch, but split nothing below it."""
    update = {node["path"]: _done(node, "split", reason)}
    update |= {child["path"]: _done(child, "leaf", reason) for child in children}
    return {"tree": update}


def _prune(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """Throw the sub-questions away; the question answers for itself."""
    pruned = _done(node, "leaf", f"its branch was pruned: {reason}")
    if node["path"] == ROOT:  # the root has no answer yet
        pruned["status"] = "to answer"
    update = {node["path"]: pruned}
    update |= {child["path"]: _done(child, "pruned", reason) for child in children}
    return {"tree": update}


def _done(node: TreeNode, verdict: str, reason: str) -> TreeNode:
    return {**node, "status": "done", "verdict": verdict, "reason": because(node, reason)}


async def _replace(
    run: Run, node: TreeNode, children: list[TreeNode], weak: int, fault: str
) -> dict[str, Any]:
    """Ask for a better sub-question in the weaker one's place, and search for it.

    A replacement that repeats what is there already would find the same again: the branch is
    pruned without paying for that, as it is where no replacement can be had.
    """
    old, kept = children[weak], children[1 - weak]
    values = {
        "question": one_line(node["question"]),
        "kept": one_line(kept["question"]),
        "answer": one_line(kept["answer"]),
        "weak": one_line(old["question"]),
    }
    try:
        better = await run.call(REPLACE, values, step=step_id(old["path"]))
    except (ModelOutputError, BudgetExceededError) as error:
        cut_short = isinstance(error, BudgetExceededError)
        return _prune(node, children, str(error)) | {"truncated": cut_short}
    asked_before = {plain(question["question"]) for question in (node, old, kept)}
    if plain(better.question) in asked_before:
        return _prune(node, children, "the weaker sub-question's replacement repeats another")
    thrown = Thrown(
        question=old["question"],
        answer=old["answer"],
        score=node["score"],
        reason=f"the weaker sub-question of its branch: {fault}",
    )
    parent: TreeNode = {**node, "replaced": [*node.get("replaced", []), thrown]}
    new = TreeNode(path=old["path"], question=better.question, status="to answer")
    return {"tree": {node["path"]: parent, old["path"]: new}}


def _replacements(node: TreeNode) -> int:
    """Sub-questions replaced so far; rejected decompositions do not count."""
    return sum("answer" in thrown for thrown in node.get("replaced", []))
