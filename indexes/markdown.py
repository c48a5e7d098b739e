"""The structure of a Markdown text: sections, tables, and the text between them.

Text is gone through line by line, so that a long one costs no tree of its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hopyard.indexes.records import PAGE_END, place_in

__all__ = ("Block", "blocks_of", "escape_cell", "first_heading", "table_lines")

_HASHES: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS: Final = re.compile(
    r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`|\\(?=[^\w\s])"
)
_NO_HEADING: Final = ("-", "*", "+", ">", "|", "#")
_LONGEST_HEADING: Final = 120
"""Characters of a heading in a section's name."""


class Row(NamedTuple):
    """A line, and where it begins in the text."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class Block(NamedTuple):
    """A table, or the text up to the next table or heading."""

    section: str
    """The headings above it, as in `Travel › Flights`."""
    start: int
    end: int
    header: str = ""
    """Header and delimiter row of a table, which each of its passages repeats; "" for text."""
    rows: Sequence[Row] = ()
    """The other rows of a table."""


class _Heading(NamedTuple):
    level: int
    name: str
    start: int
    end: int
    underlined: bool = False


def blocks_of(text: str, title: str = "") -> Iterator[Block]:
    """Cut a Markdown text at headings and around tables.

    A heading is in the section of its blocks, and in no block. Only one that has nothing below it
    is a block itself.

    Args:
        text: Markdown, in which form feeds may end pages.
        title: The document's title. Sections do not repeat it.
    """
    path: list[_Heading] = []
    start = end = 0
    bare = False  # the last heading has nothing below it so far
    blank = True  # a heading that is underlined follows an empty line
    fence = ""
    lines = _lines(text)
    line = next(lines, None)

    def open_text() -> Iterator[Block]:
        if text[start:end].strip():
            yield Block(_section(path, title), start, end)

    while line is not None:
        after = next(lines, None)
        heading = None
        if mark := _FENCE.match(line.text):
            fence = ("" if mark[1].startswith(fence) else fence) if fence else mark[1]
        elif not fence:
            heading = _heading(line, after if blank else None)
        if heading:
            yield from open_text()
            if bare and heading.level <= path[-1].level:
                yield Block(_section(path, title), path[-1].start, path[-1].end)
            path = [*(above for above in path if above.level < heading.level), heading]
            bare = True
            if heading.underlined:
                after = next(lines, None)
            start = end = after.start if after else len(text)
        elif not fence and after and "|" in line.text and _is_delimiter(after.text):
            yield from open_text()
            header = f"{line.text.strip()}\n{after.text.strip()}"
            place, end = line.start, after.end
            rows = []
            after = next(lines, None)
            while after and "|" in after.text:
                rows.append(after)
                end = after.end
                after = next(lines, None)
            yield Block(_section(path, title), place, end, header, rows)
            start = end = after.start if after else len(text)
            bare = False
        else:
            end = after.start if after else len(text)
            bare = bare and not line.text.strip()
        blank = end == start or not line.text.strip()
        line = after
    yield from open_text()
    if bare:
        yield Block(_section(path, title), path[-1].start, path[-1].end)


def first_heading(text: str) -> str:
    """The first heading of a Markdown text, without marks; "" where there is none."""
    fence = ""
    lines = _lines(text)
    line = next(lines, None)
    while line is not None:
        after = next(lines, None)
        if mark := _FENCE.match(line.text):
            fence = ("" if mark[1].startswith(fence) else fence) if fence else mark[1]
        elif not fence and (heading := _heading(line, after)):
            return heading.name
        line = after
    return ""


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as the lines of a Markdown table; the first is its header."""
    for number, row in enumerate(rows):
        yield f"| {' | '.join(map(escape_cell, row))} |"
        if not number:
            yield f"|{'---|' * len(row)}"


def escape_cell(text: str) -> str:
    """A cell's text on one line, without a mark that would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _lines(text: str) -> Iterator[Row]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        # The ends of pages are not part of a line; one that begins a line stands before it.
        begin = start + len(line) - len(line.lstrip(PAGE_END))
        yield Row(begin, line.strip(PAGE_END))
        start = end + 1


def _is_delimiter(line: str) -> bool:
    """Whether a line may stand between a table's header and its rows."""
    return "-" in line and "|" in line and not line.strip(" \t|:-")


def _heading(line: Row, after: Row | None) -> _Heading | None:
    if hashes := _HASHES.match(line.text):
        words = line.text[hashes.end() :].rstrip()
        closed = words.rstrip("#")
        words = closed.rstrip() if closed.endswith((" ", "\t")) else words
        start = line.start + hashes.end()
        return _Heading(len(hashes[1]), _plain(words), start, start + len(words))
    words = line.text.strip()
    under = after.text.strip() if after else ""
    if (
        words
        and len(under) > 1
        and set(under) in ({"="}, {"-"})
        and not words.startswith(_NO_HEADING)
    ):
        return _Heading(1 if under[0] == "=" else 2, _plain(words), line.start, line.end, True)
    return None


def _plain(heading: str) -> str:
    words = _EMPHASIS.sub("", _LINK.sub(r"\1", heading))
    name = " ".join(words.split()) or heading
    return name if len(name) <= _LONGEST_HEADING else f"{name[:_LONGEST_HEADING].rstrip()}…"


def _section(path: Sequence[_Heading], title: str) -> str:
    names = [heading.name for heading in path]
    return place_in(*(names[1:] if names and names[0] == title else names))
