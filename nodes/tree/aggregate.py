"""The final answer of a tree in the paper's form, from its leaves (ToR-RAG, section III.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import PassageAnswer, answer_from_findings, mark_cut
from hopyard.nodes.citations import cite
from hopyard.nodes.evidence import merge_by_max_score
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import run_of
from hopyard.nodes.tree.steps import steps_of
from hopyard.nodes.unanswered import answer_without
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Evidence, Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.tree import (
    ROOT,
    TreeNode,
    TreeSettings,
    TreeState,
    leaves,
)

__all__ = ("aggregate", "best_evidence")


async def aggregate(state: TreeState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the leaves' partial answers and their best snippets."""
    run, found = await run_of(state, runtime), leaves(state["tree"])
    evidence = best_evidence(found, TreeSettings.of(run.settings).evidence_k)
    passages = await run.passages(passage_ids(evidence))
    closing = Step(
        id="aggregate",
        kind="aggregate",
        title="Answer from the findings",
        question=state["question"],
        passages=evidence,
    )
    truncated = False
    read: PassageAnswer | None = None
    if [leaf["path"] for leaf in found] == [ROOT]:
        pruned = len(state["tree"]) > 1
        reason = "the branch was pruned" if pruned else "the question was not split"
        closing |= {"answer": found[0]["answer"], "reason": reason}
        if found[0].get("cut"):
            closing = mark_cut(closing)
    else:
        try:
            read = await answer_from_findings(
                run, state["question"], passages, _findings(found), step="aggregate"
            )
            closing["answer"] = read.answer
            if read.cut:
                closing = mark_cut(closing)
        except (ModelOutputError, BudgetExceededError) as error:
            truncated = isinstance(error, BudgetExceededError)
            answer = answer_without(error, _best_answer(found))
            closing |= {"answer": answer, "verdict": "fallback", "reason": str(error)}
    cited = read.citations if read else cite(state["question"], closing["answer"], passages)
    update = {
        "answer": closing["answer"],
        "citations": cited,
        "unconfirmed": read.unconfirmed if read else "",
        "evidence": evidence,
        "steps": [*steps_of({"tree": state["tree"]}), closing],
        "truncated": truncated,
    }
    return await close_run(run, update)


def best_evidence(found: Sequence[TreeNode], k: int) -> list[Evidence]:
    """The k passages with the best MMR scores over all leaves, each once."""
    return merge_by_max_score([leaf.get("passages", []) for leaf in found], k)


def _findings(found: Sequence[TreeNode]) -> str:
    lines = [f"{one_line(leaf['question'])} {one_line(leaf['answer'])}" for leaf in found]
    return "\n".join(lines) or "none"


def _best_answer(found: Sequence[TreeNode]) -> str:
    """Without a closing call: the partial answer whose best passage scored highest."""
    known = [leaf for leaf in found if leaf["answer"] != UNKNOWN and leaf.get("passages")]
    if not known:
        return UNKNOWN
    return max(known, key=lambda leaf: leaf["passages"][0]["score"])["answer"]
