"""The order in which shapes are read: by their places on the slide, not by when they were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.drawings.text import child
from hopyard.indexes.documents.readers.parts import local

__all__ = ("in_reading_order",)

_ABOUT: Final = ("spPr", "grpSpPr")


class _Placed(NamedTuple):
    """A shape; left and top, right and bottom, in the file's units (EMU)."""

    shape: Element
    begins: tuple[int, int]
    ends: tuple[int, int]


def in_reading_order(shapes: Iterable[Element]) -> Iterator[Element]:
    """Columns from left to right, and in each from top to bottom.

    A set of shapes is divided where no shape is, at the widest such gap (recursive XY-cut, Nagy
    and Seth, 1984). Shapes that lie on one another, and those whose place the layout says, keep the
    order of the file.
    """
    placed = ((shape, _placed(shape)) for shape in shapes)
    for known, some in groupby(placed, key=lambda pair: pair[1] is not None):
        if known:
            yield from _cut([place for _, place in some if place])
        else:
            yield from (shape for shape, _ in some)


def _cut(shapes: Sequence[_Placed]) -> Iterator[Element]:
    gap, parts = max((_divided(shapes, side) for side in (0, 1)), key=lambda found: found[0])
    if gap < 0:
        yield from (place.shape for place in shapes)
    else:
        for part in parts:
            yield from _cut(part)


def _divided(shapes: Sequence[_Placed], side: int) -> tuple[int, list[list[_Placed]]]:
    """The widest gap along an axis, and the shapes before and after it; -1 without a gap."""
    order = sorted(shapes, key=lambda place: place.begins[side])
    widest, at, end = -1, 0, order[0].ends[side]
    for number, place in enumerate(order[1:], start=1):
        if place.begins[side] - end > widest:
            widest, at = place.begins[side] - end, number
        end = max(end, place.ends[side])
    kept = {id(place) for place in order[:at]}
    before = [place for place in shapes if id(place) in kept]
    return widest, [before, [place for place in shapes if id(place) not in kept]]


def _placed(shape: Element) -> _Placed | None:
    about = next((node for node in shape if local(node) in _ABOUT), shape)
    place = child(about, "xfrm")
    start, size = child(place, "off"), child(place, "ext")
    if start is None or size is None:
        return None
    left, top = int(start.get("x", "0")), int(start.get("y", "0"))
    ends = left + int(size.get("cx", "0")), top + int(size.get("cy", "0"))
    return _Placed(shape, (left, top), ends)
