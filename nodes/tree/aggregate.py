"""The final answer of a tree, from its leaves (ToR-RAG, section III.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.nodes.answer import mark_cut
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import cite
from hopyard.nodes.evidence import merge_by_max_score
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import answer_from_findings, steps_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.state import verdicts
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import ROOT, leaves
from hopyard.state.tree import TreeNode, TreeState

EVIDENCE: Final = 5
"""Snippets for the final answer (ToR-RAG, section III.6)."""


async def aggregate(state: TreeState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the leaves' partial answers and their best snippets."""
    run, found = await run_of(state, runtime), leaves(state["tree"])
    evidence = merge_by_max_score([leaf.get("passages", []) for leaf in found], EVIDENCE)
    closing = Step(
        id="aggregate",
        kind="aggregate",
        title="Answer from the findings",
        question=state["question"],
        passages=evidence,
    )
    if [leaf["path"] for leaf in found] == [ROOT]:
        update = _from_whole_question(found[0], closing, pruned=len(state["tree"]) > 1)
    else:
        update = await _from_leaves(run, found, closing)
    steps = [*steps_of({"tree": state["tree"]}), *update["steps"]]
    return await close_run(run, {"evidence": evidence, **update, "steps": steps})


def _from_whole_question(root: TreeNode, closing: Step, *, pruned: bool) -> dict[str, Any]:
    """The answer of a root that has no sub-questions."""
    closing["answer"] = root["answer"]
    closing["reason"] = "the branch was pruned" if pruned else "the question was not split"
    return {
        "answer": root["answer"],
        "citations": root.get("citations", []),
        "unconfirmed": root.get("unconfirmed", ""),
        "steps": [mark_cut(closing) if root.get("cut") else closing],
    }


async def _from_leaves(run: Run, found: Sequence[TreeNode], closing: Step) -> dict[str, Any]:
    """The answer of the closing call; if it fails, the best partial answer."""
    question, passages = closing["question"], await run.passages(passage_ids(closing["passages"]))
    attempt = await attempted(
        answer_from_findings(run, question, passages, _findings(found), step=closing["id"])
    )
    if (read := attempt.output) is not None:
        closing["answer"] = read.answer
        return {
            "answer": read.answer,
            "citations": read.citations,
            "unconfirmed": read.unconfirmed,
            "steps": [mark_cut(closing) if read.cut else closing],
        }
    answer = attempt.answer_instead(_best_answer(found))
    closing |= {"answer": answer, "verdict": verdicts.FALLBACK, "reason": attempt.reason}
    return {
        "answer": answer,
        "citations": cite(question, answer, passages),
        "unconfirmed": "",
        "steps": [closing],
        "truncated": attempt.truncated,
    }


def _findings(found: Sequence[TreeNode]) -> str:
    lines = [f"{one_line(leaf['question'])} {one_line(leaf['answer'])}" for leaf in found]
    return "\n".join(lines) or "none"


def _best_answer(found: Sequence[TreeNode]) -> str:
    """Without a closing call: the partial answer whose best passage scored highest."""
    known = [leaf for leaf in found if leaf["answer"] != UNKNOWN and leaf.get("passages")]
    if not known:
        return UNKNOWN
    return max(known, key=lambda leaf: leaf["passages"][0]["score"])["answer"]
