"""Answer a sub-question that may depend on the answers of earlier sub-questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import format_passages
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.tree.decompose import plain
from hopyard.nodes.tree.references import resolve_references
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.tree import ANSWER_PART
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Evidence, Thrown, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.markers import renumber
from hopyard.state.tree import TreeNode, TreeSettings, TreeTask, because, depth_of, step_id

__all__ = ("answer_part", "cited_first", "numbered")


async def answer_part(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
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
    splits = not node.get("simple") and depth_of(node["path"]) < _max_depth(run)
    first, in_other_words = await _ask(run, node, state["whole"])
    answered = first
    if not splits and _can_ask(first, in_other_words):
        again: TreeNode = {**node, "question": in_other_words, "replaced": [_replaced(first)]}
        answered, _ = await _ask(run, again, state["whole"], without=first["passages"])
    if splits and is_unknown(answered["answer"]):
        answered["status"] = "to split"
    return {"tree": {node["path"]: answered}, "truncated": run.out_of_budget}


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


def _max_depth(run: Run) -> int:
    return TreeSettings.of(run.settings).max_depth


def _fill_in(node: TreeNode, needed: Sequence[TreeNode], whole: str) -> TreeNode:
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


def _answered(node: TreeNode, answer: str, reason: str = "") -> TreeNode:
    answered: TreeNode = {**node, "answer": answer, "status": "answered", "verdict": "leaf"}
    answered.setdefault("passages", [])
    if reason:
        answered["reason"] = because(node, reason)
    return answered


async def _ask(
    run: Run, node: TreeNode, whole: str, without: Sequence[Evidence] = ()
) -> tuple[TreeNode, str]:
    """The node with its answer, and the question in other words if the answer is unknown."""
    step = step_id(node["path"])
    seen = {unit["id"] for unit in without}
    node = {**node, "passages": await run.find(node["question"], step=step, without=seen)}
    if run.problem:
        node["reason"] = because(node, run.problem)
    passages = await run.passages(passage_ids(node["passages"]))
    if not passages:
        return _answered(node, UNKNOWN, "no passage was found"), ""
    values = {
        "passages": format_passages(passages, run.settings),
        "whole": one_line(whole),
        "question": one_line(node["question"]),
    }
    try:
        output = await run.call(ANSWER_PART, values, step=step)
    except (ModelOutputError, BudgetExceededError) as error:
        if isinstance(error, BudgetExceededError):
            run.problems.append(error)
        return _answered(node, UNKNOWN, str(error)), ""
    answered = _answered(node, renumber(output.answer, {}))  # markers are of this call alone
    answered["cited"] = numbered(passages, output.passages)
    answered["passages"] = cited_first(node["passages"], answered["cited"])
    if output.cut:
        answered["cut"] = True
    return answered, one_line(output.in_other_words)


def _can_ask(asked: TreeNode, in_other_words: str) -> bool:
    """Whether an unknown answer leaves other words to search for."""
    new = plain(in_other_words)
    return is_unknown(asked["answer"]) and new not in {"", plain(asked["question"])}


def _replaced(asked: TreeNode) -> Thrown:
    return Thrown(
        question=asked["question"],
        answer=asked["answer"],
        reason="unknown; asked again in other words",
    )
