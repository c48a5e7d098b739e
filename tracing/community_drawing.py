"""The map of some communities: a treemap that needs no script, and that fits any width.

Each cell is a link to its community, and its area is the number of entities. Positions are shares
of the map's width and height, so the text keeps its size in each window.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hopyard.indexes.kinds.communities.overview import Part, Parts
from hopyard.state.counting import counted
from hopyard.tracing.escaping import escape
from hopyard.tracing.treemap import Cell, squarify

__all__ = ("anchor", "draw_map", "has_strip")


class _Form(NamedTuple):
    """How a map is drawn."""

    name: str
    cells: int
    """Cells at most. A strip below stands for the smaller communities, not to scale."""
    sheet: Cell
    """Its sides have the ratio of those on the screen, about."""


_WIDE: Final = _Form("wide", 40, Cell(0, 0, 220, 100))
_NARROW: Final = _Form("narrow", 16, Cell(0, 0, 70, 100))
_INNER: Final = _Form("inner", 16, Cell(0, 0, 300, 100))
_STRIP: Final = 0.12
"""Share of the strip in a map's height."""
_LINES: Final = 12
"""Communities that are drawn inside a cell at most."""
_SHADES: Final = 4
"""Shades of the ratings from 0 to 10."""


def anchor(community_id: str) -> str:
    """The id of a community's element in the page."""
    return f"c-{community_id}"


def draw_map(parts: Parts, *, root: bool = False) -> str:
    """The map as HTML; "" for fewer than two communities, which need none.

    Args:
        parts: The communities.
        root: Whether they are those of the root level. Their map has a form for wide windows and
            one for phones, and shows the communities inside each.
    """
    if len(parts.shown) < 2:
        return ""
    return "".join(_map(parts, form) for form in ((_WIDE, _NARROW) if root else (_INNER,)))


def has_strip(parts: Parts) -> bool:
    """Whether a map of the root level has a strip for the smaller communities."""
    return len(parts.shown) > _NARROW.cells


def _map(parts: Parts, form: _Form) -> str:
    shown, left = parts.shown[: form.cells], parts.shown[form.cells :]
    sizes = [len(part.community.entities) for part in shown]
    sheet, strip = form.sheet, ""
    if left:
        height = sheet.height * _STRIP
        below = Cell(0, sheet.height - height, sheet.width, height)
        sheet = sheet._replace(height=sheet.height - height)
        link = (
            f'<a class="cell rest" href="#{anchor(left[0].community.id)}">'
            f"<b>{len(left) + parts.smaller:,} smaller</b></a>"
        )
        strip = _place("foreignObject", below, form, link)
    drawn = [_draw(*pair, form) for pair in zip(shown, squarify(sizes, sheet), strict=True)]
    kind = f"map {form.name}{' few' if len(shown) <= 4 else ''}"
    return f'<svg class="{kind}" role="figure" aria-label="Map">{"".join(drawn)}{strip}</svg>'


def _draw(part: Part, cell: Cell, form: _Form) -> str:
    community = part.community
    about = counted(len(community.entities), "entity")
    link = (
        f'<a class="cell{_shade(part)}" href="#{anchor(community.id)}" '
        f'title="{escape(part.title)}: {about}">'
        f"<b>{escape(part.title)}</b> <span>{about}</span></a>"
    )
    lines = "" if form is _INNER else _lines(part, cell, form)
    return lines + _place("foreignObject", cell, form, link)


def _shade(part: Part) -> str:
    if part.report is None:
        return ""
    return f" rated-{min(int(part.report.rating / 10 * _SHADES), _SHADES - 1)}"


def _lines(part: Part, cell: Cell, form: _Form) -> str:
    sizes = [len(one.community.entities) for one in part.inside.shown[:_LINES]]
    left = len(part.community.entities) - sum(sizes)
    cells = squarify([*sizes, left] if left else sizes, cell) if sizes else []
    return "".join(_place("rect", one, form) for one in cells[: len(sizes)])


def _place(element: str, cell: Cell, form: _Form, inside: str = "") -> str:
    x, y, width, height = (
        f"{100 * part / whole:.2f}%" for part, whole in zip(cell, form.sheet[2:] * 2, strict=True)
    )
    place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f"<{element} {place}>{inside}</{element}>"
