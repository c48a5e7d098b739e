"""Answer a sub-question that may depend on the answers of earlier sub-questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import format_passages
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.plan.references import resolve_references
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import plain
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.plan import ANSWER_PART
from hopyard.state import verdicts
from hopyard.state.plan import PlanNode, PlanSettings, PlanTask
from hopyard.state.schemas import Evidence, Thrown, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import because, depth_of, step_id
from hopyard.state.text.markers import renumber

__all__ = ("answer_part", "cited_first", "numbered")


async def answer_part(state: PlanTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Fill in the answers that the question refers to, search for it, and answer it.

    A question whose answer stays unknown is asked a second time, in other words. One that needs an
    unknown answer is unknown itself, without a search. One that asks for several facts is split if
    one search does not answer it.
    """
    run = await run_of(state, runtime)
    node = _fill_in(state["node"], state["read"], state["whole"])
    for needed in state["read"]:
        if is_unknown(needed["answer"]):
            reason = f"it needs the answer to “{needed['question']}”, which is unknown"
            return {"tree": {node["path"]: _answered(node, UNKNOWN, reason)}}
    max_depth = PlanSettings.of(run.settings).max_depth
    splits = not node.get("simple") and depth_of(node["path"]) < max_depth
    answered, in_other_words, truncated = await _ask(run, node, state["whole"])
    if not splits and _can_ask(answered, in_other_words):
        again: PlanNode = {**node, "question": in_other_words, "replaced": [_replaced(answered)]}
        seen = answered["passages"]
        answered, _, still = await _ask(run, again, state["whole"], without=seen)
        truncated = truncated or still
    if splits and is_unknown(answered["answer"]):
        answered["status"] = "to split"
    return {"tree": {node["path"]: answered}, "truncated": truncated}


def numbered(passages: Sequence[Passage], numbers: Sequence[int]) -> list[str]:
    """The ids of the passages that a model named by number; numbers that do not exist are left out.

    Args:
        passages: As the model was shown them, the first one number 1.
        numbers: The passages that the model named.
    """
    return [passages[number - 1].id for number in numbers if 1 <= number <= len(passages)]


def cited_first(evidence: Sequence[Evidence], cited: Collection[str]) -> list[Evidence]:
    """The evidence with what the answer was read from first, each group in its old order."""
    return sorted(evidence, key=lambda unit: set(cited).isdisjoint(unit["passages"]))


def _fill_in(node: PlanNode, needed: Sequence[PlanNode], whole: str) -> PlanNode:
    """The node with answers in the place of references in its question."""
    if not needed:
        return node
    written = node.get("written", node["question"])
    answers = {
        int(other["path"].rpartition(".")[2]): one_line(other["answer"])
        for other in needed
        if not is_unknown(other["answer"])
    }
    return {**node, "written": written, "question": resolve_references(written, answers, whole)}


def _answered(node: PlanNode, answer: str, reason: str = "") -> PlanNode:
    answered: PlanNode = {**node, "answer": answer, "status": "answered", "verdict": verdicts.LEAF}
    answered.setdefault("passages", [])
    if reason:
        answered["reason"] = because(node, reason)
    return answered


async def _ask(
    run: Run, node: PlanNode, whole: str, without: Sequence[Evidence] = ()
) -> tuple[PlanNode, str, bool]:
    """Search and read.

    Returns:
        The node with its answer; the question in other words if the answer is unknown; whether the
        budget left something out.
    """
    step = step_id(node["path"])
    seen = {unit["id"] for unit in without}
    found = await run.try_find(node["question"], step=step, without=seen)
    node = {**node, "passages": found.evidence}
    if found.reason:
        node["reason"] = because(node, found.reason)
    passages = await run.passages(passage_ids(found.evidence))
    if not passages:
        return _answered(node, UNKNOWN, "no passage was found"), "", found.truncated
    values = {
        "passages": format_passages(passages, run.settings),
        "whole": one_line(whole),
        "question": one_line(node["question"]),
    }
    attempt = await run.try_call(ANSWER_PART, values, step=step)
    truncated = found.truncated or attempt.truncated
    if (output := attempt.output) is None:
        return _answered(node, UNKNOWN, attempt.reason), "", truncated
    answered = _answered(node, renumber(output.answer, {}))  # markers are of this call alone
    answered["cited"] = numbered(passages, output.passages)
    answered["passages"] = cited_first(node["passages"], answered["cited"])
    if output.cut:
        answered["cut"] = True
    return answered, one_line(output.in_other_words), truncated


def _can_ask(asked: PlanNode, in_other_words: str) -> bool:
    """Whether an unknown answer leaves other words to search for."""
    new = plain(in_other_words)
    return is_unknown(asked["answer"]) and new not in {"", plain(asked["question"])}


def _replaced(asked: PlanNode) -> Thrown:
    return Thrown(
        question=asked["question"],
        answer=asked["answer"],
        reason="unknown; asked again in other words",
    )
