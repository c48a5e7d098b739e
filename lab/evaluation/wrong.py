"""Guess from the record of a wrong answer which step went wrong.

The guess is the first step that failed. Later steps may have failed too: a passage that was not
found might not have been read correctly either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from hopyard.evaluation.records import Record
from hopyard.evaluation.variants import BASELINES
from hopyard.measures.answers import best, contains_answer, normalize_answer
from hopyard.state.schemas import passage_ids
from hopyard.state.strategy import STRATEGIES

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
_SEARCHING: Final = "single"
"""The strategy that searches with the whole question."""
_HALF: Final = 0.5


class Guess(NamedTuple):
    """The step that went wrong, and the reason in the record."""

    step: str
    reason: str


def is_wrong(record: Record) -> bool:
    """Whether the answer is not exactly a gold answer."""
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
        if step["kind"] == "link" or (step["kind"] == "question" and step.get("parent"))
    ]


def _format(record: Record) -> Guess | None:
    """Right or nearly right in another form, or no usable output."""
    last = record.steps[-1] if record.steps else {}
    if not record.answer or last.get("verdict") == "failed":
        return Guess("format", "the closing call gave nothing usable")
    if record.accuracy == 1:
        return Guess("format", "the answer contains the gold answer among other words")
    shorter = any(set(_words(record.answer)) < set(_words(gold)) for gold in record.gold)
    if shorter and record.f1 >= _HALF:
        return Guess("format", "the answer is most of the gold answer")
    return None


def _gate(record: Record) -> Guess | None:
    if record.gate and record.gate["retrieve"] is False:  # None: no gate was asked
        return Guess("gate", "the gate found that no document is needed")
    return None


def _route(record: Record, others: Mapping[str, Record]) -> Guess | None:
    if not record.route or record.route["by"] == "forced":
        return None
    chosen = record.route["strategy"]
    right = [
        name for name, other in others.items() if name != record.strategy and not is_wrong(other)
    ]
    routable = [name for name in right if name in STRATEGIES and STRATEGIES[name].route]
    if routable and chosen not in routable:
        return Guess("route", f"{chosen} was chosen; {', '.join(routable)} would have been right")
    return None


def _not_read(record: Record, others: Mapping[str, Record]) -> Guess | None:
    """A supporting document was not read: not found, or found and dropped."""
    missing = set(record.supporting_ids) - {passage.document_id for passage in record.evidence}
    if not missing:
        return None
    lost = missing & _seen(record, record.steps)
    if lost:
        return _lost(record, lost)
    return _never_found(record, missing, others)


def _lost(record: Record, lost: set[str]) -> Guess:
    kinds = {step["kind"] for step in record.steps}
    named = ", ".join(sorted(lost))
    if "hop" in kinds:
        return Guess("judge", f"{named} was reached by a hop, and pruned")
    kept = [step for step in record.steps if step.get("verdict") != "pruned"]
    if "question" in kinds and not lost & _seen(record, kept):
        return Guess("judge", f"{named} was found by a branch that was pruned")
    return Guess("aggregation", f"{named} was found for a sub-question, and left out at the end")


def _never_found(record: Record, missing: set[str], others: Mapping[str, Record]) -> Guess:
    kinds = [step["kind"] for step in record.steps]
    named = ", ".join(sorted(missing))
    if {"question", "link", "split"} & set(kinds):
        whole = not sub_answers(record) and kinds.count("search") < 2
        if whole and len(record.supporting_ids) > 1:
            needed = len(record.supporting_ids)
            return Guess("decomposition", f"not split, though {needed} documents are needed")
        for name, other in others.items():
            if not whole and _strategy(name) == _SEARCHING:
                found = {passage.document_id for passage in other.evidence}
                if missing <= found:
                    why = f"{named} is found by {name}, with the whole question"
                    return Guess("decomposition", why)
    return Guess("retrieval", f"{named} was never found")


def _strategy(variant: str) -> str:
    """The strategy of a variant's name, as in `bm25` or `tree+sparse@tree.theta=0.6`."""
    base = variant.partition("@")[0]
    return BASELINES.get(base, base).partition("+")[0]


def _read_wrongly(record: Record) -> Guess:
    """All supporting documents were read, or the question has none."""
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
        passages += passage_ids(step.get("passages", ()))
        passages += [step["head"]] if "head" in step else []
    return {
        record.documents[passage_id] for passage_id in passages if passage_id in record.documents
    }


def _words(text: str) -> list[str]:
    return normalize_answer(text).split()
