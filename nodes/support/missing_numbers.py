"""Whether passages have the numbers and dates of a statement, in the row or clause of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.dates import is_moved, listed_dates, time_between
from hopyard.nodes.support.lines import Line, said
from hopyard.nodes.support.matches import Matches, has
from hopyard.nodes.support.names import Name
from hopyard.nodes.support.parts import by_its_year, part_with
from hopyard.nodes.support.quantities import Date, Number

_DEFINITE: Final = re.compile(
    r"\b(?:the|these|those|its|their|all|die|der|den|diese|beide|alle|ihre|seine)\s+$", re.I
)
_FEW: Final = 4
_QUARTER: Final = re.compile(r"\bQ[1-4]\b")
_PRECISE: Final = 1_000
"""In steps of its last digit, a number that two of a column hardly yield by chance."""
_MOST_LINES: Final = 6
"""Sentences that are calculated with."""


def missing_number(found: Matches) -> str:
    """The first number or date that is not there, does not follow, or is in another row."""
    asked = found.asked
    wanted = [
        number for number in found.claim.numbers if not any(map(number.equals, asked.numbers))
    ]
    confirmed = [number for number in wanted if _is_at_its_year(found, number)]
    operations = announced(found.whole.plain)
    for number in wanted:
        if number not in confirmed:
            if not _is_in_its_part(found, number) and not _follows(
                found, number, [*asked.numbers, *confirmed], operations
            ):
                return f"number {number.plain}"
            confirmed.append(number)
    for date in found.claim.dates:
        if not (has(asked, date) or _is_in_place(found, date) or is_moved(found, date)):
            return f"date {date.year}-{date.month}-{date.day}"
    return ""


def _is_in_place(found: Matches, wanted: Number | Date) -> bool:
    """Whether a line has a number or a date, and no other row or item has more of the statement.

    A row that has another number of the statement in the same column is the row of that number.
    """
    for line in found.lines:
        if has(line.around, wanted):
            return True
        if not has(line.own, wanted, line.numbers):
            continue
        rest = found.hits(line) - {wanted}
        others = found.siblings(line) if line.table and not found.foreign else []
        outdone = any(
            rest < found.hits(other) - {wanted}
            for other in others
            if not _is_of_another(found, line, other, wanted)
        )
        elsewhere = _is_of_another_period(found, line, wanted) or _is_elsewhere_in(
            found, line, wanted
        )
        if line in found.used or not (outdone or elsewhere):
            return True
    return False


def _is_at_its_year(found: Matches, number: Number) -> bool:
    """Whether a number is in place, without the numbers of other years if its year is given."""
    part = by_its_year(found, number)
    return any(
        _is_in_place(part, each) for each in part.claim.numbers if each.value == number.value
    )


def _is_in_its_part(found: Matches, number: Number) -> bool:
    """Whether the part of a statement with a number, read alone, is in a row or a clause."""
    part = part_with(found, number.start)
    if part is None:
        return False
    own = [each for each in part.claim.numbers if each.value == number.value]
    return any(
        _is_in_place(part, each) and _shares_a_word(part, line) and _is_beside(found, line, each)
        for each in own
        for line in part.lines
        if has(line.own, each, line.numbers)
    )


def _shares_a_word(part: Matches, line: Line) -> bool:
    return any(isinstance(hit, (str, Name)) for hit in part.hits(line))


def _is_beside(found: Matches, line: Line, wanted: Number) -> bool:
    """Whether a number is in the row or the column of another value of the statement.

    True if its table has no other value. "In May, cash was 295 and debt 1,905" is wrong if the debt
    is that of June: it is in another row and in another column than the cash.
    """
    if not line.table:
        return True
    others = [each for each in found.claim.numbers if not (each.year or each.equals(wanted))]
    if any(each.equals(head) for each in others for head in said(" ".join(line.header)).numbers):
        return False  # "130 ms for 1,000 rows": the other value names a column
    own = _columns_of(line, [wanted])
    rows = {row: _columns_of(row, others) for row in found.lines if row.table == line.table}
    return not any(rows.values()) or bool(rows.get(line)) or any(own & its for its in rows.values())


def _columns_of(line: Line, numbers: Sequence[Number]) -> set[int]:
    """The places of the columns of a row that have one of some numbers."""
    return {
        place
        for place, column in enumerate(line.columns)
        if any(number.equals(each) for number in numbers for each in column)
    }


def _is_of_another(found: Matches, line: Line, other: Line, wanted: Number | Date) -> bool:
    """Whether another row has another number of the statement in the column of a wanted number."""
    return isinstance(wanted, Number) and any(
        any(map(wanted.equals, mine)) and any(map(number.equals, its))
        for mine, its in zip(line.columns, other.columns, strict=False)
        for number in found.claim.numbers
        if number is not wanted and not number.equals(wanted)
    )


def _is_elsewhere_in(found: Matches, line: Line, wanted: Number | Date) -> bool:
    """Whether another cell or clause, with another number, has more of the statement.

    As in "adults pay 12 euros, groups 9 euros", and in the column of another year.
    """
    if not isinstance(wanted, Number) or found.foreign:
        return False
    own, others = [], []
    headers = [*map(said, line.header), *[said("")] * len(line.cells)]
    columns = line.columns if line.table else [list(cell.readings) for cell in line.cells]
    label = line.cells[0] if line.header else None
    for cell, header, numbers in zip(line.cells, headers, columns, strict=False):
        held = found.hits_in(cell, numbers) - {wanted}
        told = held | found.hits_in(header) - {wanted}
        if has(cell, wanted, numbers):
            own.append(told)
        elif cell is not label and any(_is_alike(each, wanted) for each in numbers):
            others += [] if any(isinstance(hit, Number) for hit in held) else [told]
    return bool(own) and any(all(mine < told for mine in own) for told in others)


def _is_of_another_period(found: Matches, line: Line, wanted: Number | Date) -> bool:
    """Whether a sentence has a number for each of its quarters, and this one is of another.

    "120 in Q1 and 145 in Q2" has 145 for Q2, if the statement names one quarter only.
    """
    named = _QUARTER.findall(found.whole.plain)
    quarters = _QUARTER.findall(line.own.plain)
    values = [each for each in line.own.numbers if not each.year]
    if line.table or not isinstance(wanted, Number) or len({*named}) != 1:
        return False
    if not len({*quarters}) == len(quarters) == len(values) > 1 or named[0] not in quarters:
        return False
    return not values[quarters.index(named[0])].equals(wanted)


def _is_alike(other: Number, wanted: Number) -> bool:
    """Whether a number may be of the same kind as another: not the 2 of "two units", of money."""
    return other.base == wanted.base or (not other.base and other.plain > _FEW)


def _follows(
    found: Matches, number: Number, confirmed: Sequence[Number], operations: frozenset[str]
) -> bool:
    """Whether a number follows from others, or counts rows; their lines are marked as used."""
    few = not number.unit and number.plain <= _FEW
    spoken_of = few and _DEFINITE.search(found.claim.plain[: number.start])  # "the two"
    if spoken_of or derive(number, confirmed, operations):
        return True
    if counted := _counted(found, number):
        found.used.extend(counted)
        return True
    if lines := time_between(found, number):
        found.used.extend(lines)
        return True
    for group in _operands(found, number):
        if operands := derive(number, [each for _, each in group], operations):
            found.used.extend(line for line, each in group if each in operands)
            return True
    if number.plain / number.scale >= _PRECISE * number.step:
        for column in found.columns():
            for (line, first), (other, second) in combinations(column, 2):
                if number.amount in {
                    abs(first.amount - second.amount),
                    first.amount + second.amount,
                }:
                    found.used.extend([line, other])
                    return True
    return False


def _operands(found: Matches, number: Number) -> Iterator[list[tuple[Line, Number]]]:
    """Groups of numbers that are calculated with, each with its line.

    If the statement names rows or items: each of them, and each column over them. Otherwise each
    column, the sentences that share most with it, and amounts of the same unit.
    """
    named = [
        line
        for line in found.lines
        if line.table and any(not isinstance(hit, Number) for hit in found.hits(line))
    ]
    for column in found.columns():
        yield [pair for pair in column if not named or pair[0] in named]
    if named:
        yield from (_values([line]) for line in named)
        return
    yield _values(found.nearest()[:_MOST_LINES])
    alike = [line for line in found.lines if number.base in {each.base for each in line.numbers}]
    if number.base and len(alike) <= _FEW:
        yield _values(alike)


def _values(lines: Sequence[Line]) -> list[tuple[Line, Number]]:
    """The numbers of some lines, and the years of their dates."""
    return [
        (line, number)
        for line in lines
        for number in (
            *line.numbers,
            *(Number(Fraction(date.year), year=True) for date in line.own.dates if date.year),
        )
    ]


def _counted(found: Matches, number: Number) -> list[Line]:
    """The rows or items of which there are so many, in all or with a word of the statement.

    Also the sentence that lists so many dates of what the statement says.
    """
    if number.unit or number.plain < 2:
        return []
    for line in found.lines:
        if not line.table and listed_dates(line.own) == number.plain and found.told(line):
            return [line]
    groups: dict[tuple[object, ...], list[Line]] = {}
    for line in found.lines:
        if line.table:
            for shared in (None, *(hit for hit in found.hits(line) if not isinstance(hit, Number))):
                groups.setdefault((line.table, shared), []).append(line)
    return next((group for group in groups.values() if len(group) == number.plain), [])
