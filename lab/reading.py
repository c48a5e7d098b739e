"""Reading examples: answer from passages."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from hopyard.prompts.answer import ANSWER, UNKNOWN, Answer
from lab.encyclopedia import Film, Person
from lab.examples import TrainingExample, example
from lab.fact_questions import fact_question
from lab.retrieval import Shelf, gold_or_near
from lab.sources import Guard, Passage, Question, Source
from lab.steps import halves_of

__all__ = ("encyclopedic_reading", "news_reading", "reading", "short")

Asked = tuple[str, Sequence[Passage], str]
"""A question, its gold passages and its answer."""

_ALONE: Final = 0.25
"""Share of the gold questions that are read without other passages beside theirs."""
_MISSING: Final = 0.1
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
    """Gold questions and their gold sub-questions, over the same passages among others."""
    for question in source.of("train"):
        if not guard.allows_question(question.question):
            continue
        origin = f"{source.name}:{question.id}"
        gold = _gold(question, shelf)
        answer = short(question.answer) or UNKNOWN
        asked: list[Asked] = []
        if gold and len(gold) == len(question.supporting_ids) and len(answer) < 80:
            asked.append((question.question, gold, answer))
        for halves in halves_of(question, shelf.by_id, guard):
            asked += [
                (half.question, [half.passage], short(half.answer))
                for half in (halves.first, halves.filled)
                if half.passage
            ]
        if asked:
            yield from _read(asked, shelf, rng, origin)


def news_reading(
    source: Source, shelf: Shelf, guard: Guard, rng: random.Random
) -> Iterator[TrainingExample]:
    """Questions over news: what all their passages say, and those that none answers."""
    for question in source.of("train"):
        gold = _gold(question, shelf)
        whole = len(gold) == len(question.supporting_ids)
        if whole and guard.allows_question(question.question) and len(question.answer) < 60:
            passages = gold_or_near(
                question.question, gold, shelf, rng, longest=_NEWS_CUT, alone=_ALONE
            )
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
            yield from _read([(question, gold, answer)], shelf, rng, "2wikimultihopqa")


def _read(
    asked: Sequence[Asked], shelf: Shelf, rng: random.Random, origin: str
) -> Iterator[TrainingExample]:
    """All questions over the same passages; what is kept away makes some Unknown."""
    every = {passage.id: passage for _, gold, _ in asked for passage in gold}
    shown, away = list(every.values()), []
    if rng.random() < _MISSING:
        kept = [] if rng.random() < 0.6 else shown[1:]
        shown, away = kept, [passage.id for passage in every.values() if passage not in kept]
    passages = gold_or_near(asked[0][0], shown, shelf, rng, without=away, alone=_ALONE)
    for question, gold, answer in asked:
        missing = any(passage.id in away for passage in gold)
        unsaid = missing and answer.lower() not in passages.lower()
        yield _answer(question, passages, UNKNOWN if unsaid else answer, origin)


def _answer(question: str, passages: str, answer: str, origin: str) -> TrainingExample:
    values = {"passages": passages, "question": question}
    return example(ANSWER, values, Answer(answer=answer), origin)


def _gold(question: Question, shelf: Shelf) -> list[Passage]:
    return [
        shelf.by_id[passage_id]
        for passage_id in question.supporting_ids
        if passage_id in shelf.by_id
    ]
