"""What the lines of passages have of a statement: its words, names, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.nodes.language import in_two_languages, language_of, script_of
from hopyard.nodes.support.lines import Line, lines_of
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.said import Entity, Said, entities_of, said

__all__ = ("Hit", "Matches", "has_number")

Hit = str | Entity | Number | Date
"""A content word, a name, a number or a date of a statement."""

_SAMPLE: Final = 4000
"""Characters of the passages that show their language."""
_SHORT: Final = 8
"""Words of a short answer at most."""
_CAPITAL: Final = re.compile(r"\b[^\W\d_a-z]\w+")
_SIGNED: Final = 2
"""Words of a line that is only a name."""


class Matches:
    """What the lines of passages have of a statement and its question."""

    def __init__(self, statement: str, passages: Sequence[Passage], asked: str, about: str) -> None:
        self.claim: Final = said(statement)
        self.asked: Final = said(asked)
        self.whole: Final = said(f"{asked} {statement}" if asked else statement)
        self.about: Final = said(about).words
        self.places: Final = len(passages)
        self.lines: Final = [
            line for place, passage in enumerate(passages) for line in lines_of(passage, place)
        ]
        self.text: Final = " ".join(passage.text for passage in passages)
        short = bool(asked) and len(statement.split()) <= _SHORT
        language = language_of(f"{asked} {statement}") or language_of(self.text[:_SAMPLE])
        self.german: Final = language == "de"
        self.entities: Final = entities_of(
            self.claim.plain, self.is_name, german=self.german, short=short
        )
        self.used: Final[list[Line]] = []
        """Lines that a number follows from."""

    def is_name(self, word: str) -> bool:
        """Whether a word, which is in small letters, is part of a name in the passages."""
        return word in self.known_names

    @cached_property
    def known_names(self) -> frozenset[str]:
        """Words of names in the passages, in small letters; in a row, all that have a capital."""
        names: set[str] = set()
        for line in self.lines:
            text = line.own.plain
            signed = len(text.split()) <= _SIGNED and text[:1].isupper()
            if line.table >= 0 or line.item or signed:
                names.update(word.casefold() for word in _CAPITAL.findall(text))
            else:
                names.update(word for entity in entities_of(text) for word in entity.words)
        return frozenset(names)

    @cached_property
    def foreign(self) -> bool:
        """Whether the words of statement and passages are of two languages or scripts."""
        one, other = self.whole.plain, self.text[:_SAMPLE]
        return script_of(one) != script_of(other) or in_two_languages(one, other)

    @cached_property
    def words(self) -> frozenset[str]:
        """The content words of the statement that are no part of a name."""
        named = [word for entity in self.entities for word in entity.words]
        rest = frozenset(said(" ".join(named)).words)
        return self.whole.words - rest

    def hits(self, line: Line) -> set[Hit]:
        """What a line itself has of the statement or the question."""
        if id(line) not in self._hits_of:
            self._hits_of[id(line)] = self._find_hits(line)
        return self._hits_of[id(line)]

    def _find_hits(self, line: Line) -> set[Hit]:
        return self.hits_in(line.own, line.numbers, line.dates)

    def hits_in(self, text: Said, numbers: Sequence[Number], dates: Sequence[Date]) -> set[Hit]:
        """What a text has of the statement or the question."""
        hits: set[Hit] = set(self.words & text.words)
        hits |= {entity for entity in self.all_entities if entity.is_in(text)}
        hits |= {
            number
            for number in (*self.claim.numbers, *self.asked.numbers)
            if has_number(text, numbers, number)
        }
        hits |= {
            date
            for date in (*self.claim.dates, *self.asked.dates)
            if any(date.agrees(other) for other in dates)
        }
        return hits

    @cached_property
    def _hits_of(self) -> dict[int, set[Hit]]:
        return {}

    @cached_property
    def all_entities(self) -> list[Entity]:
        """The names of statement and question, and pairs such as `hall 3`."""
        asked = entities_of(self.asked.plain, german=self.german) if self.asked.text else []
        pairs = [
            Entity((f"{word}{number}",), 0, sure=False)
            for word, number in re.findall(
                r"([^\W\d_]{3,}) (\d{1,4})\b", self.whole.plain.casefold()
            )
        ]
        return [*self.entities, *asked, *pairs]

    def siblings(self, line: Line) -> list[Line]:
        """The rows of the same table, also where it was cut, or the items of the same list."""
        return [
            other
            for other in self.lines
            if (
                other.table >= 0 and other.header == line.header
                if line.header
                else (other.passage, other.table, other.item)
                == (line.passage, line.table, line.item)
            )
        ]

    def score(self, line: Line) -> float:
        """How much a line has of the statement; what its title says too counts little."""
        context = line.context
        score = 0.0
        for hit in self.hits(line):
            if isinstance(hit, (Number, Date)):
                score += 3
            elif isinstance(hit, Entity):
                score += 0.3 if hit.is_in(context) else 2
            else:
                score += 0.3 if hit in context.words else 1
        around = len(self.words & line.subject.words) + sum(
            entity.is_in(line.subject) for entity in self.all_entities
        )
        about = len(self.about & (line.own.words | context.words))
        return score + 0.3 * around * bool(score) - 0.2 * line.heading + 0.01 * about

    def focus(self) -> Line:
        """The line that has most of what the statement says of its names."""
        return max(self.lines, key=lambda line: (self._says(line), self.score(line)))

    def _says(self, line: Line) -> int:
        return sum(2 if isinstance(hit, (Number, Date)) else 1 for hit in self.said_by(line))

    def said_by(self, line: Line) -> set[Hit]:
        """What a line has of the statement that is neither a name nor in its title."""
        around = line.context.words
        return {hit for hit in self.hits(line) if not isinstance(hit, Entity) and hit not in around}

    def columns(self) -> list[list[tuple[Line, Number]]]:
        """The numbers of each column of each table, and the first number of each item."""
        found: dict[tuple[int, int, int], list[tuple[Line, Number]]] = {}
        for line in self.lines:
            if line.table >= 0:
                for place, cell in enumerate(line.cells):
                    for number in line.numbers:
                        if any(number.bare == other.bare for other in cell.numbers):
                            found.setdefault((line.passage, line.table, place), []).append(
                                (line, number)
                            )
            elif line.item and line.numbers:
                for place, number in enumerate(line.numbers):
                    found.setdefault((line.passage, -1, place), []).append((line, number))
        for line in self.lines:
            named = [place for place, name in enumerate(line.header) if said(name).numbers]
            if len(named) > 1:  # the columns are years or sizes: the row is a series
                found[line.passage, line.table, -line.span[0]] = [
                    (line, number) for number in line.numbers
                ]
        return [column for column in found.values() if len(column) > 1]

    @cached_property
    def full_names(self) -> frozenset[str]:
        """The last words of names of several words."""
        return frozenset(
            entity.words[-1]
            for line in self.lines
            for entity in entities_of(line.own.plain)
            if len(entity.words) > 1
        )


def has_number(text: Said, numbers: Sequence[Number], wanted: Number) -> bool:
    """Whether a text has a number, or a date or an ordinal that says it."""
    if any(wanted.equals(number) for number in numbers):
        return True
    return (
        not wanted.base and not wanted.scaled and any(value in text.values for value in wanted.bare)
    )
