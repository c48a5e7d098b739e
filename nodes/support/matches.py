"""The words, names, numbers and dates of a statement that lines of passages have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.support.lines import SAMPLE, Line, Said, lines_of, said
from hopyard.nodes.support.names import Name, find_names
from hopyard.nodes.support.quantities import MONTHS, SPACED, Date, Number, join
from hopyard.nodes.support.words import language_of, script_of

Span = tuple[int, int]
Hit = str | Name | Number | Date
"""A content word, a name, a number or a date of a statement."""

MOST_QUOTES: Final = 3
"""Sentences and rows of one passage that are quoted for a statement."""
_LEAST_GAIN: Final = 2
"""A further quote adds at least a name, a number, a date, or two words."""
_SHORT: Final = 8
"""Words of a short answer at most."""
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")


class Matches:
    """The parts of a statement and its question that lines of passages have."""

    def __init__(self, statement: str, passages: Sequence[Passage], asked: str, about: str) -> None:
        self.passages: Final = passages
        self.text: Final = " ".join(passage.text for passage in passages)[:SAMPLE]
        # An answer is in the language of its question.
        self.language: Final = language_of(f"{asked} {statement}") or language_of(about)
        language = self.language or language_of(self.text) or "en"
        told = said(SPACED.sub("", f"{asked} {statement}"), language).plain
        numbers = frozenset(_DIGITS.findall(told))
        self.lines: Final = [
            line
            for place, passage in enumerate(passages)
            for line in lines_of(passage, place, _spaced(passage.text, numbers))
        ]
        statement = SPACED.sub(self._joined, statement)
        apart = frozenset(SPACED.findall(statement))
        self.claim: Final = said(statement, language, apart)
        self.asked: Final = said(asked, language)
        self.whole: Final = said(f"{asked} {statement}", language, apart)
        self.about: Final = said(about, language).words
        self.places: Final = len(passages)
        self.german: Final = language == "de"
        short = bool(asked) and len(statement.split()) <= _SHORT
        self.names: Final = self.names_in(self.claim.plain, short=short)
        asked_names = self.names_in(self.asked.plain) if asked else []
        numbered = re.findall(r"([^\W\d_]{3,}) (\d{1,4})\b", self.whole.plain.casefold())
        pairs = [
            Name((f"{word}{number}",), 0, sure=False)
            for word, number in numbered
            if word not in MONTHS
        ]
        self.all_names: Final = [*self.names, *asked_names, *pairs]
        named = [word for name in self.names for word in name.words]
        self.words: Final = self.whole.words - said(" ".join(named)).words
        self.used: Final[list[Line]] = []
        """Lines that a number follows from."""
        self._hits: Final[dict[int, frozenset[Hit]]] = {}

    def _joined(self, spaced: re.Match[str]) -> str:
        """Thousands of the statement without spaces, unless lines have them as several numbers."""
        held = {each.value for line in self.lines for each in line.numbers}
        parts = {int(part) for part in spaced[0].split()}
        return spaced[0] if parts <= held and int(join(spaced)) not in held else join(spaced)

    def of(self, part: str) -> Matches:
        """The matches of a part of the statement."""
        return Matches(part, self.passages, self.asked.plain, "")

    def names_in(self, plain: str, *, short: bool = False) -> list[Name]:
        """The names in a text; a short answer is one if it has a capital."""
        return find_names(plain, german=self.german, short=short)

    @cached_property
    def foreign(self) -> bool:
        """Whether the words of statement and passages are of two languages or scripts."""
        if script_of(self.whole.plain) != script_of(self.text):
            return True
        languages = {self.language, language_of(self.text)}
        return "" not in languages and len(languages) == 2

    def hits(self, line: Line) -> frozenset[Hit]:
        """The parts of the statement or the question in a line itself."""
        if id(line) not in self._hits:
            self._hits[id(line)] = self.hits_in(line.own, line.numbers)
        return self._hits[id(line)]

    def hits_in(self, text: Said, numbers: Sequence[Number] = ()) -> frozenset[Hit]:
        """The parts of the statement or the question in a text, and in numbers with units."""
        names: list[Hit] = [name for name in self.all_names if name.is_in(text.names)]
        hard: list[Number | Date] = [*self.claim.numbers, *self.asked.numbers]
        hard += [*self.claim.dates, *self.asked.dates]
        found = [each for each in hard if has(text, each, numbers)]
        return frozenset(self.words & text.words).union(names, found)

    def told(self, line: Line) -> frozenset[Hit]:
        """The parts of the statement in a line that are no names and not said around it."""
        around = line.around.words
        return frozenset(
            hit for hit in self.hits(line) if not isinstance(hit, Name) and hit not in around
        )

    @cached_property
    def focus(self) -> Line:
        """The line that has most of what the statement says of its names."""

        def weight(line: Line) -> int:
            return sum(1 if isinstance(hit, str) else 2 for hit in self.told(line))

        return max(self.lines, key=lambda line: (weight(line), self.score(line)))

    def siblings(self, line: Line) -> list[Line]:
        """The other rows of a table, also where it was cut, or the other items of a list."""
        return [other for other in self.lines if other.table == line.table and other is not line]

    def columns(self) -> list[list[tuple[Line, Number]]]:
        """The numbers of each column of each table, and of each part of a list's items."""
        found: dict[object, list[tuple[Line, Number]]] = {}
        for line in self.lines:
            for place, column in enumerate(line.columns if line.table else ()):
                pairs = ((line, number) for number in column[:1])
                found.setdefault((line.table, place), []).extend(pairs)
        return [column for column in found.values() if len(column) > 1]

    def score(self, line: Line) -> float:
        """How much a line has of the statement; what is said around it too counts little."""
        score = 0.0
        for hit in self.hits(line):
            if isinstance(hit, (Number, Date)):
                score += 0.3 if has(line.around, hit) else 3
            elif isinstance(hit, Name):
                score += 0.3 if hit.is_in(line.around.names) else 2
            else:
                score += 0.3 if hit in line.around.words else 1
        asked = 0.2 * len(self.about & line.own.words - line.around.words)
        asked += 0.01 * len(self.about & line.around.words)
        return score - 0.2 * line.heading + asked

    def nearest(self) -> list[Line]:
        """The sentences and rows that share most with the statement, the nearest first."""
        return sorted(filter(self.hits, self.lines), key=lambda line: -self.score(line))

    def quotes(self, place: int) -> list[Span]:
        """The sentences and rows of a passage to quote, the best first."""
        own = [line for line in self.lines if line.passage == place]
        if not own:
            return []
        # Of sentences that share nothing with an answer in another language, the longest says most.
        sign = 1 if self.foreign else -1
        best = max(own, key=lambda line: (self.score(line), sign * (line.span[1] - line.span[0])))
        chosen = [best, *(line for line in dict.fromkeys(self.used) if line in own)]
        least = max(_LEAST_GAIN, len(self.words) // 5)
        while len(chosen) < MOST_QUOTES and len(chosen) < len(own):
            rest = [line for line in own if line not in chosen]
            held = frozenset().union(*map(self.hits, chosen))
            # Of equal lines, one that asks nothing; then that before a chosen line: it may say who
            # "she" is.
            before = {line.span for line, after in pairwise(own) if after in chosen}
            line = max(
                rest,
                key=lambda each: (self._gain(each, held), not each.asks, each.span in before),
            )
            if self._gain(line, held) < least:
                break
            chosen.append(line)
        if all(map(self._is_bare, chosen)):  # as below a letter: what the letter says is quoted too
            chosen.append(max(own, key=lambda line: line.span[1] - line.span[0]))
        return list(dict.fromkeys(line.span for line in chosen))[:MOST_QUOTES]

    def _is_bare(self, line: Line) -> bool:
        """Whether a line is a name of the statement and nothing else."""
        names = {word for hit in self.hits(line) if isinstance(hit, Name) for word in hit.words}
        return not line.table and {*re.findall(r"\w+", line.own.plain.casefold())} <= names

    def _gain(self, line: Line, held: frozenset[Hit]) -> int:
        """The weight that a line adds to quotes; its surroundings add nothing."""
        return sum(
            2 * (not hit.is_in(line.around.names))
            if isinstance(hit, Name)
            else (hit not in line.around.words)
            if isinstance(hit, str)
            else 2 * (isinstance(hit, Date) or not has(line.around, hit))
            for hit in self.hits(line) - held
        )


def _spaced(text: str, numbers: frozenset[str]) -> frozenset[str]:
    """Runs of a text that look like thousands with spaces, and are several of some numbers."""
    return frozenset(found for found in SPACED.findall(text) if numbers.issuperset(found.split()))


def has(text: Said, wanted: Number | Date, numbers: Sequence[Number] = ()) -> bool:
    """Whether a text has a date; or a number, perhaps as the year or the day of a date.

    Args:
        text: A line, or what is said around it.
        wanted: A number or a date of a statement.
        numbers: The numbers of the text; by default those that it names itself.
    """
    if isinstance(wanted, Date):
        return any(map(wanted.agrees, text.dates))
    if any(map(wanted.equals, numbers or text.numbers)):
        return True
    days = {value for date in text.dates for value in (date.year, date.day) if value}
    return not wanted.unit and wanted.value in days
