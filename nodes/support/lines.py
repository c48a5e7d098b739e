"""The sentences and rows of passages, each with what stands around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.indexes.sentences import (
    cells_of_row,
    context_of_row,
    header_of_row,
    is_heading,
    is_item,
    is_row,
    sentence_spans,
)
from hopyard.nodes.support.quantities import Date, Number, in_unit, unit_of
from hopyard.nodes.support.said import Said, entities_of, said

__all__ = ("Line", "lines_of")

Span = tuple[int, int]

_CLAUSE: Final = re.compile(
    r"[;；]\s*|,\s+(?=(?:but|while|whereas|aber|während|wohingegen)\b)", re.IGNORECASE
)
_SUBJECT: Final = re.compile(
    r"(?:he|she|it|they|this|these|that|those|such|both|there|er|sie|es|diese[rs]?|dies|dabei|dort|"
    r"davon|그|이|그녀|他|她|它|这)\b",
    re.IGNORECASE,
)
_POSSESSIVE: Final = re.compile(r"(?:his|her|its|their|ihre?r?|seine?r?|deren|dessen)\b", re.I)


@dataclass(frozen=True)
class Line:
    """A clause of a sentence, or a row of a table.

    Attributes:
        passage: Place of its passage among those that are compared.
        span: Where its sentence or row is in the passage.
        text: Its text.
        around: The title, the section and what is told of its document; of a row, also the header
            and the sentence before the table.
        before: The sentences that it continues: a pronoun stands for a name in them.
        table: Where its table begins, or -1.
        header: The header of each column of its row.
        heading: Whether it is a heading.
        item: Whether it is an item of a list.
    """

    passage: int
    span: Span
    text: str
    around: str
    before: str = ""
    table: int = -1
    header: tuple[str, ...] = ()
    heading: bool = False
    item: bool = False

    @property
    def own(self) -> Said:
        """What it says itself."""
        return said(self.text)

    @cached_property
    def cells(self) -> list[Said]:
        """What each cell of a row says."""
        return [said(cell) for cell in cells_of_row(self.text)] if self.table >= 0 else []

    @property
    def context(self) -> Said:
        """What its title and its header say."""
        return said(self.around)

    @property
    def subject(self) -> Said:
        """What the title and the sentences before it say, which a pronoun stands for."""
        return said(f"{self.around} {self.before}") if self.before else self.context

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers; those of a row have the unit of their column too."""
        if self.table < 0:
            return self.own.numbers
        scale = unit_of(self.around)[1] if not self.header or _bare(self.header) else None
        numbers: list[Number] = []
        for place, cell in enumerate(self.cells):
            unit, own_scale = unit_of(self.header[place] if place < len(self.header) else "")
            for number in cell.numbers:
                numbers.append(in_unit(number, unit, own_scale))
                if scale and scale != 1 and own_scale == 1:
                    numbers.append(in_unit(number, unit, scale))
        return tuple(numbers)

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        """Its dates."""
        return self.own.dates


def lines_of(passage: Passage, place: int = 0) -> tuple[Line, ...]:
    """The clauses and rows of a passage, in order.

    Args:
        passage: The passage.
        place: Its place among those that are compared.
    """
    return _lines(passage.text, passage.heading, place)


@lru_cache(512)
def _lines(text: str, title: str, passage: int) -> tuple[Line, ...]:
    lines: list[Line] = []
    last: tuple[Span, str, bool] | None = None
    for span in sentence_spans(text):
        start, sentence = span[0], text[slice(*span)]
        if is_row(text, start):
            context = f"{title} {context_of_row(text, start)}"
            header = tuple(header_of_row(text, start))
            table = _table_start(text, start)
            if table == start and _has_rule_below(text, span[1]):
                continue  # the header itself
            lines.append(Line(passage, span, sentence, context, table=table, header=header))
            last = None
            continue
        item = is_item(text, start)
        before = ""
        if last and "\n" not in text[last[0][1] : start] and (last[2] or _continues(sentence)):
            before = last[1]
        begin = 0
        for place in [*(found.end() for found in _CLAUSE.finditer(sentence)), len(sentence)]:
            clause = sentence[begin:place]
            if clause.strip():
                told = before
                if begin:
                    told = f"{before} {sentence[:begin]}" if _continues(clause) else ""
                heading = is_heading(text, start)
                lines.append(Line(passage, span, clause, title, told, heading=heading, item=item))
            begin = place
        same = item or bool(last and last[2] and before)
        last = (span, f"{before} {sentence}".strip(), same)
    return tuple(lines)


def _continues(sentence: str) -> bool:
    """Whether a sentence begins with a word that stands for a name before it."""
    if _SUBJECT.match(sentence):
        return True
    return _POSSESSIVE.match(sentence) is not None and not entities_of(sentence)


def _table_start(text: str, start: int) -> int:
    """Where the table of a row begins."""
    begin = start
    while begin and (above := text.rfind("\n", 0, begin - 1) + 1) < begin:
        if not text[above:begin].lstrip().startswith("|"):
            break
        begin = above
    return begin


_RULE: Final = re.compile(r"\s*\|[\s:|-]+(?:\n|$)")


def _has_rule_below(text: str, end: int) -> bool:
    return _RULE.match(text, end) is not None


def _bare(header: tuple[str, ...]) -> bool:
    """Whether no column of a table names a unit."""
    return all(unit_of(name)[0] is None for name in header)
