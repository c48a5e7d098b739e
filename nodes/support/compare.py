"""Compare a statement with all sentences and rows of the passages that it cites.

A statement is found if its numbers, dates and names are in the passages, each number of a table in
the row, and each name in the sentence, that says the rest of it, and if enough of its words are
there. Numbers may follow from others (`arithmetic`). All else passes: whether a statement follows
from its passages, nobody can say by form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.nodes.language import script_of
from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.lines import Line, said
from hopyard.nodes.support.matches import Matches, Span, has_number
from hopyard.nodes.support.names import Name
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.words import content_words

__all__ = ("Verdict", "compare")

LEAST_SHARE: Final = 0.5
"""Share of a statement's content words that the passages hold at least."""
SPACELESS_SHARE: Final = 0.6
"""The same of pairs of characters: scripts without spaces and capitals show no names."""
WITH_NAMES: Final = 1 / 3
"""The same where names, numbers or dates are found."""
_SPACELESS: Final = {"CJK", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR"}
_DEFINITE: Final = re.compile(
    r"\b(?:the|these|those|its|their|all|die|der|den|diese|beide|alle|ihre|seine)\s+$", re.I
)
_MOST_COUNTED: Final = 200
_BEGINNING: Final = 25
"""Characters of an item that its name is in."""
_FEW: Final = 4
"""Lines with an amount of the same unit that are calculated with, whatever they say."""


@dataclass(frozen=True)
class Verdict:
    """The comparison of a statement with its passages.

    Attributes:
        reason: What was not found; "" if nothing is missing.
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
    reason = _missing_number(found) or _missing_name(found) or _missing_words(found)
    quotes = {place: found.quotes(place) for place in range(len(passages))}
    quotes = {place: spans for place, spans in quotes.items() if spans}
    return Verdict(reason, quotes, frozenset(place for place in quotes if _bears(found, place)))


def _missing_number(found: Matches) -> str:
    """The first number or date that is not there, does not follow, or is in another row."""
    asked = found.asked.numbers
    wanted = [number for number in found.claim.numbers if not any(map(number.equals, asked))]
    confirmed = [*asked, *(number for number in wanted if _is_in_place(found, number))]
    missing = [number for number in wanted if number not in confirmed]
    operations = announced(found.whole.plain)
    for number in missing * 2:  # a number may follow from one that follows from others
        if number not in confirmed and _follows(found, number, confirmed, operations):
            confirmed.append(number)
    for number in missing:
        if number not in confirmed:
            return f"number {number.plain}"
    for date in found.claim.dates:
        if not any(map(date.agrees, found.asked.dates)) and not _is_in_place(found, date):
            return f"date {date.year}-{date.month}-{date.day}"
    return ""


def _is_in_place(found: Matches, wanted: Number | Date) -> bool:
    """Whether a line has a number or a date, and no other row or item has more of the statement."""
    for line in found.lines:
        if _has(line, wanted, around=True):
            return True
        if not _has(line, wanted):
            continue
        rest = found.hits(line) - {wanted}
        others = found.siblings(line) if line.table and not found.foreign else []
        outdone = any(rest < found.hits(other) - {wanted} for other in others)
        if line in found.used or not (outdone or _is_in_another_column(found, line, wanted)):
            return True
    return False


def _is_in_another_column(found: Matches, line: Line, wanted: Number | Date) -> bool:
    """Whether the statement has the header of another column than that of a number."""
    if not isinstance(wanted, Number):
        return False
    named, own = set(), set()
    for place, (name, numbers) in enumerate(zip(line.header, line.columns, strict=False)):
        header = said(name)
        if any(has_number(header, header.numbers, each) for each in found.claim.numbers if each is not wanted):
            named.add(place)
        if any(map(wanted.equals, numbers)):
            own.add(place)
    return bool(named and own) and not named & own


def _has(line: Line, wanted: Number | Date, *, around: bool = False) -> bool:
    text = line.around if around else line.own
    if isinstance(wanted, Date):
        return any(map(wanted.agrees, text.dates))
    return has_number(text, text.numbers if around else line.numbers, wanted)


def _follows(
    found: Matches, number: Number, confirmed: Sequence[Number], operations: frozenset[str]
) -> bool:
    """Whether a number follows from others, or counts rows; their lines are marked as used."""
    few = not number.unit and number.plain <= _FEW
    if few and _DEFINITE.search(found.claim.plain[: number.start]):
        return True  # "the two" are those that were spoken of
    if derive(number, confirmed, operations):
        return True
    if counted := _counted(found, number):
        found.used.extend(counted)
        return True
    for group in _operands(found, number):
        operands = derive(number, [*(each for _, each in group), *confirmed], operations)
        if operands:
            found.used.extend(line for line, each in group if each in operands)
            return True
    return False


def _operands(found: Matches, number: Number) -> Iterator[list[tuple[Line, Number]]]:
    """Groups of numbers that are calculated with, each with its line.

    If the statement names rows or items: each of them, and each column over them. Otherwise the
    sentences that share most with it, each column, and amounts of the same unit.
    """
    columns = found.columns()
    named = [
        line
        for line in found.lines
        if line.table and any(not isinstance(hit, Number) for hit in found.hits(line))
    ]
    if named:
        yield from (_values([line]) for line in named)
        yield from ([pair for pair in column if pair[0] in named] for column in columns)
        yield _values(named[:2])
        return
    ranked = sorted(filter(found.hits, found.lines), key=lambda line: -found.score(line))
    yield _values(ranked[:2])
    yield _values(ranked[:6])
    yield from columns
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
    """The rows or items of which there are so many, in all or with a word of the statement."""
    if number.unit or number.step != 1 or not 2 <= number.plain <= _MOST_COUNTED:
        return []
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
        elif not found.foreign and _is_apart(found, name, holding):
            return f"name apart {' '.join(name.words)}"
    return ""


def _is_apart(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether what a statement says of a name is said of another one."""
    focus = found.focus
    told = found.told(focus)
    if _is_crossed(found, name, holding):
        return True
    if name.is_in(focus.own.names) or name.is_in(focus.subject.names):
        return False
    if any(line in found.used for line in holding):
        return False
    for line in found.lines:
        if name.is_in(line.own.names) or (not line.table and name.is_in(line.subject.names)):
            mine = found.told(line)
            if mine - told or (told and mine >= told):
                return False
    if focus.table:
        return (name.sure or any(line.table for line in holding)) and not _is_listed(found, name)
    if not name.sure or (found.asked.plain and found.places > 1):
        return False
    subject = not said(found.claim.plain[: name.start]).words
    if not subject and any(other.is_in(focus.around.names) for other in found.names):
        return False
    return any(
        other.sure and not other.is_in(found.whole.names) and not other.is_in(focus.around.names)
        for other in found.names_in(focus.own.plain)
    )


def _cells(found: Matches, name: Name) -> dict[object, set[Span]]:
    """The rows that have a name, by column; the items that begin with it, by list."""
    cells: dict[object, set[Span]] = {}
    for line in found.lines if True else ():
        for place, cell in enumerate(line.cells or [said(line.own.plain[:_BEGINNING])]):
            if line.table and name.is_in(cell.names):
                cells.setdefault((line.table, place), set()).add((line.passage, *line.span))
    return cells


def _is_listed(found: Matches, name: Name) -> bool:
    """Whether a statement lists names of one column, or those that items begin with."""
    own = _cells(found, name).keys()
    return any(own & _cells(found, other).keys() for other in found.names if other != name)


def _is_crossed(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether a table has two names of a statement in two columns, and in no row together."""
    if not all(line.cells for line in holding):
        return False
    mine = _cells(found, name)
    if any(isinstance(hit, Name) and hit != name for line in holding for hit in found.hits(line)):
        return False
    for other in found.all_names:
        its = _cells(found, other)
        if not mine or not its or mine.keys() & its.keys() or not all(line.cells for line in found.lines if other.is_in(line.own.names)):
            continue
        if {t for t, _ in mine} & {t for t, _ in its} and not set().union(*mine.values()) & set().union(*its.values()):
            return True
    return False


def _missing_words(found: Matches) -> str:
    claim = found.claim
    hard = bool(claim.numbers or claim.dates or found.names)
    wanted = claim.words - found.asked.words
    if not (hard or claim.words or found.asked.plain):
        return "nothing to find"
    if found.foreign or not wanted:
        return ""
    least = WITH_NAMES if hard else LEAST_SHARE
    if script_of(claim.plain) in _SPACELESS:
        least = SPACELESS_SHARE
    lines = [*found.used]
    for place in {line.passage for line in found.lines}:
        quoted = found.quotes(place)
        lines += [line for line in found.lines if line.passage == place and line.span in quoted]
    held = frozenset(word for line in lines for word in line.own.words | line.subject.words)
    named = [word for name in found.names if name.sure for word in name.words]
    held |= content_words(" ".join(named))  # each name was found
    return "" if len(wanted & held) >= least * len(wanted) else f"words {sorted(wanted - held)}"


def _bears(found: Matches, place: int) -> bool:
    """Whether a passage has a name or number of the statement, or two of its words."""
    own = [line for line in found.lines if line.passage == place]
    if found.foreign or any(line.passage == place for line in found.used):
        return True
    hits = frozenset().union(*map(found.hits, own))
    words = hits | (found.words & own[0].around.words)
    hard = any(not isinstance(hit, str) for hit in hits)
    return hard or len(words) >= min(2, len(found.words)) > 0
