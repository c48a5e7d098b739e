"""Closing questions: answer from what the sub-questions found, and from passages."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from hopyard.prompts.answer import UNKNOWN, Answer
from hopyard.prompts.strategies.aggregate import AGGREGATE
from lab.encyclopedia import Film, Person
from lab.examples import TrainingExample, example
from lab.reading import short
from lab.retrieval import Shelf, gold_or_near
from lab.steps import Halves
from lab.written import ALONE, Written

__all__ = ("closing_comparison", "closing_steps", "closing_written")


def closing_comparison(
    films: Sequence[Film], persons: Sequence[Person], shelf: Shelf, rng: random.Random
) -> Iterator[TrainingExample]:
    """One comparison of two persons or two films, with the findings and their passages."""
    draw = rng.random()
    if draw < 0.45:
        person, other = rng.sample(persons, 2)
        if person.year == other.year:
            return
        older, younger = (person, other) if person.year < other.year else (other, person)
        wanted, right = rng.choice([("born first", older), ("older", older), ("younger", younger)])
        verb = "was" if wanted == "born first" else "is"
        question = f"Who {verb} {wanted}, {person.name} or {other.name}?"
        pairs = [(f"When was {x.name} born?", x.born) for x in (person, other)]
        gold, answer = [person.passage, other.passage], right.name
    elif draw < 0.75:
        first, second = rng.sample(films, 2)
        if first.year == second.year:
            return
        question = f"Which film was released first, {first.name} or {second.name}?"
        pairs = [(f"When was the film {x.name} released?", str(x.year)) for x in (first, second)]
        gold = [first.passage, second.passage]
        answer = min((first, second), key=lambda film: film.year).name
    else:
        person = rng.choice([person for person in persons if person.nation])
        same = rng.random() < 0.5
        other = rng.choice([p for p in persons if p.nation and (p.nation == person.nation) == same])
        if other is person:
            return
        question = f"Are {person.name} and {other.name} of the same nationality?"
        pairs = [(f"What is the nationality of {x.name}?", x.nation) for x in (person, other)]
        gold, answer = [person.passage, other.passage], "yes" if same else "no"
    if rng.random() < 0.2:  # a finding is missing, but the passages contain it
        at = rng.randrange(2)
        pairs[at] = (pairs[at][0], UNKNOWN)
    passages = gold_or_near(question, gold, shelf, rng)
    yield _close(question, passages, pairs, answer, "2wikimultihopqa")


def closing_steps(halves: Halves, shelf: Shelf, rng: random.Random) -> Iterator[TrainingExample]:
    """A gold question with the findings of its steps, some of them Unknown."""
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
    answer = short(halves.answer) if known else UNKNOWN
    findings = [(halves.first.question, first), (asked, second)]
    yield _close(halves.question, passages, findings, answer, halves.origin)


def closing_written(
    written: Written, shelf: Shelf, rng: random.Random
) -> Iterator[TrainingExample]:
    """The closing question over the findings of both sub-questions, sometimes with one Unknown."""
    if written.halves is None:
        return
    halves = written.halves
    found = [halves.first.answer, halves.filled.answer]
    if rng.random() < 0.25:
        found[rng.randrange(2)] = UNKNOWN
    asked = [halves.first.question, rng.choice([halves.filled.question, halves.second])]
    passages = gold_or_near(written.question, written.needs, shelf, rng, alone=ALONE)
    findings = list(zip(asked, found, strict=True))
    yield _close(written.question, passages, findings, written.answer, "written")


def _close(
    question: str, passages: str, findings: Sequence[tuple[str, str]], answer: str, origin: str
) -> TrainingExample:
    values = {
        "passages": passages,
        "findings": "\n".join(f"{asked} {found}" for asked, found in findings),
        "question": question,
    }
    return example(AGGREGATE, values, Answer(answer=answer), origin)
