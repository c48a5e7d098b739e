"""A branch: its answers, its judgement and its pruning (ToR-RAG, sections III.3 to III.5)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import answer_from_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import replacements
from hopyard.nodes.tree.decompose import RETRIES
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.decompose import REPLACE
from hopyard.prompts.strategies.tree import JUDGE_BRANCH, branch_fault, branch_score
from hopyard.state import verdicts
from hopyard.state.schemas import Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import ROOT, because, depth_of, step_id
from hopyard.state.tree import TreeNode, TreeSettings, TreeTask


async def answer_sub_question(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for one question of the tree and answer it from what was found."""
    run, node = await run_of(state, runtime), state["node"]
    # A root that is answered here stays whole: this is the closing call, nothing comes after it.
    closing, step = node["path"] == ROOT, step_id(node["path"])
    found = await find_to_read(run, node["question"], step=step)
    answered: TreeNode = {**node, "passages": found.evidence}
    answered["status"] = "done" if closing else "answered"
    if found.reason:
        answered["reason"] = because(node, found.reason)
    attempt = await attempted(
        answer_from_passages(run, node["question"], found.evidence, step=step, final=closing)
    )
    if (reading := attempt.output) is None:
        answered["answer"] = attempt.answer_instead() if closing else UNKNOWN
        answered["reason"] = because(answered, attempt.reason)
    else:
        answered["answer"] = reading.answer
        if reading.cut:
            answered["cut"] = True
        if closing:
            answered |= {"citations": reading.citations, "unconfirmed": reading.unconfirmed}
    truncated = found.truncated or attempt.truncated
    return {"tree": {node["path"]: answered}, "truncated": truncated}


async def judge_branch(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep a branch, replace its weaker sub-question, or prune it.

    A branch without a fault (`branch_fault`) is kept, and its sub-questions may be split in turn.
    Otherwise its weaker sub-question is replaced, a bounded number of times; the branch is pruned
    if it stays weak, or if the model gives no replacement. A judge whose output cannot be used
    keeps the branch as it is, unexpanded.
    """
    run, node, children = await run_of(state, runtime), state["node"], state["read"]
    attempt = await run.try_call(JUDGE_BRANCH, _values(node, children), step=step_id(node["path"]))
    if (judgement := attempt.output) is None:
        return _close(node, children, attempt.reason) | {"truncated": attempt.truncated}
    judged: TreeNode = {
        **node,
        "judge": run.settings.model,
        "scores": judgement.scores,
        "score": round(branch_score(judgement.scores), 3),
    }
    settings = TreeSettings.of(run.settings)
    fault = branch_fault(judgement.scores, settings.theta)
    if not fault:
        return _keep(judged, children, settings)
    if replacements(node) >= RETRIES:
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


def _keep(node: TreeNode, children: list[TreeNode], settings: TreeSettings) -> dict[str, Any]:
    """Keep the branch; its sub-questions are split next, unless they are at full depth."""
    if depth_of(node["path"]) + 1 >= settings.max_depth:
        update = _close(node, children, "at full depth")["tree"]
    else:
        update = {child["path"]: {**child, "status": "to split"} for child in children}
    reason = f"at or above θ={settings.theta:g}"
    return {"tree": {**update, node["path"]: _done(node, verdicts.SPLIT, reason)}}


def _close(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """Keep the branch, but split nothing below it."""
    update = {node["path"]: _done(node, verdicts.SPLIT, reason)}
    update |= {child["path"]: _done(child, verdicts.LEAF, reason) for child in children}
    return {"tree": update}


def _prune(node: TreeNode, children: list[TreeNode], reason: str) -> dict[str, Any]:
    """Throw the sub-questions away; the question answers for itself."""
    pruned = _done(node, verdicts.LEAF, f"its branch was pruned: {reason}")
    if node["path"] == ROOT:  # the root has no answer yet
        pruned["status"] = "to answer"
    update = {node["path"]: pruned}
    update |= {child["path"]: _done(child, verdicts.PRUNED, reason) for child in children}
    return {"tree": update}


def _done(node: TreeNode, verdict: str, reason: str) -> TreeNode:
    return {**node, "status": "done", "verdict": verdict, "reason": because(node, reason)}


async def _replace(
    run: Run, node: TreeNode, children: list[TreeNode], weak: int, fault: str
) -> dict[str, Any]:
    """Ask for a better sub-question in the weaker one's place, and search for it.

    A replacement that repeats another question would find the same again: the branch is pruned
    without that search, and also if the model gives no replacement.
    """
    old, kept = children[weak], children[1 - weak]
    values = {
        "question": one_line(node["question"]),
        "kept": one_line(kept["question"]),
        "answer": one_line(kept["answer"]),
        "weak": one_line(old["question"]),
    }
    attempt = await run.try_call(REPLACE, values, step=step_id(old["path"]))
    if (better := attempt.output) is None:
        return _prune(node, children, attempt.reason) | {"truncated": attempt.truncated}
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
