"""Answers drawn for written questions: of the right kind, and otherwise made up."""

from __future__ import annotations

import random
import re
from typing import Final

from lab.pools import POOLS

__all__ = ("plausible",)

_MONTHS: Final = ("January", "March", "May", "June", "August", "October", "December")
_OTHER_ANSWERS: Final = (
    (r"continent", ("Europe", "Africa", "Asia", "North America")),
    (r"\bsea\b", ("the North Sea", "the Black Sea", "the Atlantic Ocean")),
    (r"language", ("Spanish", "German", "Arabic", "French")),
    (r"currency", ("euro", "krone", "peso", "pound")),
    (r"profession|occupation", ("physicist", "painter", "novelist", "singer")),
    (r"kind of animal", ("mammal", "bird", "reptile")),
    (r"kind of element", ("metal", "noble gas")),
    (r"priz|award", ("Nobel Prize in Physics", "Pulitzer Prize", "none")),
    (r"league", ("Premier League", "Serie A", "Eredivisie")),
    (r"mountain", POOLS["mountain"]),
    (r"work", POOLS["book"]),
    (r"stadium|church", POOLS["building"]),
)  # fmt: skip
_KINDS: Final = (
    (r"^who\b", "person"),
    (r"^(?:on which|which) river", "river"),
    (r"\bcity\b|^where|capital|mayor", "city"),
    (r"countr", "country"), (r"company|owner|makes", "company"), (r"university", "university"),
)  # fmt: skip


def plausible(question: str, rng: random.Random) -> str:  # noqa: PLR0911  (one a kind)
    """An answer of the kind that the question asks for."""
    asked = question.lower()
    if re.match(r"when|in which year", asked):
        year = str(rng.randint(1500, 2020))
        return year if rng.random() < 0.7 else f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} {year}"
    for words, kind in _KINDS:
        if re.search(words, asked):
            return rng.choice(POOLS[kind])
    number = rng.choice([rng.randint(2, 90), rng.randint(100, 9900)])
    if "nationality" in asked:
        return rng.choice(["French", "British", "German", "Japanese", "Polish", "American"])
    if re.match(r"how (?:long|high|tall|deep|wide)|.*(?:diameter|length|depth|height)", asked):
        return f"{number} {rng.choice(['km', 'm', 'metres', 'feet', 'miles'])}"
    if re.match(r"how|.*(?:population|area|mass|price|speed|volume)", asked):
        return str(number)
    for words, answers in _OTHER_ANSWERS:
        if re.search(words, asked):
            return rng.choice(answers)
    return rng.choice(POOLS["city"])
