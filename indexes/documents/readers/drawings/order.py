"""The order in which shapes are read: by their places on a slide, not by when they were drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.parts import local

Sides = tuple[int, int, int, int]
"""Left, top, right, bottom, in the file's units (EMU)."""

_DRAWING: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SVG: Final = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_UNITS: Final = {
    "cm": 360_000,
    "mm": 36_000,
    "in": 914_400,
    "pt": 12_700,
    "pc": 152_400,
    "px": 9525,
}
_LENGTH: Final = re.compile(rf"(-?(?:\d{{1,9}}(?:\.\d*)?|\.\d+))({'|'.join(_UNITS)})")


def in_reading_order(shapes: Iterable[Element]) -> Iterator[Element]:
    """Columns from left to right, and in each from top to bottom.

    A set of shapes is divided at the widest gap that runs through it (recursive XY-cut, Nagy and
    Seth, 1984). Shapes that lie on one another, and those whose place the layout says, keep the
    order of the file.
    """
    placed = [(shape, _sides(shape)) for shape in shapes]
    for known, some in groupby(placed, key=lambda pair: pair[1] is not None):
        yield from _cut([(shape, sides or (0, 0, 0, 0)) for shape, sides in some], known)


def _cut(shapes: list[tuple[Element, Sides]], known: bool = True) -> list[Element]:
    gap, axis, place = max(_widest([sides for _, sides in shapes], axis) for axis in (0, 1))
    if gap < 0 or not known:
        return [shape for shape, _ in shapes]
    before = [each for each in shapes if each[1][-axis] < place]
    return [*_cut(before), *_cut([each for each in shapes if each[1][-axis] >= place])]


def _widest(shapes: list[Sides], axis: int) -> tuple[int, int, int]:
    """The widest gap along an axis, the axis as 0 or -1, and where the gap ends."""
    order = sorted(shapes, key=lambda sides: sides[axis])
    found, end = (-1, 0, 0), order[0][axis + 2]
    for sides in order[1:]:
        found = max(found, (sides[axis] - end, -axis, sides[axis]))
        end = max(end, sides[axis + 2])
    return found


def _sides(shape: Element) -> Sides | None:
    if shape.tag.startswith(_DRAWING):
        return _sides_of_opendocument(shape)
    about = next((node for node in shape if local(node) in ("spPr", "grpSpPr")), shape)
    start, size = about.find("{*}xfrm/{*}off"), about.find("{*}xfrm/{*}ext")
    if start is None or size is None:
        return None
    left, top = int(start.get("x", "0")), int(start.get("y", "0"))
    return left, top, left + int(size.get("cx", "0")), top + int(size.get("cy", "0"))


def _sides_of_opendocument(shape: Element) -> Sides | None:
    if local(shape) == "g":
        if not (inner := [sides for each in shape if (sides := _sides(each))]):
            return None
        lefts, tops, rights, bottoms = zip(*inner, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)
    lengths: list[int] = []
    for side in ("x", "y", "width", "height"):
        found = _LENGTH.fullmatch(shape.get(f"{_SVG}{side}", ""))
        if found is None:
            return None
        lengths.append(round(float(found[1]) * _UNITS[found[2]]))
    left, top, across, down = lengths
    return left, top, left + across, top + down
