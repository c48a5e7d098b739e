"""Answer a sub-question that may depend on the answers of earlier sub-questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import format_passages
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.evidence import merge_by_rounds
from hopyard.nodes.inside import asked_inside, has_long_document, look_inside
from hopyard.nodes.plan.references import resolve_references
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Found, Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.inside import Inside
from hopyard.prompts.strategies.plan import ANSWER_PART, ANSWER_PART_INSIDE, PartAnswer
from hopyard.state import verdicts
from hopyard.state.errors import UsageError
from hopyard.state.plan import PlanNode, PlanTask
from hopyard.state.schemas import Evidence, Look, Thrown, add_reason, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import because, depth_of, step_id
from hopyard.state.text.markers import renumber

MAX_DEPTH: Final = 3
"""Maximum depth of sub-questions."""


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
    splits = not node.get("simple") and depth_of(node["path"]) < MAX_DEPTH
    answered, again, truncated = await _ask(run, node, state["whole"])
    if not splits and (again.in_other_words or again.looks):
        question = again.in_other_words or node["question"]
        node = {**node, "question": question, "replaced": [_replaced(answered, again)]}
        seen = answered["passages"]
        answered, _, still = await _ask(run, node, state["whole"], again, seen)
        truncated = truncated or still
    if splits and is_unknown(answered["answer"]):
        answered["status"] = "to split"
    return {"tree": {node["path"]: answered}, "truncated": truncated}


def numbered(passages: Sequence[Passage], numbers: Sequence[int]) -> list[str]:
    """The ids of the passages that a model named by number; numbers that do not exist are left out.

    Args:
        passages: As the model was shown them, the first one number 1.
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


@dataclass(frozen=True)
class _Again:
    """The next things to look for, if an answer is unknown; nothing by default."""

    in_other_words: str = ""
    looks: Sequence[Look] = ()


_NOTHING: Final = _Again()


async def _ask(
    run: Run, node: PlanNode, whole: str, again: _Again = _NOTHING, without: Sequence[Evidence] = ()
) -> tuple[PlanNode, _Again, bool]:
    """Search, look inside documents, and read.

    Returns:
        The node with its answer; what else to look for; whether the budget left something out.
    """
    step = step_id(node["path"])
    found = await _find(run, node, step, again, {unit["id"] for unit in without})
    node = {**node, "passages": found.evidence}
    if found.reason:
        node["reason"] = because(node, found.reason)
    passages = await run.passages(passage_ids(found.evidence))
    if not passages:
        return _answered(node, UNKNOWN, "no passage was found"), _NOTHING, found.truncated
    values = {
        "passages": format_passages(passages, run.settings),
        "whole": one_line(whole),
        "question": one_line(node["question"]),
    }
    inside = not without and await has_long_document(run, passages)
    prompt = ANSWER_PART_INSIDE if inside else ANSWER_PART
    attempt = await run.try_call(prompt, values, step=step)
    truncated = found.truncated or attempt.truncated
    if (output := attempt.output) is None:
        return _answered(node, UNKNOWN, attempt.reason), _NOTHING, truncated
    answered = _answered(node, renumber(output.answer, {}))  # markers are of this call alone
    answered["cited"] = numbered(passages, output.passages)
    answered["passages"] = cited_first(node["passages"], answered["cited"])
    if output.cut:
        answered["cut"] = True
    return answered, await _again(run, node, output, passages), truncated


async def _find(run: Run, node: PlanNode, step: str, again: _Again, seen: Collection[str]) -> Found:
    """The evidence of a search for the question, of looks inside documents, or of both in turns."""
    k, looks = run.settings.retrieval.k, again.looks
    found = [await look_inside(run, look, k) for look in looks]
    if not looks or again.in_other_words:
        found.append(await find_to_read(run, node["question"], step=step, without=seen))
    problems = [problem for each in found for problem in each.problems]
    problems += [UsageError(look["reason"]) for look in looks if "reason" in look]
    return Found(merge_by_rounds(each.evidence for each in found), problems)


async def _again(
    run: Run, node: PlanNode, output: PartAnswer, passages: Sequence[Passage]
) -> _Again:
    """The next things to look for, if the answer is unknown."""
    if not is_unknown(output.answer):
        return _NOTHING
    asked = one_line(output.in_other_words)
    words = "" if plain(asked) == plain(node["question"]) else asked
    if not isinstance(output, Inside):
        return _Again(words)
    looks, _ = await asked_inside(run, output, [passage.id for passage in passages])
    return _Again(words, looks)


def _replaced(asked: PlanNode, again: _Again) -> Thrown:
    reason = "unknown; asked again in other words" if again.in_other_words else "unknown"
    places = " · ".join(look["text"] for look in again.looks)
    return Thrown(
        question=asked["question"],
        answer=asked["answer"],
        reason=add_reason(reason, f"looked up {places}") if places else reason,
    )
