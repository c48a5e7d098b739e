"""Compare a statement with all sentences and rows of the passages that it cites.

A statement is stated if its numbers, dates and names are, if each of them is in one sentence or row
with something else of the statement (so that the value of another row is noticed), and if enough of
its words are. Numbers may follow from others (`arithmetic`). Negations, superlatives, and the order
of names are compared too (`contradictions`). All this is by form: whether a statement follows from
its passages is for the reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.nodes.language import in_two_languages, language_of, script_of
from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.contradictions import contradicts
from hopyard.nodes.support.counts import counted
from hopyard.nodes.support.lines import Line, lines_of
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.said import Entity, Said, entities_of, said

__all__ = ("MOST_QUOTES", "Verdict", "compare")

MOST_QUOTES: Final = 3
"""Sentences and rows of one passage that are quoted for a statement."""
LEAST_SHARE: Final = 0.5
"""Share of a statement's content words that the passages hold at least."""
SPACELESS_SHARE: Final = 0.6
"""The same of pairs of characters: scripts without spaces and capitals show no names."""
WITH_NAMES: Final = 1 / 3
"""The same where names, numbers or dates are found."""
_FIRST_YEAR: Final = 1000
_LAST_YEAR: Final = 2100
_LEAST_GAIN: Final = 2
"""What another quote adds at least: a name, a number, a date, or two words."""
_FEW: Final = 4
"""Lines with an amount of the same unit that are calculated with, whatever they say."""
_SHORT: Final = 8
"""Words of a short answer at most."""
_DEFINITE: Final = re.compile(
    r"\b(?:the|these|those|its|their|all|of the|die|der|den|diese|beide|alle|ihre|seine)\s+$", re.I
)
_ABOUT: Final = re.compile(
    r"(?:about|around|roughly|approximately|nearly|almost|over|more than|under|less than|up to|"
    r"at least|some|etwa|rund|ca\.|circa|knapp|fast|über|mehr als|unter|weniger als|gut|bis zu|약|约)"
    r"\s+$",
    re.IGNORECASE,
)
_MORE_THAN: Final = re.compile(
    r"\S+(?: \S+){0,2}? (?:more|less|fewer|higher|lower|longer|shorter|mehr|weniger|höher|niedriger)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"\b[^\W\d_a-z]\w+")
_SIGNED: Final = 2
"""Words of a line that is only a name."""
_BEGINNING: Final = 25
"""Characters of an item that its name is in."""
_OF_WHICH: Final = re.compile(r"\b(?:davon|of (?:which|whom|them|those)|including)\b", re.I)
_RELATIVE: Final = re.compile(
    r"(?:who|whom|whose|which|that|where|der|die|das|dem|den|dessen|deren|wo|and|und|but|aber)\b", re.I
)
_COMMA: Final = re.compile(r"[,;:]\s+")
_NEAR: Final = 20
"""A number that is called approximate may differ by a twentieth."""

Span = tuple[int, int]
_Hard = Number | Date | Entity


@dataclass(frozen=True)
class Verdict:
    """The comparison of a statement with its passages.

    Attributes:
        reason: What is missing or contradicts; "" if the statement is supported.
        quotes: By the place of a passage, the sentences and rows to quote, best first.
        bearing: Places of the passages that say something about the statement.
    """

    reason: str = ""
    quotes: dict[int, list[Span]] = field(default_factory=dict)
    bearing: frozenset[int] = frozenset()

    @property
    def supported(self) -> bool:
        """Whether the passages state it."""
        return not self.reason


def compare(
    statement: str, passages: Sequence[Passage], *, asked: str = "", about: str = ""
) -> Verdict:
    """Compare a statement with the passages that it cites.

    Args:
        statement: A statement, or the answer to a question.
        passages: Its passages; they are read together.
        asked: The question, if the statement is its answer. Its words tell which sentences are
            meant; they need not be stated.
        about: The question, if it only decides between equal quotes.
    """
    question, mark, answer = statement.rpartition("? ")
    if mark and answer.strip() and not asked:  # a finding: a question with its answer
        asked, statement = f"{question}?", answer
    return _Comparison(statement, passages, asked, about).verdict()


class _Comparison:
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
        language = language_of(f"{asked} {statement}") or language_of(self.text)
        self.german: Final = language == "de"
        self.entities: Final = entities_of(
            self.claim.plain, self._is_name, german=self.german, short=short
        )
        self.used: Final[list[Line]] = []
        """Lines that a number follows from."""

    def _is_name(self, word: str) -> bool:
        return word in self._known_names

    @cached_property
    def _known_names(self) -> frozenset[str]:
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
        one, other = self.whole.plain, self.text
        return script_of(one) != script_of(other) or in_two_languages(one, other)

    @cached_property
    def words(self) -> frozenset[str]:
        """The content words of the statement that are no part of a name."""
        named = [word for entity in self.entities for word in entity.words]
        rest = frozenset(said(" ".join(named)).words)
        return self.whole.words - rest

    def verdict(self) -> Verdict:
        if not self.lines:
            return Verdict("there is no text")
        reason = self._missing()
        quotes = {place: self._quotes(place) for place in range(self.places)}
        quotes = {place: spans for place, spans in quotes.items() if spans}
        bearing = frozenset(place for place in quotes if self._bears(place))
        return Verdict(reason, quotes, bearing)

    # What is missing.

    def _missing(self) -> str:
        return (
            self._missing_number()
            or self._missing_name()
            or self._missing_words()
            or ("" if self.foreign else self._contradiction())
        )

    def _missing_number(self) -> str:
        wanted = [number for number in self.claim.numbers if not self._is_asked(number)]
        confirmed: list[Number] = list(self.asked.numbers)
        open_: list[Number] = []
        for number in wanted:
            (confirmed if self._is_bound(number) else open_).append(number)
        for number in [each for each in confirmed if self._is_difference(each, confirmed)]:
            confirmed.remove(number)
            open_.append(number)
        for number in open_ * 2:  # a number may follow from one that follows from others
            if number not in confirmed and self._follows(number, confirmed):
                confirmed.append(number)
        confirmed += self._supposed([each for each in open_ if each not in confirmed])
        for number in open_:
            if number not in confirmed:
                return f"number {number.amount}"
        for date in self.claim.dates:
            if not self._has_date(date):
                return f"date {date.year}-{date.month}-{date.day}"
        return ""

    def _supposed(self, numbers: Sequence[Number]) -> list[Number]:
        """Two numbers of which one is the other times a number of the passages.

        As in "three nights cost 435 euros" at 145 euros a night.
        """
        apart = {number.bare: number for number in numbers}
        if len(apart) != 2 or "product" not in announced(self.whole.plain):
            return []
        few, many = sorted(apart.values(), key=lambda number: max(number.bare))
        for line in self.lines:
            for each in line.numbers if self._hits(line) else ():
                if max(few.bare) * each.amount in many.value:
                    self.used.append(line)
                    return list(numbers)
        return []

    def _is_asked(self, number: Number) -> bool:
        return any(number.equals(other) for other in self.asked.numbers)

    def _is_difference(self, number: Number, confirmed: Sequence[Number]) -> bool:
        """Whether a statement gives a number as the difference of two others."""
        if not _MORE_THAN.match(self.claim.plain, number.start):
            return False
        others = [
            other
            for other in confirmed
            if other is not number
            and other.base == number.base
            and other.value != number.value
            and (other.base or not _FIRST_YEAR <= other.amount <= _LAST_YEAR)
        ]
        return len(others) > 1

    def _is_bound(self, number: Number) -> bool:
        """Whether a line has the number, together with something else of the statement."""
        around = any(_has_number(line.context, line.context.numbers, number) for line in self.lines)
        return around or any(
            self._shares_beside(line, number)
            for line in self.lines
            if _has_number(line.own, line.numbers, number)
        )

    def _shares_beside(self, line: Line, hard: Number | Date) -> bool:
        """Whether a line has something of the statement beside a number.

        Another row or item of the same table or list must not have all that and more.
        """
        if self.foreign or line in self.used:
            return True
        hits = self._hits(line) - {hard}
        if line.table < 0 and not line.item:
            near = [other for other in self.lines if self._is_near_line(line, other)]
            words = frozenset().union(*(other.own.words | other.subject.words for other in near))
            if self.whole.words and not self.whole.words & words:
                return any(self._hits(other) - {hard} for other in near)
            return not self._is_outdone(line, hits, hard) and not self._is_outdone_in_line(
                line, hard
            )
        if not self._is_in_column(line, hard) or self._is_outdone_in_line(line, hard):
            return False
        return not any(
            hits < self._hits(other) - {hard} for other in self._siblings(line) if other is not line
        )

    def _is_near_line(self, line: Line, other: Line) -> bool:
        """Whether a line is a clause of the same sentence, or of the one before it."""
        if other.passage != line.passage or other.table >= 0:
            return False
        before = [each.span for each in self.lines if each.passage == line.passage]
        place = before.index(line.span)
        return other.span == line.span or (place > 0 and other.span == before[place - 1])

    def _is_outdone(self, line: Line, hits: set[object], hard: Number | Date) -> bool:
        """Whether another clause says more of the statement, but with another number."""
        if not isinstance(hard, Number) or not hard.base:
            return False
        others = [other for other in self.lines if other.passage == line.passage]
        return any(
            hits < self._hits(other) and _has_rival(other.numbers, hard)
            for other in others
            if other is not line
        )

    def _is_outdone_in_line(self, line: Line, hard: Number | Date) -> bool:
        """The same for the parts of an enumeration, as in "adults 12 euros, groups 9 euros"."""
        if not isinstance(hard, Number) or line.table >= 0 or _OF_WHICH.search(line.text):
            return False
        parts = [said(part) for part in _COMMA.split(line.text)]
        held = [self._find_hits_in(part, part.numbers, part.dates) - {hard} for part in parts]
        own = [
            hits
            for part, hits in zip(parts, held, strict=True)
            if any(hard.equals(number) for number in part.numbers)
        ]
        return bool(own) and any(
            all(mine < hits for mine in own) and _has_rival(part.numbers, hard)
            for part, hits in zip(parts, held, strict=True)
        )

    def _is_in_column(self, line: Line, hard: Number | Date) -> bool:
        """Whether the statement names the column of a number, if it names a column."""
        named = {
            place
            for place, name in enumerate(line.header)
            if any(
                all(said(name).has_word(word) for word in entity.words)
                for entity in self._all_entities
                if len(entity.words) == len(name.split())
            )
            or any(
                number is not hard and _has_number(said(name), said(name).numbers, number)
                for number in self.claim.numbers
            )
        }
        if not named or not isinstance(hard, Number):
            return True
        own = {
            place
            for place, cell in enumerate(line.cells)
            if any(hard.equals(number) or hard.bare & number.bare for number in cell.numbers)
        }
        return bool(own & named) or not own

    def _hits(self, line: Line) -> set[object]:
        """What a line itself has of the statement or the question."""
        if id(line) not in self._hits_of:
            self._hits_of[id(line)] = self._find_hits(line)
        return self._hits_of[id(line)]

    @cached_property
    def _hits_of(self) -> dict[int, set[object]]:
        return {}

    def _find_hits(self, line: Line) -> set[object]:
        return self._find_hits_in(line.own, line.numbers, line.dates)

    def _find_hits_in(
        self, text: Said, numbers: Sequence[Number], dates: Sequence[Date]
    ) -> set[object]:
        hits: set[object] = set(self.words & text.words)
        hits |= {entity for entity in self._all_entities if entity.is_in(text)}
        hits |= {
            number
            for number in (*self.claim.numbers, *self.asked.numbers)
            if _has_number(text, numbers, number)
        }
        hits |= {
            date
            for date in (*self.claim.dates, *self.asked.dates)
            if any(date.agrees(other) for other in dates)
        }
        return hits

    @cached_property
    def _all_entities(self) -> list[Entity]:
        asked = entities_of(self.asked.plain, german=self.german) if self.asked.text else []
        pairs = [
            Entity((f"{word}{number}",), 0, sure=False)
            for word, number in re.findall(
                r"([^\W\d_]{3,}) (\d{1,4})\b", self.whole.plain.casefold()
            )
        ]
        return [*self.entities, *asked, *pairs]

    def _siblings(self, line: Line) -> list[Line]:
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

    def _has_date(self, date: Date) -> bool:
        if any(date.agrees(other) for other in self.asked.dates):
            return True
        for line in self.lines:
            for other in line.dates:
                if date.agrees(other) and self._year_fits(date, other, line):
                    if self._shares_beside(line, date):
                        return True
            if any(date.agrees(other) for other in line.context.dates):
                return True
        days = [
            round(number.amount / 86400)
            for line in self.lines
            for number in line.numbers
            if number.base == "s" and number.amount >= 86400
        ]
        known = [other for line in self.lines for other in line.dates]
        return any(
            (moved := other.moved(sign * many)) and date.agrees(moved)
            for other in known
            for many in days
            for sign in (1, -1)
        )

    def _year_fits(self, date: Date, other: Date, line: Line) -> bool:
        """Whether the year, if only the statement has it, is told elsewhere."""
        if not date.year or other.year:
            return True
        year = str(date.year)
        return year in line.around or year in self.text or year in self.asked.plain

    def _follows(self, number: Number, confirmed: Sequence[Number]) -> bool:
        if self._is_difference(number, confirmed):
            return bool(derive(number, confirmed, frozenset({"difference", "sum"})))
        before = self.claim.plain[: number.start]
        if number.word and (_DEFINITE.search(before) or number.amount < 2):
            return True
        operations = announced(self.whole.plain)
        if derive(number, confirmed, operations):
            return True
        if _ABOUT.search(before) and self._is_near(number):
            return True
        if found := counted(number, self.lines, self.entities, self.words):
            self.used += found
            return True
        if self._is_year_after(number):
            return True
        return self._follows_from_lines(number, confirmed, operations)

    def _follows_from_lines(
        self, number: Number, confirmed: Sequence[Number], operations: frozenset[str]
    ) -> bool:
        for group in self._operands(number):
            known = [each for _, each in group]
            each_one = any("product" in announced(line.text) for line, _ in group)
            more = {"product"} if each_one and "sum" in operations else set()
            if found := derive(number, [*known, *confirmed], operations | more):
                self.used += [line for line, each in group if each in found]
                return True
        return False

    def _is_year_after(self, number: Number) -> bool:
        """Whether a year follows from another one and a number of years beside it."""
        for line in self.lines:
            years = [each.amount for each in line.numbers if not each.base]
            years += [Fraction(date.year) for date in line.dates if date.year]
            spans = [each.amount / 12 for each in line.numbers if each.base == "month"]
            for year in years:
                for span in spans:
                    if number.amount in {year + span, year - span} and year > _FIRST_YEAR:
                        self.used.append(line)
                        return True
        return False

    def _values(self, line: Line) -> list[Number]:
        years = [
            Number(frozenset([value]), frozenset([value]))
            for date in line.dates
            if (value := Fraction(date.year))
        ]
        return [*line.numbers, *years]

    def _operands(self, number: Number) -> list[list[tuple[Line, Number]]]:
        """Groups of numbers that are calculated with, each with its line.

        If the statement names rows or items: each of them, and each column over them. Otherwise the
        sentences that share most with it, each column, and amounts of the same unit.
        """
        columns = self._columns()
        named = [
            line
            for line in self.lines
            if (line.table >= 0 or line.item)
            and any(not isinstance(hit, Number) for hit in self._hits(line))
        ]
        if named:
            own = [[pair for pair in column if pair[0] in named] for column in columns]
            return [*map(self._of, ([line] for line in named)), *own, self._of(named[:2])]
        spans = {(line.passage, line.span) for line in self.lines if self._hits(line)}
        sharing = [line for line in self.lines if (line.passage, line.span) in spans]
        ranked = sorted(sharing, key=lambda line: -self._score(line))
        groups = [ranked[:2], ranked[:6]]
        groups += [
            [line]
            for line in self.lines
            if any(entity.is_in(said(name)) for name in line.header for entity in self.entities)
        ]
        amounts = [
            line
            for line in self.lines
            if number.base and any(each.base == number.base for each in line.numbers)
        ]
        groups += [amounts] if len(amounts) <= _FEW else []
        return [*map(self._of, groups), *columns]

    def _of(self, lines: Sequence[Line]) -> list[tuple[Line, Number]]:
        return [(line, number) for line in lines for number in self._values(line)]

    def _columns(self) -> list[list[tuple[Line, Number]]]:
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

    def _is_near(self, number: Number) -> bool:
        return any(
            abs(other.amount - number.amount) * _NEAR <= other.amount
            for line in self.lines
            for other in line.numbers
            if number.base == other.base or not (number.base and other.base or number.noun)
        )

    def _missing_name(self) -> str:
        focus = self._focus()
        for entity in self.entities:
            if all(self.asked.has_word(word) for word in entity.words):
                continue
            holding = [line for line in self.lines if entity.is_in(line.own)]
            if not holding and not self._is_around(entity):
                if not entity.sure or (self.foreign and len(entity.words) == 1):
                    continue
                return f"name {' '.join(entity.words)}"
            if not entity.sure and not any(line.table >= 0 or line.item for line in holding):
                continue
            if not self.foreign and not self._is_bound_name(entity, holding, focus):
                return f"name apart {' '.join(entity.words)}"
        for entity in self._all_entities[len(self.entities) :]:
            if not entity.sure and not entity.is_in(self.asked):
                holding = [line for line in self.lines if entity.is_in(line.own)]
                if holding and not self.foreign:
                    if not self._is_bound_name(entity, holding, focus):
                        return f"name apart {' '.join(entity.words)}"
        return ""

    def _is_around(self, entity: Entity) -> bool:
        return any(entity.is_in(line.context) for line in self.lines)

    def _focus(self) -> Line:
        """The line that has most of what the statement says of its names."""
        return max(self.lines, key=lambda line: (self._says(line), self._score(line)))

    def _says(self, line: Line) -> int:
        return sum(2 if isinstance(hit, (Number, Date)) else 1 for hit in self._said_by(line))

    def _said_by(self, line: Line) -> set[object]:
        around = line.context.words
        return {
            hit for hit in self._hits(line) if not isinstance(hit, Entity) and hit not in around
        }

    def _is_bound_name(self, entity: Entity, holding: Sequence[Line], focus: Line) -> bool:
        """Whether a line has the name with something that the statement says."""
        if entity.is_in(focus.own):
            return not self._is_in_another_part(entity, focus)
        if entity.is_in(focus.subject):
            return True
        if any(line in self.used for line in holding):
            return True
        told = self._said_by(focus)
        in_prose = focus.table < 0 and not focus.item
        beside = [line for line in holding if line.table < 0 and not line.item]
        if in_prose and (beside or not holding):
            if self.asked.text and self.places > 1:
                return True
            near = not holding or any(line.passage == focus.passage for line in beside)
            about_it = any(other.is_in(focus.context) for other in self.entities)
            strict = self._is_subject(entity) or not about_it
            if near and not (strict and told and self._names_another(focus)):
                return True
        for line in self.lines:
            if entity.is_in(line.own) or (line.table < 0 and entity.is_in(line.subject)):
                said_here = self._said_by(line)
                if said_here - told or (told and said_here >= told):
                    return True
                if self.asked.text and in_prose and self._is_about_the_question(line):
                    return True
        return self._is_listed(entity, holding, focus)

    def _is_in_another_part(self, entity: Entity, focus: Line) -> bool:
        """Whether a sentence says it of another name, as in "A brings the cake, B the games"."""
        told = {hit for hit in self._said_by(focus) if isinstance(hit, str)}
        if focus.table >= 0 or not told or not self._is_subject(entity):
            return False
        mine, others = [], []
        for part in map(said, re.split(r"[,;]\s", focus.text)):
            (mine if entity.is_in(part) else others).append(part)
        if any(part.words & told for part in mine):
            return False
        saying = [part for part in others if part.words & told]
        return bool(mine and saying) and all(
            not _RELATIVE.match(part.plain) and self._has_another_name(part) for part in saying
        )

    def _has_another_name(self, part: Said) -> bool:
        return any(
            not entity.is_in(self.whole)
            for entity in entities_of(part.plain, self._is_name, german=self.german)
            if entity.sure or entity.words[-1] in self._full_names
        )

    def _is_subject(self, entity: Entity) -> bool:
        """Whether the statement begins with a name."""
        return not said(self.claim.plain[: entity.start]).words

    def _names_another(self, focus: Line) -> bool:
        """Whether a sentence has a name that neither the statement nor its title has."""
        return any(
            not entity.is_in(self.whole) and not entity.is_in(focus.context)
            for entity in entities_of(focus.own.plain, self._is_name, german=self.german)
            if entity.sure or entity.words[-1] in self._full_names
        )

    @cached_property
    def _full_names(self) -> frozenset[str]:
        """The last words of names of several words."""
        return frozenset(
            entity.words[-1]
            for line in self.lines
            for entity in entities_of(line.own.plain)
            if len(entity.words) > 1
        )

    def _is_about_the_question(self, line: Line) -> bool:
        """Whether a line, with its title, has a name or a word of the question."""
        return bool(self.asked.words & (line.own.words | line.subject.words))

    def _is_listed(self, entity: Entity, holding: Sequence[Line], focus: Line) -> bool:
        """Whether the names of a list or a column are enumerated, or share another name."""
        others = [other for other in self.entities if other != entity]
        for line in holding:
            if line.table < 0 and not line.item:
                continue
            hub = [other for other in others if other.is_in(line.own)]
            if hub and all(other.is_in(focus.own) for other in hub):
                return True
            if any(
                _alike(line, entity, near, other)
                for other in others
                for near in self.lines
                if near is not line and other.is_in(near.own) and not entity.is_in(near.own)
            ):
                return True
        return False

    def _missing_words(self) -> str:
        if self.foreign:
            return "" if self.claim.words or self.claim.numbers else "nothing"
        named = [word for entity in self.entities if entity.sure for word in entity.words]
        wanted = self.claim.words - self.asked.words
        if not wanted:
            return (
                ""
                if self.asked.text or self.claim.words or self.claim.numbers or self.claim.dates
                else "nothing"
            )
        best = self._best_lines()
        held = (
            frozenset(word for line in best for word in (*line.own.words, *line.subject.words))
            | said(" ".join(named)).words
        )  # each name was found
        hard = len(self.claim.numbers) + len(self.claim.dates) + len(self.entities)
        least = WITH_NAMES if hard else LEAST_SHARE
        if _is_spaceless(self.claim.plain):
            least = SPACELESS_SHARE
        if len(wanted & held) < least * len(wanted):
            return f"words {sorted(wanted - held)}"
        return ""

    def _best_lines(self) -> list[Line]:
        return [
            *self.used,
            *(
                line
                for place in range(self.places)
                for line in self.lines
                if line.passage == place and line.span in self._quotes(place)
            ),
        ]

    def _contradiction(self) -> str:
        return contradicts(self.claim, self.entities, self._best_lines(), self._columns())

    # What is quoted.

    def _score(self, line: Line) -> float:
        """How much a line has of the statement; what its title says too counts little."""
        context = line.context
        score = 0.0
        for hit in self._hits(line):
            if isinstance(hit, (Number, Date)):
                score += 3
            elif isinstance(hit, Entity):
                score += 0.3 if hit.is_in(context) else 2
            else:
                score += 0.3 if hit in context.words else 1
        around = len(self.words & line.subject.words) + sum(
            entity.is_in(line.subject) for entity in self._all_entities
        )
        about = len(self.about & (line.own.words | context.words))
        return score + 0.3 * around * bool(score) - 0.2 * line.heading + 0.01 * about

    def _quotes(self, place: int) -> list[Span]:
        if place not in self._quoted:
            self._quoted[place] = self._choose(place)
        return self._quoted[place]

    @cached_property
    def _quoted(self) -> dict[int, list[Span]]:
        return {}

    def _choose(self, place: int) -> list[Span]:
        own = [line for line in self.lines if line.passage == place]
        if not own:
            return []
        best = max(own, key=lambda line: (self._score(line), line.span[0] - line.span[1]))
        chosen, held = [best.span], set(self._hits(best))
        for line in self.used:
            if line.passage == place and line.span not in chosen:
                chosen.append(line.span)
                held |= self._hits(line)
        while len(chosen) < MOST_QUOTES:
            rest = [line for line in own if line.span not in chosen]
            if not rest:
                break
            line = max(rest, key=lambda each: self._gain(each, held))
            if self._gain(line, held) < max(_LEAST_GAIN, len(self.words) // 5):
                break
            chosen.append(line.span)
            held |= self._hits(line)
        return chosen[:MOST_QUOTES]

    def _gain(self, line: Line, held: set[object]) -> int:
        """What a line adds to quotes; what its title says adds nothing."""
        context = line.context
        return sum(
            not hit.is_in(context) and 2
            if isinstance(hit, Entity)
            else 2
            if isinstance(hit, (Number, Date))
            else hit not in context.words
            for hit in self._hits(line) - held
        )

    def _bears(self, place: int) -> bool:
        """Whether a passage has a name or number of the statement, or a few of its words."""
        own = [line for line in self.lines if line.passage == place]
        if self.foreign or any(line.passage == place for line in self.used):
            return True
        hits = set().union(*(self._hits(line) for line in own))
        around = said(own[0].around)
        if any(isinstance(hit, (Number, Date, Entity)) for hit in hits):
            return True
        words = hits | (self.words & around.words)
        return len(words) >= min(2, len(self.words)) and bool(words)


def _has_rival(numbers: Sequence[Number], wanted: Number) -> bool:
    """Whether there is a number of the same unit, and not that number."""
    return any(number.base in {wanted.base, ""} for number in numbers) and not any(
        number.equals(wanted) for number in numbers
    )


def _is_spaceless(text: str) -> bool:
    return script_of(text) in {"CJK", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR"}


def _has_number(text: Said, numbers: Sequence[Number], wanted: Number) -> bool:
    if any(wanted.equals(number) for number in numbers):
        return True
    return (
        not wanted.base and not wanted.scaled and any(value in text.values for value in wanted.bare)
    )


def _alike(line: Line, entity: Entity, near: Line, other: Entity) -> bool:
    """Whether two names are in the same column of a table, or both begin an item."""
    if line.table >= 0:
        if (line.passage, line.header) != (near.passage, near.header) or near.table < 0:
            return False
        mine = {place for place, cell in enumerate(line.cells) if entity.is_in(cell)}
        its = {place for place, cell in enumerate(near.cells) if other.is_in(cell)}
        return bool(mine & its)
    places = (line.own.place_of(entity), near.own.place_of(other))
    return line.item and near.item and max(places) < _BEGINNING
