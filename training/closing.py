"""Closing questions: compare two things from findings that are known to be right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from hopyard.prompts.aggregate import AGGREGATE
from hopyard.prompts.answer import UNKNOWN, Answer
from hopyard.training.encyclopedia import Film, Person
from hopyard.training.examples import TrainingExample, example
from hopyard.training.retrieval import Shelf, gold_or_near

__all__ = ("closing",)


def closing(
    films: Sequence[Film], persons: Sequence[Person], shelf: Shelf, rng: random.Random
) -> Iterator[TrainingExample]:
    """One comparison of two persons or two films, with the findings and their passages."""
    draw = rng.random()
    if draw < 0.45:
        one, other = rng.sample(persons, 2)
        if one.year == other.year:
            return
        older, younger = (one, other) if one.year < other.year else (other, one)
        wanted, right = rng.choice([("born first", older), ("older", older), ("younger", younger)])
        question = (
            f"Who {'was' if wanted == 'born first' else 'is'} {wanted}, {one.name} or {other.name}?"
        )
        pairs = [(f"When was {x.name} born?", x.born) for x in (one, other)]
        gold, answer = [one.passage, other.passage], right.name
    elif draw < 0.75:
        first, second = rng.sample(films, 2)
        if first.year == second.year:
            return
        question = f"Which film was released first, {first.name} or {second.name}?"
        pairs = [(f"When was the film {x.name} released?", str(x.year)) for x in (first, second)]
        gold = [first.passage, second.passage]
        answer = min((first, second), key=lambda film: film.year).name
    else:
        one = rng.choice([person for person in persons if person.nation])
        same = rng.random() < 0.5
        other = rng.choice([p for p in persons if p.nation and (p.nation == one.nation) == same])
        if other is one:
            return
        question = f"Are {one.name} and {other.name} of the same nationality?"
        pairs = [(f"What is the nationality of {x.name}?", x.nation) for x in (one, other)]
        gold, answer = [one.passage, other.passage], "yes" if same else "no"
    if rng.random() < 0.2:  # a finding is missing, and the passages still hold it
        at = rng.randrange(2)
        pairs[at] = (pairs[at][0], UNKNOWN)
    findings = "\n".join(f"{asked} {found}" for asked, found in pairs)
    values = {
        "passages": gold_or_near(question, gold, shelf, rng),
        "findings": findings,
        "question": question,
    }
    yield example(AGGREGATE, values, Answer(answer=answer), "2wikimultihopqa")
