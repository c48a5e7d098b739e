"""Cutting one section of a Markdown document into pieces that fit.

What fits together stays together. A table is cut between rows, and each piece repeats its header.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hopyard.indexes.markdown import Block
from hopyard.indexes.records import PAGE_END

__all__ = ("Piece", "cut_section")

Count = Callable[[str], int]


class Piece(NamedTuple):
    """A part of a document's text: what becomes a passage."""

    text: str
    section: str
    start: int
    """Where it begins in the document's text."""
    end: int


Cut = Callable[[str, int], list[Piece]]
"""Cuts plain text into pieces of so many tokens at most."""


def cut_section(
    text: str, blocks: Sequence[Block], room: int, count: Count, cut: Cut
) -> Iterator[Piece]:
    """Cut blocks of one section into as few pieces as their order and borders allow.

    Args:
        text: The document's text.
        blocks: The section's blocks, in order.
        room: Tokens of a piece at most.
        count: Counts tokens.
        cut: Cuts plain text.
    """
    last: Piece | None = None
    for block in blocks:
        for piece in _cut_block(text, block, room, count, cut):
            if last is None:
                last = piece
            elif count(joined := f"{last.text}\n\n{piece.text}") <= room:
                last = Piece(joined, block.section, last.start, piece.end)
            else:
                yield last
                last = piece
    if last:
        yield last


def _cut_block(text: str, block: Block, room: int, count: Count, cut: Cut) -> Iterator[Piece]:
    if block.header:
        yield from _cut_table(block, room, count, cut)
        return
    part = text[block.start : block.end]
    kept = part.replace(PAGE_END, "").strip()
    if count(kept) <= room:
        yield Piece(kept, block.section, block.start, block.end)
        return
    for piece in cut(part, room):
        start, end = block.start + piece.start, block.start + piece.end
        yield Piece(piece.text, block.section, start, end)


def _cut_table(block: Block, room: int, count: Count, cut: Cut) -> Iterator[Piece]:
    header = block.header
    above = count(header)
    if above > room // 2:  # it leaves no room for rows, so it is text as they are
        yield from (piece._replace(section=block.section) for piece in cut(header, room))
        header, above = "", 0
    elif not block.rows:
        yield Piece(header, block.section, block.start, block.end)
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
