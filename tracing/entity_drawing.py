"""The drawing of an entity's neighbourhood: nodes around it, as SVG that needs no script.

Two forms show the same: a wide form with nodes on both sides of the entity, and for phones a narrow
form with all nodes below it. Rows of equal height keep the labels apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from textwrap import shorten
from typing import Final, Literal

from hopyard.indexes.kinds.entity_graph.lookup import Entity
from hopyard.indexes.kinds.entity_graph.neighbourhood import Neighbourhood, Statement
from hopyard.state.counting import counted
from hopyard.tracing.escaping import escape

__all__ = ("Drawn", "draw_neighbourhood", "nodes_of")

MOST: Final = 18
"""Nodes at most: the lists below have the others."""

_WIDE: Final = 760
_NARROW: Final = 340
_ROW: Final = 50
"""Height of a node's row, with two lines of text."""
_LABEL: Final = 26
"""Characters of a label. The whole of it is shown when the pointer rests on it."""
_LETTER: Final = 8.8
"""Width of a bold letter, about."""
_THICKEST: Final = 5.0

How = Literal["beside", "fact", "synonym"]


@dataclass(frozen=True)
class Drawn:
    """A node: the entity, what joins it to the centre, and how strongly, from 0 to 1."""

    entity: Entity
    about: str
    how: How
    strength: float = 0.0


@dataclass(frozen=True)
class _Spot:
    node: Drawn
    x: float
    y: float
    side: Literal["left", "right"] = "right"


def nodes_of(hood: Neighbourhood) -> list[Drawn]:
    """The nodes around the entity, each entity once: named beside it, in its facts, synonyms."""
    most = max((one.sentences for one in hood.neighbours), default=0)
    nodes: dict[int, Drawn] = {}
    for one in hood.neighbours:
        about = (
            counted(one.sentences, "sentence")
            if one.sentences
            else counted(one.passages, "passage")
        )
        nodes[one.entity.row] = Drawn(one.entity, about, "beside", one.sentences / max(most, 1))
    for fact in reversed(hood.facts):  # the first fact about two entities is shown
        other, about = _other_end(fact, hood.entity.row)
        known = nodes.setdefault(other.row, Drawn(other, about, "fact"))
        nodes[other.row] = replace(known, about=about, how="fact")
    for synonym in hood.synonyms:
        about = f"synonym, {synonym.cosine:.2f}"
        nodes.setdefault(synonym.entity.row, Drawn(synonym.entity, about, "synonym"))
    nodes.pop(hood.entity.row, None)
    return list(nodes.values())[:MOST]


def _other_end(fact: Statement, centre: int) -> tuple[Entity, str]:
    if fact.subject.row == centre:
        return fact.object, f"{fact.relation} →"
    return fact.subject, f"← {fact.relation}"


def draw_neighbourhood(hood: Neighbourhood) -> str:
    """Both forms as HTML; "" where the entity has no neighbours.

    A node links to the element `entity-ROW` of the page.
    """
    nodes = nodes_of(hood)
    return _wide(nodes, hood) + _narrow(nodes, hood) if nodes else ""


def _wide(nodes: Sequence[Drawn], hood: Neighbourhood) -> str:
    rows = (len(nodes) + 1) // 2
    height = max(rows, 2) * _ROW + 20
    middle_x, middle_y = _WIDE / 2, height / 2
    spots = []
    for place, node in enumerate(nodes):
        row, left = divmod(place, 2)
        in_column = rows if not left else len(nodes) // 2
        y = middle_y + (row - (in_column - 1) / 2) * _ROW
        bow = 60 + 90 * sqrt(1 - ((y - middle_y) / (middle_y + 1)) ** 2)
        x = middle_x - bow if left else middle_x + bow
        spots.append(_Spot(node, x, y, "left" if left else "right"))
    lines = [
        f'<path class="{spot.node.how}" stroke-width="{_width(spot.node)}" '
        f'd="M{middle_x:g},{middle_y:g}L{spot.x:.0f},{spot.y:.0f}"></path>'
        for spot in spots
    ]
    between = _between(spots, hood, middle_x, middle_y)
    label = _cut(hood.entity.label)
    wide = len(label) * _LETTER + 24
    centre = (
        f'<a class="centre" href="#passages"><title>{escape(hood.entity.label)}</title>'
        f'<rect x="{middle_x - wide / 2:.0f}" y="{middle_y - 17:g}" width="{wide:.0f}" '
        f'height="34" rx="17"></rect><text x="{middle_x:g}" y="{middle_y + 5:g}">'
        f"{escape(label)}</text></a>"
    )
    return _svg("wide", _WIDE, height, [*between, *lines, centre, *map(_node, spots)], hood)


def _narrow(nodes: Sequence[Drawn], hood: Neighbourhood) -> str:
    height = (len(nodes) + 1) * _ROW
    spots = [_Spot(node, 44, row * _ROW + 24) for row, node in enumerate(nodes, 1)]
    lines = [
        f'<path class="{spot.node.how}" stroke-width="{_width(spot.node)}" '
        f'd="M20,24V{spot.y - 12:g}q0,12 12,12H44"></path>'
        for spot in spots
    ]
    label = _cut(hood.entity.label)
    wide = len(label) * _LETTER + 24
    centre = (
        f'<a class="centre" href="#passages"><rect x="4" y="7" width="{wide:.0f}" height="34" '
        f'rx="17"></rect><text x="{4 + wide / 2:.0f}" y="29">{escape(label)}</text></a>'
    )
    return _svg("narrow", _NARROW, height, [*lines, centre, *map(_node, spots)], hood)


def _svg(form: str, width: int, height: float, parts: Sequence[str], hood: Neighbourhood) -> str:
    about = escape(f"Entities around {hood.entity.label}")
    return (
        f'<svg class="graph {form}" viewBox="0 0 {width} {height:g}" role="figure" '
        f'aria-label="{about}">{"".join(parts)}</svg>'
    )


def _node(spot: _Spot) -> str:
    entity = spot.node.entity
    x = spot.x + (12 if spot.side == "right" else -12)
    return (
        f'<a class="{spot.node.how} {spot.side}" href="#entity-{entity.row}">'
        f"<title>{escape(entity.label)}: {escape(spot.node.about)}</title>"
        f'<circle cx="{spot.x:.0f}" cy="{spot.y:.0f}" r="6"></circle>'
        f'<text x="{x:.0f}" y="{spot.y:.0f}">{escape(_cut(entity.label))}</text>'
        f'<text class="about" x="{x:.0f}" y="{spot.y + 15:.0f}">'
        f"{escape(_cut(spot.node.about))}</text></a>"
    )


def _between(
    spots: Sequence[_Spot], hood: Neighbourhood, middle_x: float, middle_y: float
) -> list[str]:
    """Lines between neighbours that share sentences, bent towards the centre."""
    by_row = {spot.node.entity.row: spot for spot in spots}
    lines = []
    for first, second in hood.links:
        if first in by_row and second in by_row:
            one, other = by_row[first], by_row[second]
            bend_x = (one.x + other.x) / 4 + middle_x / 2
            bend_y = (one.y + other.y) / 4 + middle_y / 2
            lines.append(
                f'<path class="between" d="M{one.x:.0f},{one.y:.0f}Q{bend_x:.0f},{bend_y:.0f} '
                f'{other.x:.0f},{other.y:.0f}"></path>'
            )
    return lines


def _width(node: Drawn) -> str:
    return f"{1 + (_THICKEST - 1) * sqrt(node.strength):.1f}"


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    short = shorten(plain, _LABEL, placeholder=" …")
    # A first word that is longer than a label leaves nothing but the placeholder.
    return f"{plain[: _LABEL - 1]}…" if short == "…" else short
