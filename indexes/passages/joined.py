"""Small pieces of a page joined up to the size of a passage.

A line or two in larger letters make a section of a PDF and say little alone. Such a piece joins
those beside it, and each keeps its heading in the text. In documents without pages, an author made
the sections, and a citation names a single section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, takewhile
from typing import Final

from hopyard.indexes.corpus.records import place_in
from hopyard.indexes.passages.pieces import Piece
from hopyard.state.references import SECTION_MARK, SECTIONS_MARK

_SMALL: Final = 50
"""Tokens of a piece that says little alone."""


def join_small(
    pieces: Iterable[Piece],
    fits: Callable[[Piece], bool],
    count: Callable[[str], int],
    pages: Callable[[Piece], str],
) -> Iterator[Piece]:
    """Join pieces of fewer than 50 tokens with those beside them on the same page.

    They have the same outermost heading, and no table.

    Args:
        pieces: In order.
        fits: Whether a piece is short enough for a passage.
        count: Counts tokens.
        pages: The pages of a piece, as in `4` or `3-4`; "" if the document has none.
    """
    held: list[Piece] = []
    for piece in pieces:
        on_page = pages(piece)
        if held and on_page and on_page == pages(held[0]) and _are_related(held[-1], piece):
            small = min(count(joined(held).text), count(piece.text)) < _SMALL
            if small and fits(joined([*held, piece])):
                held.append(piece)
                continue
        if held:
            yield joined(held)
        held = [piece]
    if held:
        yield joined(held)


def _are_related(piece: Piece, other: Piece) -> bool:
    """Whether their sections are parts of one, and neither has a table, which keeps its own."""
    outer = piece.section.partition(SECTION_MARK)[0]
    has_table = any(f"\n{each.text}".count("\n|") for each in (piece, other))
    return bool(outer) and outer == other.section.partition(SECTION_MARK)[0] and not has_table


def joined(pieces: list[Piece]) -> Piece:
    """Adjacent pieces as one. Its section has the headings that they share, and then their own.

    Examples:
        Pieces of `Trips › Ferry` and `Trips › Bus` are one of `Trips › Ferry; Bus`.
    """
    if len(pieces) == 1:
        return pieces[0]
    paths = [piece.section.split(SECTION_MARK) for piece in pieces]
    shared = len([*takewhile(lambda names: len({*names}) == 1, zip(*paths, strict=False))])
    texts = list[str]()
    for names, run in groupby(zip(pieces, paths, strict=True), key=lambda each: each[1]):
        texts += filter(None, (place_in(*names[shared:]), *(piece.text for piece, _ in run)))
    if shared in map(len, paths):  # a section with text of its own, beside what is below it
        shared -= 1
    own = dict.fromkeys(place_in(*names[shared:]) for names in paths)
    section = place_in(*paths[0][:shared], SECTIONS_MARK.join(own))
    return Piece("\n\n".join(texts), section, pieces[0].start, pieces[-1].end)
