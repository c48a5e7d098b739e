"""Questions over the facts that a rule has read: comparisons, joins and single facts.

Those that are answered yes or no come out even: a model that mostly saw one of them says that one.
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
"""Trades that take an s."""


def fact_question(
    films: Sequence[Film], persons: Sequence[Person], rng: random.Random
) -> Asked | None:
    """A question of a drawn kind; None where what was drawn has no one answer."""
    make = rng.choices(
        (_older, _earlier_film, _same_nation, _both, _before, _joined, _fact, _director),
        weights=(25, 12, 10, 12, 12, 14, 10, 5),
    )[0]
    return make(films, persons, rng)


def _older(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked | None:
    one, other = rng.sample(persons, 2)
    if one.year == other.year:
        return None
    older, younger = (one, other) if one.year < other.year else (other, one)
    asked, right = rng.choice(
        [
            ("Who was born first", older),
            ("Who is older", older),
            ("Who is younger", younger),
            ("Who was born later", younger),
        ]
    )
    question = f"{asked}, {one.name} or {other.name}?"
    return question, [one.passage, other.passage], right.name


def _earlier_film(films: Sequence[Film], _: Sequence[Person], rng: random.Random) -> Asked | None:
    one, other = rng.sample(films, 2)
    if one.year == other.year:
        return None
    earlier = one if one.year < other.year else other
    question = f"Which film came out first, {one.name} or {other.name}?"
    return question, [one.passage, other.passage], earlier.name


def _same_nation(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    known = [person for person in persons if person.nation]
    one, wanted = rng.choice(known), rng.random() < 0.5
    others = [p for p in known if p is not one and (p.nation == one.nation) == wanted]
    other = rng.choice(others or [p for p in known if p is not one])
    question = rng.choice(
        [
            f"Are {one.name} and {other.name} of the same nationality?",
            f"Do {one.name} and {other.name} have the same nationality?",
        ]
    )
    same = one.nation == other.nation
    return question, [one.passage, other.passage], "yes" if same else "no"


def _both(_: Sequence[Film], persons: Sequence[Person], rng: random.Random) -> Asked:
    """Two persons of one trade, or of one trade and nationality, or not."""
    known = [person for person in persons if person.nation and person.trade in _TRADES]
    one, wanted, with_nation = rng.choice(known), rng.random() < 0.5, rng.random() < 0.5

    def alike(person: Person) -> bool:
        same_nation = not with_nation or person.nation == one.nation
        return person.trade == one.trade and same_nation

    others = [p for p in known if p is not one and alike(p) == wanted]
    other = rng.choice(others or [p for p in known if p is not one])
    kind = f"{one.nation} {one.trade}s" if with_nation else f"{one.trade}s"
    question = rng.choice(
        [
            f"Are {one.name} and {other.name} both {kind}?",
            f"Were both {one.name} and {other.name} {kind}?",
        ]
    )
    return question, [one.passage, other.passage], "yes" if alike(other) else "no"


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
    one = rng.choice(films)
    if draw < 0.7:
        other = rng.choice(films)
        asked = f"Did {one.name} come out before {other.name}?"
        right = one.year < other.year
        possible = one.year != other.year
    else:
        wanted, decade = rng.random() < 0.5, one.year // 10
        other = rng.choice([f for f in films if (f.year // 10 == decade) == wanted])
        asked = f"Are {one.name} and {other.name} both films of the {decade}0s?"
        right = other.year // 10 == decade
        possible = other is not one
    answer = "yes" if right else "no"
    return (asked, [one.passage, other.passage], answer) if possible else None


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
