"""Compare a statement with all sentences and rows of the passages that it cites.

The passages must have the numbers, dates and names of a statement, and enough of its words. Each
number must be in the row or clause, and each name in the sentence, that says the rest. Numbers may
follow from others (`arithmetic`). All else passes, also a negation or exchanged roles: on recorded
answers, rules that looked for these marked right answers only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.dates import is_moved, time_between
from hopyard.nodes.support.lines import Line, said
from hopyard.nodes.support.matches import Matches, Span, has
from hopyard.nodes.support.names import Name
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.words import content_words, script_of

LEAST_SHARE: Final = 1 / 3
"""Share of a statement's content words that the quotes hold at least."""
SPACELESS_SHARE: Final = 0.6
"""The same of pairs of characters: scripts without spaces and capitals show no names."""
_SPACELESS: Final = {"CJK", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR"}
_DEFINITE: Final = re.compile(
    r"\b(?:the|these|those|its|their|all|die|der|den|diese|beide|alle|ihre|seine)\s+$", re.I
)
_FEW: Final = 4
_PRECISE: Final = 1_000
"""In steps of its last digit, a number that two of a column hardly yield by chance."""
_MOST_LINES: Final = 6
"""Sentences that are calculated with."""


@dataclass(frozen=True)
class Verdict:
    """The comparison of a statement with its passages.

    Attributes:
        reason: The missing part, or "".
        quotes: By the place of a passage, the sentences and rows to quote, best first.
        bearing: Places of the passages that say something about the statement.
    """

    reason: str = ""
    quotes: dict[int, list[Span]] = field(default_factory=dict)
    bearing: frozenset[int] = frozenset()

    @property
    def supported(self) -> bool:
        """Whether the passages state it, as far as the rules see."""
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
    found = Matches(statement, passages, asked, about)
    if not found.lines:
        return Verdict("there is no text")
    reason = _missing_number(found) or _missing_name(found)
    chosen = ((place, found.quotes(place)) for place in range(len(passages)))
    quotes = {place: spans for place, spans in chosen if spans}
    reason = reason or _missing_words(found, quotes)
    return Verdict(reason, quotes, frozenset(place for place in quotes if _bears(found, place)))


def _missing_number(found: Matches) -> str:
    """The first number or date that is not there, does not follow, or is in another row."""
    asked = found.asked
    wanted = [
        number for number in found.claim.numbers if not any(map(number.equals, asked.numbers))
    ]
    confirmed = [number for number in wanted if _is_in_place(found, number)]
    operations = announced(found.whole.plain)
    for number in wanted:
        if number not in confirmed:
            if not _follows(found, number, [*asked.numbers, *confirmed], operations):
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
        if line in found.used or not (outdone or _is_elsewhere_in(found, line, wanted)):
            return True
    return False


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
    columns = line.columns if line.table else [list(cell.numbers) for cell in line.cells]
    label = line.cells[0] if line.header else None
    for cell, header, numbers in zip(line.cells, headers, columns, strict=False):
        held = found.hits_in(cell, numbers) - {wanted}
        told = held | found.hits_in(header) - {wanted}
        if has(cell, wanted, numbers):
            own.append(told)
        elif cell is not label and any(each.base in {"", wanted.base} for each in numbers):
            others += [] if any(isinstance(hit, Number) for hit in held) else [told]
    return bool(own) and any(all(mine < told for mine in own) for told in others)


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
        if not line.table and len(line.own.dates) == number.plain and found.told(line):
            return [line]
    groups: dict[tuple[object, ...], list[Line]] = {}
    for line in found.lines:
        if line.table:
            for shared in (None, *(hit for hit in found.hits(line) if not isinstance(hit, Number))):
                groups.setdefault((line.table, shared), []).append(line)
    return next((group for group in groups.values() if len(group) == number.plain), [])


def _missing_name(found: Matches) -> str:
    """The first name that is not there, or of which something else is said."""
    for name in found.names:
        if name.is_in(found.asked.names):
            continue
        holding = [line for line in found.lines if name.is_in(line.own.names)]
        if not holding and not any(name.is_in(line.around.names) for line in found.lines):
            if name.sure and not (found.foreign and len(name.words) == 1):
                return f"name {' '.join(name.words)}"
        elif not found.foreign and (
            _is_crossed(found, name, holding) or _is_apart(found, name, holding)
        ):
            return f"name apart {' '.join(name.words)}"
    return ""


def _is_crossed(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether a table has two names in two columns, and in no row together."""
    if any(isinstance(hit, Name) and hit != name for line in holding for hit in found.hits(line)):
        return False
    for other in found.all_names:
        its = [line for line in found.lines if other.is_in(line.own.names)]
        tables = {line.table for line in (*holding, *its)}
        mine = {place for line in holding for place in _columns_with(line, name)}
        together = any(mine & _columns_with(line, other) for line in its)
        if mine and its and len(tables) == 1 and () not in tables and not together:
            return True
    return False


def _columns_with(line: Line, name: Name) -> set[int]:
    return {place for place, cell in enumerate(line.cells) if name.is_in(cell.names)}


def _is_apart(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether the passages say of another name what a statement says of this name.

    The sentence or row with most of the statement is not about the name. No line about the name
    says as much, or anything else of the statement. In prose, another name must be in its place.
    """
    focus = found.focus
    if name.is_in(focus.own.names) or name.is_in(focus.around.names) or not name.sure:
        return False
    if any(line in found.used for line in holding):
        return False
    told = found.told(focus)
    for line in found.lines:
        if name.is_in(line.own.names) or (not line.table and name.is_in(line.around.names)):
            mine = found.told(line)
            if mine >= told or mine - told:
                return False
    if focus.table:
        return True
    title = focus.around.names
    first = not said(found.claim.plain[: name.start]).words
    if not first and any(other.is_in(title) for other in found.names):
        return False
    return not (found.asked.plain and found.places > 1) and any(
        other.sure and not other.is_in(found.whole.names) and not other.is_in(title)
        for other in found.names_in(focus.own.plain)
    )


def _missing_words(found: Matches, quotes: Mapping[int, Sequence[Span]]) -> str:
    """The words that quotes do not have, if they are too many."""
    claim = found.claim
    wanted = claim.words - found.asked.words
    if not (claim.words or claim.numbers or claim.dates or found.names or found.asked.plain):
        return "nothing to find"
    if found.foreign:
        return ""
    least = SPACELESS_SHARE if script_of(claim.plain) in _SPACELESS else LEAST_SHARE
    lines = [line for line in found.lines if line.span in quotes.get(line.passage, ())]
    held = content_words(" ".join(word for name in found.names for word in name.words))
    held = held.union(*(line.own.words | line.around.words for line in (*lines, *found.used)))
    return "" if len(wanted & held) >= least * len(wanted) else f"words {sorted(wanted - held)}"


def _names_at(lines: Sequence[Line]) -> Iterator[dict[str, set[str]]]:
    """The names of lines, and of the title and section above them."""
    return (part.names for line in lines for part in (line.around, line.own))


def _bears(found: Matches, place: int) -> bool:
    """Whether a passage has a name or number of the statement, or two of its words."""
    own = [line for line in found.lines if line.passage == place]
    if found.foreign or any(line.passage == place for line in found.used):
        return True
    if not (found.words or found.claim.numbers or found.claim.dates):  # names alone, as in a list
        return any(name.is_in(each) for name in found.names for each in _names_at(own))
    hits = frozenset().union(*map(found.hits, own))
    words = hits | (found.words & own[0].around.words)
    hard = any(not isinstance(hit, str) for hit in hits)
    return hard or len(words) >= min(2, len(found.words)) > 0
