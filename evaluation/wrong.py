"""Wrong answers, sorted by the step that went wrong: a first guess where the record decides it.

The guess follows the order in which a question is worked on. It says nothing about what would
have been right after that: a passage that was not found may not have been read rightly either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from hopyard.evaluation.records import Record
from hopyard.measures.answers import best, contains_answer, normalized

__all__ = ("STEPS", "Guess", "guess", "is_wrong", "sub_answers")

STEPS: Final = (
    "gate",
    "route",
    "decomposition",
    "judge",
    "retrieval",
    "reading",
    "aggregation",
    "format",
)
_SEARCHES: Final = ("single", "dense", "hybrid", "bm25")
"""Strategies that search for the whole question."""
_HALF: Final = 0.5


class Guess(NamedTuple):
    """Which step went wrong, and what in the record says so."""

    step: str
    reason: str


def is_wrong(record: Record) -> bool:
    """Whether the answer is not exactly a gold one."""
    return record.em < 1


def guess(record: Record, others: Mapping[str, Record]) -> Guess:
    """The step that went wrong.

    Args:
        record: A wrong answer.
        others: Records of the same question by strategy.
    """
    return (
        _format(record)
        or _gate(record)
        or _route(record, others)
        or _not_read(record, others)
        or _read_wrongly(record)
    )


def sub_answers(record: Record) -> list[Mapping[str, Any]]:
    """The steps that answered a sub-question."""
    return [
        step
        for step in record.steps
        if step["step"] == "link" or (step["step"] == "tree-node" and step.get("path"))
    ]


def _format(record: Record) -> Guess | None:
    """Right, or nearly, but not said in the form that is compared; or nothing usable was said."""
    last = record.steps[-1] if record.steps else {}
    if not record.answer or last.get("verdict") == "failed":
        return Guess("format", "the closing call gave nothing usable")
    if record.accuracy == 1:
        return Guess("format", "the gold answer stands in the answer, among other words")
    shorter = any(set(_words(record.answer)) < set(_words(gold)) for gold in record.gold)
    if shorter and record.f1 >= _HALF:
        return Guess("format", "the answer is most of the gold answer")
    return None


def _gate(record: Record) -> Guess | None:
    if record.gate and not record.gate["retrieve"]:
        return Guess("gate", "the gate found that no document is needed")
    return None


def _route(record: Record, others: Mapping[str, Record]) -> Guess | None:
    if not record.route or record.route["by"] == "forced":
        return None
    chosen = record.route["strategy"]
    right = [
        name for name, other in others.items() if name != record.strategy and not is_wrong(other)
    ]
    routable = [name for name in right if name in {"direct", "single", "tree", "hop"}]
    if routable and chosen not in routable:
        return Guess("route", f"{chosen} was chosen; {', '.join(routable)} would have been right")
    return None


def _not_read(record: Record, others: Mapping[str, Record]) -> Guess | None:
    """A supporting document was not read: never found, or found and lost."""
    missing = set(record.supporting_ids) - {one.document_id for one in record.evidence}
    if not missing:
        return None
    lost = missing & _seen(record, record.steps)
    if lost:
        return _lost(record, lost)
    return _never_found(record, missing, others)


def _lost(record: Record, lost: set[str]) -> Guess:
    kinds = {step["step"] for step in record.steps}
    named = ", ".join(sorted(lost))
    if "hop" in kinds:
        return Guess("judge", f"{named} was reached by a hop, and pruned")
    if "rerank" in kinds:
        return Guess("judge", f"{named} was found, and ranked out")
    kept = [step for step in record.steps if step.get("verdict") != "pruned"]
    if "tree-node" in kinds and not lost & _seen(record, kept):
        return Guess("judge", f"{named} was found by a branch that was pruned")
    return Guess("aggregation", f"{named} was found for a sub-question, and left out at the end")


def _never_found(record: Record, missing: set[str], others: Mapping[str, Record]) -> Guess:
    kinds = {step["step"] for step in record.steps}
    named = ", ".join(sorted(missing))
    if kinds & {"tree-node", "link", "split"}:
        whole = not sub_answers(record) and sum(s["step"] == "search" for s in record.steps) < 2
        if whole and len(record.supporting_ids) > 1:
            needed = len(record.supporting_ids)
            return Guess("decomposition", f"not split, though {needed} documents are needed")
        for name in _SEARCHES:
            if not whole and name in others:
                found = {one.document_id for one in others[name].evidence}
                if missing <= found:
                    why = f"{named} is found by {name}, with the whole question"
                    return Guess("decomposition", why)
    return Guess("retrieval", f"{named} was never found")


def _read_wrongly(record: Record) -> Guess:
    """All supporting documents were read, or there are none."""
    if not record.supporting_ids:
        return Guess("reading", "no document supports an answer, and one was given")
    for step in sub_answers(record):
        answer = step.get("answer", "")
        if best(contains_answer(answer, gold) for gold in record.gold):
            return Guess("aggregation", f"a sub-question had the answer: {answer}")
    if record.unanswered:
        return Guess("reading", "all supporting documents were read, and the answer is Unknown")
    return Guess("reading", "all supporting documents were read, and another answer was given")


def _seen(record: Record, steps: Iterable[Mapping[str, Any]]) -> set[str]:
    """The documents that these steps name."""
    passages: list[str] = []
    for step in steps:
        passages += [one["passage_id"] for one in step.get("passages", ())]
        passages += [step["head"]] if "head" in step else []
    return {record.documents[one] for one in passages if one in record.documents}


def _words(text: str) -> list[str]:
    return normalized(text).split()
