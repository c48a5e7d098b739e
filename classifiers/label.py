"""Labelling: retrieve, answer, keep Q_c, value the coalitions, and label (Con-RAG)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from hopyard.classifiers.contributions import (
    Answered,
    Contributions,
    Reading,
    ValueFunction,
    captum_contributions,
    needs_retrieval,
)
from hopyard.classifiers.labels import Drop, Label, LabelFile
from hopyard.measures.answers import contains_answer, is_unanswered
from hopyard.measures.questions import Question

__all__ = ("BATCH", "Found", "Labelling", "Progress", "label_all")

BATCH: Final = 8
"""Questions at once: the answers' tokens are written side by side."""
_DIGITS: Final = 6
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Found:
    """What a search found for a question.

    Attributes:
        passage_ids: The passages, the best first.
        shown: Their text as the model sees it; "" where none was found.
    """

    passage_ids: tuple[str, ...]
    shown: str


@dataclass(frozen=True)
class Labelling:
    """How questions are labelled.

    Attributes:
        value_function: Who answers and values.
        find: The search for one question.
        k: Passages asked for, as the labels record it.
        keep_dropped: Whether dropped questions get a label by the second rule.
        batch: Questions at once.
    """

    value_function: ValueFunction
    find: Callable[[str], Awaitable[Found]]
    k: int
    keep_dropped: bool = False
    batch: int = BATCH


async def label_all(
    questions: Sequence[Question], labelling: Labelling, file: LabelFile, progress: Progress
) -> None:
    """Label the questions that the file does not hold yet.

    Args:
        questions: With their gold answers.
        labelling: How.
        file: Each batch is written to it as soon as it is done.
        progress: Told after each batch.
    """
    left = [one for one in questions if one.id not in file.done]
    before = len(questions) - len(left)
    progress("labels", before, len(questions))
    for start in range(0, len(left), labelling.batch):
        batch = left[start : start + labelling.batch]
        file.append(await _label(batch, labelling))
        progress("labels", before + start + len(batch), len(questions))


async def _label(batch: Sequence[Question], labelling: Labelling) -> list[Label]:
    started = perf_counter()
    found = [await labelling.find(one.question) for one in batch]
    answered = await _answered(batch, found, labelling.value_function)
    drops = [_drop(*one) for one in zip(batch, found, answered, strict=True)]
    kept = [one for one, drop in zip(answered, drops, strict=True) if one and not drop]
    valued = await labelling.value_function.values(kept) if kept else []
    values = dict(zip((one.reading for one in kept), valued, strict=True))
    again = [one.question for one, drop in zip(batch, drops, strict=True) if _by_outcome(drop)]
    direct: dict[str, str | None] = {}
    if again and labelling.keep_dropped:
        answers = await labelling.value_function.answer_directly(again)
        direct = dict(zip(again, answers, strict=True))
    labels = []
    for question, search, own, drop in zip(batch, found, answered, drops, strict=True):
        label = Label(
            id=question.id,
            question=question.question,
            answers=question.answers,
            type=question.type,
            model=labelling.value_function.identity,
            value=labelling.value_function.name,
            k=labelling.k,
            passage_ids=search.passage_ids,
            answer=own.answer if own else "",
            dropped=drop,
        )
        coalitions = values.get(own.reading) if own and not drop else None
        if coalitions is not None:
            shares = captum_contributions(coalitions)
            four = (coalitions.none, coalitions.question, coalitions.passages, coalitions.both)
            label = _contributed(label, four, shares)
        elif not drop:
            label = label.model_copy(update={"dropped": "no usable output"})
        elif (answer := direct.get(question.question)) is not None:
            label = _by_second_rule(label, question, answer)
        labels.append(label)
    share = round((perf_counter() - started) / len(batch), 3)
    return [one.model_copy(update={"seconds": share}) for one in labels]


async def _answered(
    batch: Sequence[Question], found: Sequence[Found], function: ValueFunction
) -> list[Answered | None]:
    """The answers from passages; None where there are none to read, or no output."""
    readings = [
        Reading(question.question, search.shown)
        for question, search in zip(batch, found, strict=True)
        if search.shown
    ]
    answers = iter(await function.answer(readings) if readings else [])
    return [next(answers) if search.shown else None for search in found]


def _drop(question: Question, found: Found, answered: Answered | None) -> Drop:
    """Why a question is not of Q_c: the answer from its passages lacks every gold answer."""
    golds = [one for one in question.answers if one.strip()]
    if not golds:
        return "no gold answer"
    if not found.shown:
        return "no passage"
    if answered is None or not answered.answer:
        return "no usable output"
    if is_unanswered(answered.answer):
        return "unanswered"
    right = any(contains_answer(answered.answer, gold) for gold in golds)
    return "" if right else "wrong"


def _by_outcome(drop: Drop) -> bool:
    """Whether the second rule applies to a question dropped for that reason."""
    return drop in {"no passage", "no usable output", "unanswered", "wrong"}


def _contributed(
    label: Label, values: tuple[float, float, float, float], shares: Contributions
) -> Label:
    none, question, passages, both = (round(one, _DIGITS) for one in values)
    return label.model_copy(
        update={
            "values": (none, question, passages, both),
            "phi_question": round(shares.question, _DIGITS),
            "phi_passages": round(shares.passages, _DIGITS),
            "rule": "contribution",
            "label": int(needs_retrieval(shares)),
        }
    )


def _by_second_rule(label: Label, question: Question, direct: str) -> Label:
    """Not the paper's: wrong with passages and wrong without, retrieve; right without, do not."""
    right = any(contains_answer(direct, gold) for gold in question.answers if gold.strip())
    return label.model_copy(
        update={"direct_answer": direct, "rule": "outcome", "label": int(not right)}
    )
