"""Facts read by rule from encyclopedia passages: who directed a film, when a person was born.

A rule finds only what a first sentence states, so the answers are reliable. Questions made from
these facts teach comparing and joining, for which 170 gold questions are too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lab.sources import Passage

__all__ = ("Film", "Person", "films_of", "persons_of")

_FILM: Final = re.compile(r"\bis an? (\d{4}) (?:[\w'-]+ ){0,5}?(?:film|movie|comedy|drama)\b")
_DIRECTOR: Final = re.compile(
    r"directed by ((?:[A-Z][\w'’-]+|[A-Z]\.)(?: (?:[A-Z][\w'’-]+|[A-Z]\.)){1,2})"
)
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_DATE: Final = rf"(?:\d{{1,2}} (?:{_MONTHS}) \d{{4}}|(?:{_MONTHS}) \d{{1,2}}, \d{{4}})"
_BORN: Final = re.compile(rf"\([^()]{{0,40}}?({_DATE})")
_DIED: Final = re.compile(rf"[–-] ?({_DATE})\s*\)")
_NATION: Final = re.compile(
    r"\) ?(?:is|was) an? ((?:[A-Z][a-z]+(?:-born)? ?){1,2}) ?((?:[a-z][\w-]+ ?){1,4})"
)
_YEAR: Final = re.compile(r"\d{4}")
_KIND: Final = re.compile(r"\s*\(.*?\)$")


@dataclass(frozen=True)
class Film:
    """A film's year and director."""

    passage: Passage
    name: str
    year: int
    director: str


@dataclass(frozen=True)
class Person:
    """A person's dates and nationality; "" if the passage does not say."""

    passage: Passage
    name: str
    born: str
    died: str
    nation: str
    trade: str

    @property
    def year(self) -> int:
        """The year of birth."""
        return int(_YEAR.findall(self.born)[-1])


def films_of(passages: Iterable[Passage]) -> list[Film]:
    """The films whose passage tells year and director."""
    films = []
    for passage in passages:
        year = _FILM.search(passage.text[:250])
        director = _DIRECTOR.search(passage.text)
        if year and director:
            name = _name(passage)
            films.append(Film(passage, name, int(year.group(1)), director.group(1)))
    return films


def persons_of(passages: Iterable[Passage]) -> list[Person]:
    """The persons whose passage tells the date of birth."""
    persons = []
    for passage in passages:
        head = passage.text[:250]
        born = _BORN.search(head)
        if not born or not re.match(r"[\w'’ .,-]+\(", head):
            continue
        died = _DIED.search(head)
        nation = _NATION.search(head)
        persons.append(
            Person(
                passage,
                _name(passage),
                born.group(1),
                died.group(1) if died and died.group(1) != born.group(1) else "",
                nation.group(1).strip() if nation else "",
                _trade(nation.group(2)) if nation else "",
            )
        )
    return persons


def _trade(text: str) -> str:
    """The words up to the first that cannot belong to a trade."""
    stop = {"and", "who", "of", "in", "for", "from", "best", "known", "at", "with", "by", "that"}
    words: list[str] = []
    for word in text.split():
        if word in stop:
            break
        words.append(word)
    return " ".join(words)


def _name(passage: Passage) -> str:
    """The title without what tells it from others of its name."""
    return _KIND.sub("", passage.title)
