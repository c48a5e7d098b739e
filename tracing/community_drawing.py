"""The map of some communities: a treemap that needs no script, and that fits any width.

Each cell is a link to its community, and its area is the number of entities. Positions are shares
of the map's width and height, so the text keeps its size on a phone.
"""

from __future__ import annotations

from typing import Final

from hopyard.indexes.kinds.communities.overview import Part, Parts
from hopyard.state.counting import counted
from hopyard.tracing.escaping import escape
from hopyard.tracing.treemap import Cell, squarify

__all__ = ("anchor", "draw_map")

MOST: Final = 40
"""Cells at most. One further cell stands for the smaller communities."""
_INSIDE: Final = 12
"""Communities that are drawn inside a cell at most."""
_SHEET: Final = Cell(0, 0, 400, 300)
"""The sides between those of a wide window and of a phone: cells are not too flat on either."""
_SHADES: Final = 4
"""Shades of the ratings from 0 to 10."""


def anchor(community_id: str) -> str:
    """The id of a community's element in the page."""
    return f"c-{community_id}"


def draw_map(parts: Parts, rest: str, *, inner: bool = False) -> str:
    """The map as HTML; "" for fewer than two communities, which need none.

    Args:
        parts: The communities.
        rest: Where the cell of the smaller communities leads: the id of an element.
        inner: Also draw the communities inside each.
    """
    if len(parts.shown) < 2:
        return ""
    shown, left = parts.shown[:MOST], parts.shown[MOST:]
    sizes = [len(part.community.entities) for part in shown]
    left_size = sum(len(part.community.entities) for part in left)
    cells = squarify([*sizes, left_size] if left else sizes, _SHEET)
    drawn = [_draw(part, cell, inner=inner) for part, cell in zip(shown, cells, strict=False)]
    if left:
        told = escape(f"{len(left) + parts.smaller:,} smaller")
        link = f'<a class="cell rest" href="#{escape(rest)}"><b>{told}</b></a>'
        drawn.append(_place("foreignObject", cells[-1], link))
    kind = "tall" if inner else "low" if len(shown) > 4 else "flat"
    return f'<svg class="map {kind}" role="group" aria-label="Map">{"".join(drawn)}</svg>'


def _draw(part: Part, cell: Cell, *, inner: bool) -> str:
    community = part.community
    about = counted(len(community.entities), "entity")
    link = (
        f'<a class="cell{_shade(part)}" href="#{anchor(community.id)}" '
        f'title="{escape(community.title)}: {about}">'
        f"<b>{escape(community.title)}</b> <span>{about}</span></a>"
    )
    return (_inner(part, cell) if inner else "") + _place("foreignObject", cell, link)


def _shade(part: Part) -> str:
    if part.report is None:
        return ""
    return f" rated-{min(int(part.report.rating / 10 * _SHADES), _SHADES - 1)}"


def _inner(part: Part, cell: Cell) -> str:
    sizes = [len(one.community.entities) for one in part.inside.shown[:_INSIDE]]
    left = len(part.community.entities) - sum(sizes)
    cells = squarify([*sizes, left] if left else sizes, cell) if sizes else []
    return "".join(_place("rect", one) for one in cells[: len(sizes)])


def _place(element: str, cell: Cell, inside: str = "") -> str:
    x, y, width, height = (
        f"{100 * part / whole:.2f}%"
        for part, whole in zip(cell, (_SHEET.width, _SHEET.height) * 2, strict=True)
    )
    place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f"<{element} {place}>{inside}</{element}>"
