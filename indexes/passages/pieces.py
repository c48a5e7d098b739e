"""Cutting one section of a Markdown document into pieces that fit.

Pieces that fit together stay together. A table is cut between rows, and each piece repeats its
header.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from hopyard.indexes.corpus.long_text import LongText, stretches_of
from hopyard.indexes.corpus.records import PAGE_END
from hopyard.indexes.passages.markdown import Block

Count = Callable[[str], int]
_END: Final = re.compile(PAGE_END)


class Piece(NamedTuple):
    """A part of a document's text: what becomes a passage."""

    text: str
    section: str
    start: int
    """Where its first letter is in the document's text."""
    end: int


Cut = Callable[[str, int], list[Piece]]
"""Cuts plain text into pieces of so many tokens at most."""


def piece_of(text: str, start: int = 0, section: str = "") -> Piece:
    """A part of a text without the blanks and the ends of pages around it."""
    kept = text.strip()
    begin = start + len(text) - len(text.lstrip())
    return Piece(kept.replace(PAGE_END, ""), section, begin, begin + len(kept))


def cut_section(blocks: Iterable[Block], room: int, count: Count, cut: Cut) -> Iterator[Piece]:
    """Cut blocks of one section into as few pieces as their order and borders allow.

    A heading without a section of its own stays with the block that follows.

    Args:
        blocks: The section's blocks, in order.
        room: Tokens of a piece at most.
        count: Counts tokens.
        cut: Cuts plain text.
    """
    last: Piece | None = None
    kept = 0  # tokens for the headings above a block
    for block in blocks:
        for piece in _cut_block(block, room - kept, count, cut):
            if last is None:
                last = piece
            elif count(joined := f"{last.text}\n\n{piece.text}") <= room:
                last = Piece(joined, block.section, last.start, piece.end)
            else:
                yield last
                last = piece
        kept = count(f"{last.text}\n\n") if block.heading and last else 0
        kept = kept if kept <= room // 2 else 0
    if last:
        yield last


def _cut_block(block: Block, room: int, count: Count, cut: Cut) -> Iterator[Piece]:
    if block.header:
        yield from _cut_table(block, room, count, cut)
        return
    whole = piece_of(block.text, block.start, block.section)
    if count(whole.text) <= room:
        yield whole
        return
    for piece in cut(block.text, room):
        start, end = block.start + piece.start, block.start + piece.end
        yield Piece(piece.text, block.section, start, end)


def _cut_table(block: Block, room: int, count: Count, cut: Cut) -> Iterator[Piece]:
    header = block.header
    above = count(header)
    if above > room // 2:  # it leaves no room for rows, so it is text as they are
        if not block.continued:
            yield from (
                Piece(piece.text, block.section, block.start, block.start + len(header))
                for piece in cut(header, room)
            )
        header, above = "", 0
    elif not block.rows:
        yield Piece(header, block.section, block.start, block.start + len(header))
    lines: list[str] = []
    start = end = block.start
    used = above
    for row in block.rows:
        # The cells of neighbouring rows share no token, so their tokens add up.
        tokens = count(row.text) + 1
        if lines and used + tokens > room:
            yield Piece("\n".join(filter(None, (header, *lines))), block.section, start, end)
            lines, used = [], above
        if not lines:
            start = row.start
        if above + tokens > room:
            for piece in cut(row.text, room):
                yield Piece(piece.text, block.section, row.start, row.end)
            continue
        lines.append(row.text)
        used += tokens
        end = row.end
    if lines:
        yield Piece("\n".join(filter(None, (header, *lines))), block.section, start, end)


class Pages:
    """Counts the pages of a text while it is read."""

    def __init__(self, text: str | LongText, own: str) -> None:
        """Begin with a text.

        Args:
            own: The page that it is on if it has no form feeds: a loader may give each page as a
                document of its own.
        """
        self._text = text
        self._own = own
        self._has_pages = any(PAGE_END in stretch for stretch in stretches_of(text))
        self._ends: list[int] = []

    def stretches(self) -> Iterator[str]:
        """The parts of the text, in order; the pages in them are counted."""
        start = 0
        for stretch in stretches_of(self._text):
            self._ends += (start + found.start() for found in _END.finditer(stretch))
            yield stretch
            start += len(stretch)

    def of(self, start: int, end: int) -> str:
        """The pages, as in `4` or `3-4`, of a part. It begins and ends with a letter."""
        if not self._has_pages:
            return self._own
        first = bisect_left(self._ends, start) + 1
        last = bisect_left(self._ends, end - 1) + 1
        return str(first) if first == last else f"{first}-{last}"
