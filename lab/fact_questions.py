"""Questions over facts that a rule has read: comparisons, joins and single facts.

Yes and no are equally frequent, because a model that mostly saw one of them repeats it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from lab.encyclopedia import Film, Person
from lab.sources import Passage

__all__ = ("Asked", "fact_question")

Asked = tuple[str, list[Passage], str]
"""A question, its gold passages, its answer."""

_TRADES: Final = frozenset(
    {"actor", "composer", "cricketer", "film director", "filmmaker", "footballer", "novelist"}
    | {"painter", "politician", "screenwriter", "singer", "songwriter", "writer"}
)
"""Trades whose plural ends in s."""


def fact_question(
    films: Sequence[Film], persons: Sequence[Person], rng: random.Random
) -> Asked | None:
    """A question of a drawn kind; None if the draw has no unique answer."""
    make = rng.choices(
        (_older, _earlier_film, _same_nation, _both, _before, _joined, _fact, _director),
        weights=(25, 12, 10, 12, 12, 14, 10, 5),
    )[0]
    return make(films, persons, rng)


def _older(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked | None:
    first, other = rng.sample(persons, 2)
    if first.year == other.year:
        return None
    older, younger = (first, other) if first.year < other.year else (other, first)
    asked, right = rng.choice(
        [
            ("Who was born first", older),
            ("Who is older", older),
            ("Who is younger", younger),
            ("Who was born later", younger),
        ]
    )
    question = f"{asked}, {first.name} or {other.name}?"
    return question, [first.passage, other.passage], right.name


def _earlier_film(films: Sequence[Film], _: Sequence[Person], rng: random.Random) -> Asked | None:
    first, other = rng.sample(films, 2)
    if first.year == other.year:
        return None
    earlier = first if first.year < other.year else other
    question = f"Which film came out first, {first.name} or {other.name}?"
    return question, [first.passage, other.passage], earlier.name


def _same_nation(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    known = [person for person in persons if person.nation]
    first, wanted = rng.choice(known), rng.random() < 0.5
    others = [p for p in known if p is not first and (p.nation == first.nation) == wanted]
    other = rng.choice(others or [p for p in known if p is not first])
    question = rng.choice(
        [
            f"Are {first.name} and {other.name} of the same nationality?",
            f"Do {first.name} and {other.name} have the same nationality?",
        ]
    )
    same = first.nation == other.nation
    return question, [first.passage, other.passage], "yes" if same else "no"


def _both(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    """Two persons of one trade, or of one trade and nationality, or not."""
    known = [person for person in persons if person.nation and person.trade in _TRADES]
    first, wanted, with_nation = rng.choice(known), rng.random() < 0.5, rng.random() < 0.5

    def alike(person: Person) -> bool:
        same_nation = not with_nation or person.nation == first.nation
        return person.trade == first.trade and same_nation

    others = [p for p in known if p is not first and alike(p) == wanted]
    other = rng.choice(others or [p for p in known if p is not first])
    kind = f"{first.nation} {first.trade}s" if with_nation else f"{first.trade}s"
    question = rng.choice(
        [
            f"Are {first.name} and {other.name} both {kind}?",
            f"Were both {first.name} and {other.name} {kind}?",
        ]
    )
    return question, [first.passage, other.passage], "yes" if alike(other) else "no"


def _before(films: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked | None:
    """Whether one of two came first, or both in one decade."""
    draw = rng.random()
    if draw < 0.4:
        first, second = rng.sample(persons, 2)
        asked, right = rng.choice(
            [
                (f"Was {first.name} born before {second.name}?", first.year < second.year),
                (f"Is {first.name} younger than {second.name}?", first.year > second.year),
            ]
        )
        differ, passages = first.year != second.year, [first.passage, second.passage]
        return (asked, passages, "yes" if right else "no") if differ else None
    film = rng.choice(films)
    if draw < 0.7:
        other = rng.choice(films)
        asked = f"Did {film.name} come out before {other.name}?"
        right = film.year < other.year
        possible = film.year != other.year
    else:
        wanted, decade = rng.random() < 0.5, film.year // 10
        other = rng.choice([f for f in films if (f.year // 10 == decade) == wanted])
        asked = f"Are {film.name} and {other.name} both films of the {decade}0s?"
        right = other.year // 10 == decade
        possible = other is not film
    answer = "yes" if right else "no"
    return (asked, [film.passage, other.passage], answer) if possible else None


def _joined(films: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    by_name = {person.name: person for person in persons}
    film = rng.choice([film for film in films if film.director in by_name])
    maker = by_name[film.director]
    gold = [film.passage, maker.passage]
    if maker.died and rng.random() < 0.5:
        return f"When did the director of the film {film.name} die?", gold, maker.died
    return f"When was the director of {film.name} born?", gold, maker.born


def _director(films: Sequence[Film], _: Sequence[Person], rng: random.Random) -> Asked:
    film = rng.choice(films)
    return f"Who directed the film {film.name}?", [film.passage], film.director


def _fact(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    person = rng.choice(persons)
    facts = [
        (f"When was {person.name} born?", person.born),
        (f"In which year was {person.name} born?", str(person.year)),
        (f"When did {person.name} die?", person.died),
        (f"What is the nationality of {person.name}?", person.nation),
        (f"What was the profession of {person.name}?", person.trade),
    ]
    question, answer = rng.choice([fact for fact in facts if fact[1]])
    return question, [person.passage], answer
