"""The final answer of a tree, from its leaves (ToR-RAG, section III.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.answer import shown
from hopyard.nodes.citations import cite
from hopyard.nodes.evidence import pooled
from hopyard.nodes.finish import spent
from hopyard.nodes.resources import context_of, passages_of
from hopyard.prompts.aggregate import AGGREGATE
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Evidence, Step
from hopyard.state.settings import Context
from hopyard.state.tree import ROOT, TreeNode, TreeState, in_order, leaves

__all__ = ("aggregate", "best_evidence")


async def aggregate(state: TreeState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the leaves' partial answers and their best snippets."""
    context = context_of(runtime)
    found = leaves(state["tree"])
    evidence = best_evidence(found, context.tree.evidence_k)
    passages = await passages_of([one["passage_id"] for one in evidence], context)
    closing: Step = {"step": "aggregate", "question": state["question"], "passages": evidence}
    truncated = False
    if [leaf["path"] for leaf in found] == [ROOT]:
        pruned = len(state["tree"]) > 1
        reason = "the branch was pruned" if pruned else "the question was not split"
        closing |= {"answer": found[0]["answer"], "reason": reason}
    else:
        try:
            output = await call_model(
                AGGREGATE,
                {
                    "passages": shown(passages, context),
                    "findings": _findings(found),
                    "question": one_line(state["question"]),
                },
                context=context,
                run=state["run"],
                final=True,
            )
            closing["answer"] = output.answer
        except (ModelOutputError, BudgetExceededError) as error:
            truncated = isinstance(error, BudgetExceededError)
            closing |= {"answer": _best_answer(found), "verdict": "fallback", "reason": str(error)}
    return {
        "answer": closing["answer"],
        "citations": cite(state["question"], closing["answer"], passages),
        "evidence": evidence,
        "steps": [*(_step(node) for node in in_order(state["tree"])), closing],
        "truncated": truncated,
        **await spent(state["run"], context),
    }


def best_evidence(found: Sequence[TreeNode], k: int) -> list[Evidence]:
    """The k passages with the best MMR scores over all leaves, each once."""
    return pooled([leaf.get("passages", []) for leaf in found], k)


def _findings(found: Sequence[TreeNode]) -> str:
    lines = [f"{one_line(leaf['question'])} {one_line(leaf['answer'])}" for leaf in found]
    return "\n".join(lines) or "none"


def _best_answer(found: Sequence[TreeNode]) -> str:
    """Without a closing call: the partial answer whose best passage scored highest."""
    known = [leaf for leaf in found if leaf["answer"] != UNKNOWN and leaf.get("passages")]
    if not known:
        return UNKNOWN
    return max(known, key=lambda leaf: leaf["passages"][0]["score"])["answer"]


def _step(node: TreeNode) -> Step:
    step: Step = {"step": "tree-node"}
    for key in (
        "path",
        "question",
        "answer",
        "passages",
        "rubric",
        "scores",
        "score",
        "verdict",
        "reason",
        "replaced",
    ):
        if key in node and (node[key] or key in {"path", "score"}):
            step[key] = node[key]
    return step
