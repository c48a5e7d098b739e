"""Numbers of passages that a number of a statement may follow from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.matches import Matches
from hopyard.nodes.support.quantities import Number
from hopyard.nodes.support.said import said

__all__ = ("Derivation",)

_FIRST_YEAR: Final = 1000
_FEW: Final = 4
"""Lines with an amount of the same unit that are calculated with, whatever they say."""


class Derivation:
    """Whether a number follows from numbers of the passages."""

    def __init__(self, found: Matches) -> None:
        self._found: Final = found

    def follows_from_lines(
        self, number: Number, confirmed: Sequence[Number], operations: frozenset[str]
    ) -> bool:
        """Whether a number follows from numbers of the passages; their lines are marked as used."""
        for group in self._operands(number):
            known = [each for _, each in group]
            each_one = any("product" in announced(line.text) for line, _ in group)
            more = {"product"} if each_one and "sum" in operations else set()
            if found := derive(number, [*known, *confirmed], operations | more):
                self._found.used.extend(line for line, each in group if each in found)
                return True
        return False

    def is_year_after(self, number: Number) -> bool:
        """Whether a year follows from another one and a number of years beside it."""
        for line in self._found.lines:
            years = [each.amount for each in line.numbers if not each.base]
            years += [Fraction(date.year) for date in line.dates if date.year]
            spans = [each.amount / 12 for each in line.numbers if each.base == "month"]
            for year in years:
                for span in spans:
                    if number.amount in {year + span, year - span} and year > _FIRST_YEAR:
                        self._found.used.append(line)
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
        columns = self._found.columns()
        named = [
            line
            for line in self._found.lines
            if (line.table >= 0 or line.item)
            and any(not isinstance(hit, Number) for hit in self._found.hits(line))
        ]
        if named:
            own = [[pair for pair in column if pair[0] in named] for column in columns]
            return [*map(self._of, ([line] for line in named)), *own, self._of(named[:2])]
        spans = {(line.passage, line.span) for line in self._found.lines if self._found.hits(line)}
        sharing = [line for line in self._found.lines if (line.passage, line.span) in spans]
        ranked = sorted(sharing, key=lambda line: -self._found.score(line))
        groups = [ranked[:2], ranked[:6]]
        groups += [
            [line]
            for line in self._found.lines
            if any(
                entity.is_in(said(name)) for name in line.header for entity in self._found.entities
            )
        ]
        amounts = [
            line
            for line in self._found.lines
            if number.base and any(each.base == number.base for each in line.numbers)
        ]
        groups += [amounts] if len(amounts) <= _FEW else []
        return [*map(self._of, groups), *columns]

    def _of(self, lines: Sequence[Line]) -> list[tuple[Line, Number]]:
        return [(line, number) for line in lines for number in self._values(line)]
