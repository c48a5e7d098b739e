"""The structure of a Markdown text: sections, tables, and the text between them.

Text is read line by line, so a long one needs no tree of its parts, and need not be in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hopyard.indexes.corpus.long_text import STRETCH
from hopyard.indexes.corpus.records import PAGE_END, place_in

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
    before: str = ""
    """The ends of pages before it."""
    after: str = ""
    """What ends it: a line feed, or ends of pages with one."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class Block(NamedTuple):
    """A table, or text up to the next table or heading. A long table or text is several blocks."""

    section: str
    """The headings above it, as in `Travel › Flights`."""
    start: int
    """Where it begins in the text."""
    text: str
    """As it is in the document; "" for a table."""
    header: str = ""
    """Header and delimiter row of a table, which each of its passages repeats; "" for text."""
    rows: Sequence[Row] = ()
    """The other rows of a table."""
    continued: bool = False
    """Whether these rows of a table follow those of the block before."""


class _Heading(NamedTuple):
    level: int
    name: str
    start: int
    text: str
    underlined: bool = False


class _Text:
    """The lines since the last heading or table."""

    def __init__(self) -> None:
        self._lines: list[Row] = []
        self._length = 0

    @property
    def is_long(self) -> bool:
        """Whether it is as much as is cut at once, and ends where a paragraph does if it can."""
        half = not self._lines[-1].text.strip() and self._length >= STRETCH // 2
        return half or self._length >= STRETCH

    def add(self, line: Row) -> None:
        self._lines.append(line)
        self._length += len(line.before) + len(line.text) + len(line.after)

    def take(self, section: str) -> Iterator[Block]:
        """The lines as a block, if they say anything; what follows begins anew."""
        lines, self._lines, self._length = self._lines, [], 0
        if any(line.text.strip() for line in lines):
            text = "".join(part for line in lines for part in (line.before, line.text, line.after))
            yield Block(section, lines[0].start - len(lines[0].before), text)


def blocks_of(stretches: Iterable[str], title: str = "") -> Iterator[Block]:
    """Cut a Markdown text at headings and around tables.

    A heading is in the section of its blocks, and in no block. Only one that has nothing below it
    is a block itself.

    Args:
        stretches: Markdown, in which form feeds may end pages. The text may come in parts, which
            end where lines do.
        title: The document's title. Sections do not repeat it.
    """
    path: list[_Heading] = []
    section = ""
    text = _Text()
    bare = False  # the last heading has nothing below it so far
    blank = True  # a heading that is underlined follows an empty line
    fence = ""
    lines = _lines(stretches)
    line = next(lines, None)
    while line is not None:
        after = next(lines, None)
        heading = None
        if mark := _FENCE.match(line.text):
            fence = ("" if mark[1].startswith(fence) else fence) if fence else mark[1]
        elif not fence:
            heading = _heading(line, after if blank else None)
        blank = True
        if heading:
            yield from text.take(section)
            if bare and heading.level <= path[-1].level:
                yield Block(section, path[-1].start, path[-1].text)
            path = [*(above for above in path if above.level < heading.level), heading]
            section = _section(path, title)
            bare = True
            if heading.underlined:
                after = next(lines, None)
        elif not fence and after and "|" in line.text and _is_delimiter(after.text):
            yield from text.take(section)
            table = Block(section, line.start, "", f"{line.text.strip()}\n{after.text.strip()}")
            rows: list[Row] = []
            after = next(lines, None)
            while after and "|" in after.text:
                if rows and after.end - rows[0].start > STRETCH:
                    yield table._replace(rows=rows)
                    table, rows = table._replace(start=after.start, continued=True), []
                rows.append(after)
                after = next(lines, None)
            yield table._replace(rows=rows)
            bare = False
        else:
            text.add(line)
            blank = not line.text.strip()
            bare = bare and blank
            if text.is_long:
                yield from text.take(section)
        line = after
    yield from text.take(section)
    if bare:
        yield Block(section, path[-1].start, path[-1].text)


def first_heading(text: str) -> str:
    """The first heading of a Markdown text, without marks; "" where there is none."""
    fence = ""
    lines = _lines([text])
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


def _lines(stretches: Iterable[str]) -> Iterator[Row]:
    passed = 0
    for stretch in stretches:
        start = 0
        while start < len(stretch):
            end = stretch.find("\n", start) + 1 or len(stretch)
            line = stretch[start:end]
            # The ends of pages are not part of a line; those that begin a line come before it.
            after = line.lstrip(PAGE_END)
            before = line[: len(line) - len(after)]
            text = after.removesuffix("\n").rstrip(PAGE_END)
            yield Row(passed + start + len(before), text, before, after[len(text) :])
            start = end
        passed += len(stretch)


def _is_delimiter(line: str) -> bool:
    """Whether a line may stand between a table's header and its rows."""
    return "-" in line and "|" in line and not line.strip(" \t|:-")


def _heading(line: Row, after: Row | None) -> _Heading | None:
    if hashes := _HASHES.match(line.text):
        words = line.text[hashes.end() :].rstrip()
        closed = words.rstrip("#")
        words = closed.rstrip() if closed.endswith((" ", "\t")) else words
        start = line.start + hashes.end()
        return _Heading(len(hashes[1]), _plain(words), start, words)
    words = line.text.strip()
    under = after.text.strip() if after else ""
    if (
        words
        and len(under) > 1
        and set(under) in ({"="}, {"-"})
        and not words.startswith(_NO_HEADING)
    ):
        level = 1 if under[0] == "=" else 2
        return _Heading(level, _plain(words), line.start, line.text, True)
    return None


def _plain(heading: str) -> str:
    words = _EMPHASIS.sub("", _LINK.sub(r"\1", heading))
    name = " ".join(words.split()) or heading
    return name if len(name) <= _LONGEST_HEADING else f"{name[:_LONGEST_HEADING].rstrip()}…"


def _section(path: Sequence[_Heading], title: str) -> str:
    names = [heading.name for heading in path]
    return place_in(*(names[1:] if names and names[0] == title else names))
