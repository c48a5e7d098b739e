"""From a question to the entities that it names: the longest names that the graph knows.

Every run of words of the question is looked up among the graph's names, so a name is found in
whatever way the question writes it. Words without a capital letter or a digit count only in runs
of two and more besides an article, or where the question has no capital letter: "the director" in a
question is seldom the film of that name. All other names that the
rules find are unknown to the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.capitals import MARKS, SIGNS
from hopyard.indexes.text.english import ARTICLES, FUNCTION_WORDS
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.korean import bare_forms
from hopyard.indexes.text.names import is_date, names_in

LONGEST: Final = 10
"""Words of a name at most, as it is looked up: the titles of works are long."""

_LETTERS: Final = rf"[\w{MARKS}]+"
_WORD: Final = re.compile(
    rf"(?:(?<![\w.])\.)?{_LETTERS}(?:[.'’&/-]+{_LETTERS})*(?:(?:{SIGNS}|-)(?!\w))?[.']?"
)


class Link(NamedTuple):
    """A name in a question, and an entity that it may mean."""

    name: str
    """As the question writes it."""
    entity: int


class Linked(NamedTuple):
    """The names of a question."""

    links: list[Link]
    """The entities that it names, each once, in the order of the question. A name that means
    several entities gives all of them."""
    unknown: list[str]
    """Names that the graph does not know, without dates, each once, in the order of the question.
    A name that shares a word with a known name is a part or an extension of it, and left out."""


def linked(graph: EntityGraph, question: str, language: str = "en") -> Linked:
    """The names of a question, known and unknown.

    Args:
        language: A key of `LANGUAGES`, which decides what an unknown name looks like.
    """
    found: dict[int, Link] = {}
    known: list[tuple[int, int]] = []
    for start, end, link in _known(graph, question):
        found.setdefault(link.entity, link)
        known.append((start, end))
    unknown = [
        name.text
        for name in names_in(question, language)
        if not is_date(name.text)
        and all(name.end <= start or end <= name.start for start, end in known)
    ]
    return Linked(list(found.values()), list(dict.fromkeys(unknown)))


def known_names(graph: EntityGraph, question: str) -> list[str]:
    """The names of the graph in a question, as the question writes them, each once, in order."""
    return list(dict.fromkeys(link.name for _, _, link in _known(graph, question)))


def _known(graph: EntityGraph, question: str) -> Iterator[tuple[int, int, Link]]:
    """The longest runs of words that are names of the graph, from left to right, none twice.

    Yields the start and end of each run, with each entity that it may mean.
    """
    words = [match.span() for match in _WORD.finditer(question)]
    plain = question.casefold() == question or question.isupper()
    place = 0
    while place < len(words):
        start = words[place][0]
        for after in range(min(len(words), place + LONGEST), place, -1):
            end = words[after - 1][1]
            if links := _links(graph, question[start:end], plain=plain):
                yield from ((start, end, link) for link in links)
                place = after
                break
        else:
            place += 1


def _links(graph: EntityGraph, run: str, *, plain: bool) -> list[Link]:
    """The entities of a run of words; none if it is no name of the graph."""
    if not _may_be_name(run, plain=plain):
        return []
    for name in _forms(run):
        if entities := graph.entities_of(normalise_keyword(name)):
            return [Link(name, entity) for entity in entities]
    return []


def _forms(run: str) -> Iterator[str]:
    """A run of words as names may be written: terms are in the singular."""
    yield from bare_forms(run)
    if run.endswith(("s", "-")):  # `EU-` of `EU- und NATO-Staaten`
        yield run[:-1]


def _may_be_name(run: str, *, plain: bool) -> bool:
    words = run.split()
    if words[0].casefold() in FUNCTION_WORDS and len(words) == 1:
        return False
    if words[0].casefold() in ARTICLES:
        words.pop(0)
    stands_out = any(letter.isupper() or letter.isdigit() for word in words for letter in word)
    # Scripts without capital letters have nothing that stands out.
    return plain or stands_out or len(words) > 1 or not run.isascii()
