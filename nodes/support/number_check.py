"""The numbers and dates of a statement, compared with those of its passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.counts import counted
from hopyard.nodes.support.derivation import Derivation
from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.matches import Hit, Matches, has_number
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.said import said

__all__ = ("NumberCheck",)

_DEFINITE: Final = re.compile(
    r"\b(?:the|these|those|its|their|all|of the|die|der|den|diese|beide|alle|ihre|seine)\s+$", re.I
)
_ABOUT: Final = re.compile(
    r"(?:about|around|roughly|approximately|nearly|almost|over|more than|under|less than|up to|"
    r"at least|some|etwa|rund|ca\.|circa|knapp|fast|über|mehr als|unter|weniger als|gut|bis zu|"
    r"약|约)"
    r"\s+$",
    re.IGNORECASE,
)
_MORE_THAN: Final = re.compile(
    r"\S+(?: \S+){0,2}? "
    r"(?:more|less|fewer|higher|lower|longer|shorter|mehr|weniger|höher|niedriger)\b",
    re.IGNORECASE,
)
_NEAR: Final = 20
"""A number that is called approximate may differ by a twentieth."""
_TWO: Final = 2
_FIRST_YEAR: Final = 1000
_LAST_YEAR: Final = 2100
_OF_WHICH: Final = re.compile(r"\b(?:davon|of (?:which|whom|them|those)|including)\b", re.I)
_COMMA: Final = re.compile(r"[,;:]\s+")


class NumberCheck:
    """Which number or date of a statement its passages do not have."""

    def __init__(self, found: Matches) -> None:
        self._found: Final = found
        self._derivation: Final = Derivation(found)

    def missing(self) -> str:
        """The first that is not there, does not follow, or is in another row; "" if none."""
        wanted = [number for number in self._found.claim.numbers if not self._is_asked(number)]
        confirmed: list[Number] = list(self._found.asked.numbers)
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
        for date in self._found.claim.dates:
            if not self._has_date(date):
                return f"date {date.year}-{date.month}-{date.day}"
        return ""

    def _supposed(self, numbers: Sequence[Number]) -> list[Number]:
        """Two numbers of which one is the other times a number of the passages.

        As in "three nights cost 435 euros" at 145 euros a night.
        """
        apart = {number.bare: number for number in numbers}
        if len(apart) != 2 or "product" not in announced(self._found.whole.plain):
            return []
        few, many = sorted(apart.values(), key=lambda number: max(number.bare))
        for line in self._found.lines:
            for each in line.numbers if self._found.hits(line) else ():
                if max(few.bare) * each.amount in many.value:
                    self._found.used.append(line)
                    return list(numbers)
        return []

    def _is_asked(self, number: Number) -> bool:
        return any(number.equals(other) for other in self._found.asked.numbers)

    def _is_difference(self, number: Number, confirmed: Sequence[Number]) -> bool:
        """Whether a statement gives a number as the difference of two others."""
        if not _MORE_THAN.match(self._found.claim.plain, number.start):
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
        around = any(
            has_number(line.context, line.context.numbers, number) for line in self._found.lines
        )
        return around or any(
            self._shares_beside(line, number)
            for line in self._found.lines
            if has_number(line.own, line.numbers, number)
        )

    def _shares_beside(self, line: Line, hard: Number | Date) -> bool:
        """Whether a line has something of the statement beside a number.

        Another row or item of the same table or list must not have all that and more.
        """
        if self._found.foreign or line in self._found.used:
            return True
        hits = self._found.hits(line) - {hard}
        if line.table < 0 and not line.item:
            near = [other for other in self._found.lines if self._is_near_line(line, other)]
            words = frozenset().union(*(other.own.words | other.subject.words for other in near))
            if self._found.whole.words and not self._found.whole.words & words:
                return any(self._found.hits(other) - {hard} for other in near)
            return not self._is_outdone(line, hits, hard) and not self._is_outdone_in_line(
                line, hard
            )
        if not self._is_in_column(line, hard) or self._is_outdone_in_line(line, hard):
            return False
        return not any(
            hits < self._found.hits(other) - {hard}
            for other in self._found.siblings(line)
            if other is not line
        )

    def _is_near_line(self, line: Line, other: Line) -> bool:
        """Whether a line is a clause of the same sentence, or of the one before it."""
        if other.passage != line.passage or other.table >= 0:
            return False
        before = [each.span for each in self._found.lines if each.passage == line.passage]
        place = before.index(line.span)
        return other.span == line.span or (place > 0 and other.span == before[place - 1])

    def _is_outdone(self, line: Line, hits: set[Hit], hard: Number | Date) -> bool:
        """Whether another clause says more of the statement, but with another number."""
        if not isinstance(hard, Number) or not hard.base:
            return False
        others = [other for other in self._found.lines if other.passage == line.passage]
        return any(
            hits < self._found.hits(other) and _has_rival(other.numbers, hard)
            for other in others
            if other is not line
        )

    def _is_outdone_in_line(self, line: Line, hard: Number | Date) -> bool:
        """The same for the parts of an enumeration, as in "adults 12 euros, groups 9 euros"."""
        if not isinstance(hard, Number) or line.table >= 0 or _OF_WHICH.search(line.text):
            return False
        parts = [said(part) for part in _COMMA.split(line.text)]
        held = [self._found.hits_in(part, part.numbers, part.dates) - {hard} for part in parts]
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
                for entity in self._found.all_entities
                if len(entity.words) == len(name.split())
            )
            or any(
                number is not hard and has_number(said(name), said(name).numbers, number)
                for number in self._found.claim.numbers
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

    def _has_date(self, date: Date) -> bool:
        if any(date.agrees(other) for other in self._found.asked.dates):
            return True
        for line in self._found.lines:
            for other in line.dates:
                fits = date.agrees(other) and self._year_fits(date, other, line)
                if fits and self._shares_beside(line, date):
                    return True
            if any(date.agrees(other) for other in line.context.dates):
                return True
        days = [
            round(number.amount / 86400)
            for line in self._found.lines
            for number in line.numbers
            if number.base == "s" and number.amount >= 86400
        ]
        known = [other for line in self._found.lines for other in line.dates]
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
        return year in line.around or year in self._found.text or year in self._found.asked.plain

    def _follows(self, number: Number, confirmed: Sequence[Number]) -> bool:
        if self._is_difference(number, confirmed):
            return bool(derive(number, confirmed, frozenset({"difference", "sum"})))
        before = self._found.claim.plain[: number.start]
        operations = announced(self._found.whole.plain)
        return bool(
            (number.word and (_DEFINITE.search(before) or number.amount < _TWO))
            or derive(number, confirmed, operations)
            or (_ABOUT.search(before) and self._is_near(number))
            or self._is_counted(number)
            or self._derivation.is_year_after(number)
            or self._derivation.follows_from_lines(number, confirmed, operations)
        )

    def _is_counted(self, number: Number) -> bool:
        found = counted(number, self._found.lines, self._found.entities, self._found.words)
        self._found.used.extend(found)
        return bool(found)

    def _is_near(self, number: Number) -> bool:
        return any(
            abs(other.amount - number.amount) * _NEAR <= other.amount
            for line in self._found.lines
            for other in line.numbers
            if number.base == other.base or not ((number.base and other.base) or number.noun)
        )


def _has_rival(numbers: Sequence[Number], wanted: Number) -> bool:
    """Whether there is a number of the same unit, and not that number."""
    return any(number.base in {wanted.base, ""} for number in numbers) and not any(
        number.equals(wanted) for number in numbers
    )
