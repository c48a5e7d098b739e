"""The tables of a document's text, and the passage of each row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hopyard.indexes.corpus.records import PAGE_END, Passage
from hopyard.indexes.text.sentences import cells_of_row

_RULE: Final = re.compile(r"(?=.*-)(?=.*\|)[ \t|:-]+")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_EMPHASIS: Final = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_BREAK: Final = re.compile(r"\s*<br\s*/?>\s*")
_LONGEST_CAPTION: Final = 200
_LONGEST_TITLE: Final = 100
"""Characters of lines above a table that are a caption together: titles, units, dates."""
_NOTE: Final = re.compile(
    r"(?:sources?|notes?|quellen?|anmerkung(?:en)?|fuentes?|fonti?|notas?|출처|자료|주|出典|注)"
    r"\s*[:：]|[*†‡]+\s*\w",
    re.IGNORECASE,
)
"""Begins a row below a table's last row that is no row, as in `Source: annual report`."""
_PIECE: Final = 60
"""Characters that find a row whose passages hold only parts of it."""


class Row(NamedTuple):
    """A row of a table."""

    line: str
    """As it is in the text."""
    cells: list[str]


class Found(NamedTuple):
    """A table in a text."""

    caption: str
    """The line of text above it, or short lines; or ""."""
    labels: list[str]
    rows: list[Row]
    """All as wide as the header."""


def has_table(text: str) -> bool:
    """Whether a text may have a table: a quick look."""
    return "|" in text and "-|" in text.replace(" ", "")


def tables_in(text: str) -> Iterator[Found]:
    """The tables of a Markdown text, with at least one row each, in order."""
    caption, above, fenced = "", "", False
    lines = iter(text.replace(PAGE_END, "\n").split("\n"))
    while (line := next(lines, None)) is not None:
        if _FENCE.match(line):
            fenced = not fenced
        if not fenced and "|" in above and _RULE.fullmatch(line):
            rows, line = _rows(lines)
            if found := _table(caption, above, rows):
                yield found
        elif above.strip() and "|" not in above and not above.startswith("#"):
            line_above, both = above.strip(), f"{caption}; {above.strip()}"
            is_joined = caption and max(map(len, (caption, line_above))) <= _LONGEST_TITLE
            caption = (both if is_joined else line_above)[-_LONGEST_CAPTION:]
        elif above.startswith("#"):
            caption = ""
        above = line


def _rows(lines: Iterator[str]) -> tuple[list[str], str]:
    """The rows of a table, and the line that ends it."""
    rows: list[str] = []
    for line in lines:
        if "|" not in line:
            return rows, line
        rows.append(line)
    return rows, ""


def _table(caption: str, head: str, lines: Sequence[str]) -> Found | None:
    labels = _cells(head)
    rows = [Row(line.strip(), _cells(line)) for line in lines]
    while rows and len(texts := {*rows[-1].cells} - {""}) == 1 and _NOTE.match(min(texts)):
        rows.pop()
    width = max([len(labels), *(len(row.cells) for row in rows)])
    labels += [""] * (width - len(labels))
    wide = [row._replace(cells=row.cells + [""] * (width - len(row.cells))) for row in rows]
    return Found(caption, labels, wide) if wide and width > 1 else None


def _cells(line: str) -> list[str]:
    plain = _EMPHASIS.sub(r"\2", _BREAK.sub(" ", line)) if "*" in line or "<" in line else line
    return cells_of_row(plain)


def locate(tables: Sequence[Found], passages: Sequence[Passage]) -> list[list[tuple[int, int]]]:
    """For each row of each table, the number of its passage and where it begins in it.

    A row that no passage holds as it is, because it was too long, is in the passage with its
    beginning; one of which even that is not found has the place of the row before.

    Args:
        tables: The tables of a document, in order.
        passages: Its passages, in order.
    """
    number, start = 0, 0
    places: list[list[tuple[int, int]]] = []
    for table in tables:
        own: list[tuple[int, int]] = []
        for row in table.rows:
            found = _place(row.line, passages, number, start)
            found = found or _place(row.line[:_PIECE], passages, number, start)
            if found:
                number, start = found[0], found[1] + 1
            own.append(found or (number, max(0, start - 1)))
        places.append(own)
    return places


def _place(
    line: str, passages: Sequence[Passage], number: int, start: int
) -> tuple[int, int] | None:
    for place in range(number, len(passages)):
        begin = passages[place].text.find(line, start if place == number else 0)
        if begin >= 0:
            return place, begin
    return None
