"""Reading examples: answer from passages, and answer from findings."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from hopyard.prompts.aggregate import AGGREGATE
from hopyard.prompts.answer import ANSWER, UNKNOWN, Answer
from hopyard.training.encyclopedia import Film, Person
from hopyard.training.examples import TrainingExample, example
from hopyard.training.fact_questions import fact_question
from hopyard.training.retrieval import Shelf, gold_or_near
from hopyard.training.sources import Guard, Passage, Question, Source
from hopyard.training.steps import Halves, halves_of

__all__ = ("aggregation", "encyclopedic_reading", "news_reading", "reading", "short")

_MISSING: Final = 0.14
"""Share of the reading examples whose gold passage is kept away: the answer is Unknown."""
_NEWS_CUT: Final = 500
"""Characters of a news passage: several are needed, and each carries what is asked early."""


def short(answer: str) -> str:
    """An answer as the product wants it: yes and no in lower case, no article, no full stop."""
    text = " ".join(answer.split()).strip()
    if text.lower().rstrip(".") in {"yes", "no"}:
        return text.lower().rstrip(".")
    if text.startswith("Insufficient information"):
        return UNKNOWN
    return re.sub(r"^the (?=[a-z])", "", text)


def reading(
    source: Source, shelf: Shelf, guard: Guard, rng: random.Random
) -> Iterator[TrainingExample]:
    """Gold questions and gold sub-questions with their passages among others."""
    for question in source.of("train"):
        if not guard.allows_question(question.question):
            continue
        origin = f"{source.name}:{question.id}"
        gold = _gold(question, shelf)
        answer = short(question.answer) or UNKNOWN
        if gold and len(gold) == len(question.supporting_ids) and len(answer) < 80:
            yield from _read(question.question, gold, answer, shelf, rng, origin)
        for halves in halves_of(question, shelf.by_id, guard):
            for half in (halves.first, halves.filled):
                if half.passage:
                    yield from _read(
                        half.question, [half.passage], short(half.answer), shelf, rng, origin
                    )


def news_reading(
    source: Source, shelf: Shelf, guard: Guard, rng: random.Random
) -> Iterator[TrainingExample]:
    """Questions over news: what all their passages say, and those that none answers."""
    for question in source.of("train"):
        gold = _gold(question, shelf)
        whole = len(gold) == len(question.supporting_ids)
        if whole and guard.allows_question(question.question) and len(question.answer) < 60:
            passages = gold_or_near(question.question, gold, shelf, rng, longest=_NEWS_CUT)
            yield _answer(
                question.question, passages, short(question.answer), f"{source.name}:{question.id}"
            )


def encyclopedic_reading(
    films: Sequence[Film], persons: Sequence[Person], shelf: Shelf, rng: random.Random
) -> Iterator[TrainingExample]:
    """Comparisons, joins and single facts over passages whose facts a rule has read."""
    while True:
        if asked := fact_question(films, persons, rng):
            question, gold, answer = asked
            yield from _read(question, gold, answer, shelf, rng, "2wikimultihopqa")


def aggregation(halves: Halves, shelf: Shelf, rng: random.Random) -> Iterator[TrainingExample]:
    """The closing question with its findings, some of them Unknown."""
    gold = [half.passage for half in (halves.first, halves.filled) if half.passage]
    if not gold:
        return
    first, second = halves.first.answer, halves.filled.answer
    asked = halves.filled.question if rng.random() < 0.5 else halves.second
    draw = rng.random()
    if draw < 0.2:
        asked, second = halves.second, UNKNOWN
    elif draw < 0.3 and halves.is_bridge:
        first = UNKNOWN
    passages = gold_or_near(halves.question, gold, shelf, rng)
    whole = len(gold) == 2
    known = second != UNKNOWN or whole
    findings = f"{halves.first.question} {first}\n{asked} {second}"
    answer = short(halves.answer) if known else UNKNOWN
    values = {"passages": passages, "findings": findings, "question": halves.question}
    yield example(AGGREGATE, values, Answer(answer=answer), halves.origin)


def _read(
    question: str,
    gold: Sequence[Passage],
    answer: str,
    shelf: Shelf,
    rng: random.Random,
    origin: str,
) -> Iterator[TrainingExample]:
    if answer != UNKNOWN and rng.random() < _MISSING:
        kept = [] if rng.random() < 0.6 else list(gold[1:])
        passages = gold_or_near(
            question, kept, shelf, rng, without=[passage.id for passage in gold]
        )
        if answer.lower() not in passages.lower():
            answer = UNKNOWN
    else:
        passages = gold_or_near(question, gold, shelf, rng)
    yield _answer(question, passages, answer, origin)


def _answer(question: str, passages: str, answer: str, origin: str) -> TrainingExample:
    values = {"passages": passages, "question": question}
    return example(ANSWER, values, Answer(answer=answer), origin)


def _gold(question: Question, shelf: Shelf) -> list[Passage]:
    return [shelf.by_id[one] for one in question.supporting_ids if one in shelf.by_id]
