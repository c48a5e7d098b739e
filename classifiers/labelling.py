"""Label questions: retrieve, answer, keep Q_c, value the coalitions (Con-RAG)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from hopyard.classifiers.contributions import (
    RETRIEVE,
    CoalitionValues,
    OwnAnswer,
    Reading,
    ValueFunction,
    contributions,
    needs_retrieval,
)
from hopyard.classifiers.labels import Drop, Label, LabelFile, Progress
from hopyard.measures.answers import contains_answer, is_unanswered
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.measures.questions import Question

_BATCH: Final = 8
"""Questions at once: the answers' tokens are written side by side."""
_DIGITS: Final = 6


@dataclass(frozen=True)
class FoundPassages:
    """The evidence for a question.

    Attributes:
        ids: The passages, the best first.
        text: Their text as the model reads it; "" if none was found.
        nearness: How near the index is to the question.
    """

    ids: tuple[str, ...]
    text: str
    nearness: Nearness = UNMEASURED


@dataclass(frozen=True)
class Labelling:
    """How questions are labelled.

    Attributes:
        value_function: Answers, and values the coalitions.
        k: Passages asked for, as the labels record it.
        embedding: The index's embedding model, as the labels record it.
        keep_dropped: Whether a dropped question is labelled that is right without passages.
        documents_first: Whether a question is labelled without the model that says itself whether
            it needs documents, or whose supporting documents are known.
    """

    value_function: ValueFunction
    find: Callable[[str], Awaitable[FoundPassages]]
    k: int
    embedding: str = ""
    keep_dropped: bool = False
    documents_first: bool = True


async def label_all(
    questions: Sequence[Question], labelling: Labelling, file: LabelFile, progress: Progress
) -> None:
    """Label the questions that the file does not hold yet.

    Args:
        file: Each batch is written to it at once.
        progress: Called after each batch.
    """
    done = {label.id for label in file.rows}
    left = [question for question in questions if question.id not in done]
    before = len(questions) - len(left)
    progress("labels", before, len(questions))
    for start in range(0, len(left), _BATCH):
        batch = left[start : start + _BATCH]
        file.append(*await _label_batch(batch, labelling))
        progress("labels", before + start + len(batch), len(questions))


async def _label_batch(batch: Sequence[Question], labelling: Labelling) -> list[Label]:
    started = perf_counter()
    found = [await labelling.find(question.question) for question in batch]
    rows = list(zip(batch, found, strict=True))
    unknown = [row for row in rows if not _known(row[0], labelling)]
    valued = iter(await _by_value(unknown, labelling) if unknown else [])
    labels = [
        _label(question, search, labelling, **known)
        if (known := _known(question, labelling))
        else next(valued)
        for question, search in rows
    ]
    share = round((perf_counter() - started) / len(batch), 3)
    return [label.model_copy(update={"seconds": share}) for label in labels]


def _known(question: Question, labelling: Labelling) -> dict[str, Any]:
    """Rule and label of a question whose need of documents is known; {} where the model decides."""
    if not labelling.documents_first:
        return {}
    if question.needs_documents is not None:
        return {"rule": "given", "label": int(question.needs_documents)}
    return {"rule": "supported", "label": RETRIEVE} if question.supporting_ids else {}


def _label(question: Question, search: FoundPassages, labelling: Labelling, **known: Any) -> Label:
    """A label with what is known of the question before the model is asked."""
    return Label(
        id=question.id,
        question=question.question,
        answers=question.answers,
        type=question.type,
        model=labelling.value_function.identity,
        value=labelling.value_function.name,
        k=labelling.k,
        passage_ids=search.ids,
        embedding=labelling.embedding,
        nearness=search.nearness,
        **known,
    )


async def _by_value(
    rows: Sequence[tuple[Question, FoundPassages]], labelling: Labelling
) -> list[Label]:
    """Labels by what the model answers with question, passages, both and neither."""
    function = labelling.value_function
    batch, found = [question for question, _ in rows], [search for _, search in rows]
    answers = await _answer(batch, found, function)
    drops = [_drop_reason(*row) for row in zip(batch, found, answers, strict=True)]
    kept = [own for own, drop in zip(answers, drops, strict=True) if own and not drop]
    valued = await function.values(kept) if kept else []
    values = dict(zip((own.reading for own in kept), valued, strict=True))
    direct: dict[str, str | None] = {}
    if labelling.keep_dropped:
        again = [
            question.question
            for question, drop in zip(batch, drops, strict=True)
            if drop not in {"", "no gold answer"}
        ]
        if again:
            direct = dict(zip(again, await function.answer_directly(again), strict=True))
    labels = []
    for question, search, own, drop in zip(batch, found, answers, drops, strict=True):
        answer = own.answer if own else ""
        label = _label(question, search, labelling, answer=answer, dropped=drop)
        coalitions = values.get(own.reading) if own and not drop else None
        if coalitions is not None:
            label = _by_contribution(label, coalitions)
        elif not drop:
            label = label.model_copy(update={"dropped": "no usable output"})
        elif (answered := direct.get(question.question)) is not None:
            label = _by_outcome(label, question, answered)
        labels.append(label)
    return labels


async def _answer(
    batch: Sequence[Question], found: Sequence[FoundPassages], function: ValueFunction
) -> list[OwnAnswer | None]:
    """The answers from passages; None without passages or without usable output."""
    readings = [
        Reading(question.question, search.text)
        for question, search in zip(batch, found, strict=True)
        if search.text
    ]
    answers = iter(await function.answer(readings) if readings else [])
    return [next(answers) if search.text else None for search in found]


def _drop_reason(question: Question, found: FoundPassages, own: OwnAnswer | None) -> Drop:
    """Why a question is not in Q_c: the answer from its passages contains no gold answer."""
    if not question.open and not any(gold.strip() for gold in question.answers):
        return "no gold answer"
    if not found.text:
        return "no passage"
    if own is None or not own.answer:
        return "no usable output"
    if is_unanswered(own.answer):
        return "unanswered"
    return "" if _is_right(own.answer, question) else "wrong"


def _is_right(answer: str, question: Question) -> bool:
    """Whether an answer contains a gold answer; to an open request any answer is right."""
    if question.open:
        return not is_unanswered(answer)
    return any(contains_answer(answer, gold) for gold in question.answers if gold.strip())


def _by_contribution(label: Label, values: CoalitionValues) -> Label:
    """The paper's rule."""
    shares = contributions(values)
    four = (values.none, values.question, values.passages, values.both)
    return label.model_copy(
        update={
            "values": tuple(round(value, _DIGITS) for value in four),
            "phi_question": round(shares.question, _DIGITS),
            "phi_passages": round(shares.passages, _DIGITS),
            "rule": "contribution",
            "label": int(needs_retrieval(shares)),
        }
    )


def _by_outcome(label: Label, question: Question, direct: str) -> Label:
    """Not the paper's rule: a question that only the answer without passages gets right.

    One that is wrong either way stays without a label: no decision would help it.
    """
    label = label.model_copy(update={"direct_answer": direct})
    if not _is_right(direct, question):
        return label
    return label.model_copy(update={"rule": "outcome", "label": 0})
