"""Divide a rectangle among weights, in rectangles that are as square as possible.

Source: Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ("Cell", "squarify")


class Cell(NamedTuple):
    """A rectangle: its left upper corner, and its size."""

    x: float
    y: float
    width: float
    height: float


def squarify(weights: Sequence[float], inside: Cell) -> list[Cell]:
    """Give each weight a rectangle whose share of the area is its share of all weights.

    Each row of rectangles lies along the shorter side of what is left. A row ends before the weight
    that would make its rectangles less square.

    Args:
        weights: All positive. Descending weights give the most square rectangles.
        inside: The rectangle to divide, of a positive area.

    Returns:
        A rectangle for each weight, in the same order.
    """
    cells: list[Cell] = []
    left = inside
    while len(cells) < len(weights):
        rest = weights[len(cells) :]
        scale = left.width * left.height / sum(rest)
        areas = [weight * scale for weight in rest]
        side = min(left.width, left.height)
        count = 1
        while count < len(areas) and _worst(areas[: count + 1], side) <= _worst(
            areas[:count], side
        ):
            count += 1
        row, left = _lay(areas[:count], left)
        cells += row
    return cells


def _worst(areas: Sequence[float], side: float) -> float:
    """The largest ratio of the two sides of a row's rectangles, at least 1 (section 3.1)."""
    total = sum(areas)
    return max(side**2 * max(areas) / total**2, total**2 / (side**2 * min(areas)))


def _lay(areas: Sequence[float], inside: Cell) -> tuple[list[Cell], Cell]:
    """Lay a row along the shorter side; also returns what is left."""
    x, y, width, height = inside
    cells = []
    if width >= height:
        across = sum(areas) / height
        for area in areas:
            cells.append(Cell(x, y, across, area / across))
            y += area / across
        return cells, Cell(x + across, inside.y, width - across, height)
    across = sum(areas) / width
    for area in areas:
        cells.append(Cell(x, y, area / across, across))
        x += area / across
    return cells, Cell(inside.x, y + across, width, height - across)
