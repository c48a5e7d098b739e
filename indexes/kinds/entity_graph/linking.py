"""From a question to the entities that it names: the longest names that the graph knows.

Every run of words of the question is looked up among the graph's names, so a name is found in
whatever way the question writes it. Words without a capital letter or a digit count only in runs
of two and more besides an article, or where the question has no capital letter: "the director" in a
question is seldom the film of that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hopyard.indexes.english import ARTICLES, FUNCTION_WORDS
from hopyard.indexes.keywords import normalise_keyword
from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
from hopyard.indexes.korean import bare_forms

__all__ = ("Link", "linked", "spans_of")

LONGEST: Final = 10
"""Words of a name at most, as it is looked up: the titles of works are long."""

_WORD: Final = re.compile(r"\w+(?:[.'’&/-]+\w+)*[.']?")


class Link(NamedTuple):
    """A name in a question, and an entity that it may mean."""

    name: str
    """As the question writes it."""
    entity: int


def linked(graph: EntityGraph, question: str) -> list[Link]:
    """The entities that a question names, each once, in the order of the question.

    A name that means several entities gives all of them.
    """
    found: dict[int, Link] = {}
    for name in spans_of(graph, question):
        for entity in graph.entities_of(normalise_keyword(name)):
            found.setdefault(entity, Link(name, entity))
    return list(found.values())


def spans_of(graph: EntityGraph, question: str) -> Iterator[str]:
    """The longest runs of words that are names of the graph, from left to right, none twice."""
    words = [match.span() for match in _WORD.finditer(question)]
    plain = question.casefold() == question or question.isupper()
    place = 0
    while place < len(words):
        for end in range(min(len(words), place + LONGEST), place, -1):
            run = question[words[place][0] : words[end - 1][1]]
            if not _may_be_name(run, plain=plain):
                continue
            known = (name for name in _forms(run) if graph.entities_of(normalise_keyword(name)))
            if name := next(known, ""):
                yield name
                place = end
                break
        else:
            place += 1


def _forms(run: str) -> Iterator[str]:
    """A run of words as names may be written: terms are in the singular."""
    yield from bare_forms(run)
    if run.endswith("s"):
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
