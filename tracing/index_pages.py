"""The self-contained page about an entity, in the look of a trace's page."""

from __future__ import annotations

from typing import Final

from hopyard.indexes.kinds.entity_graph.read.neighbourhood import Neighbour, Neighbourhood
from hopyard.state.text.counting import counted
from hopyard.tracing.pages import render

__all__ = ("entity_page",)

_OPEN: Final = 3
"""Passages whose texts are open."""


def entity_page(hood: Neighbourhood) -> str:
    """The neighbourhood of an entity. The page has no script, and its policy allows none."""

    def beside_of(neighbour: Neighbour) -> list[str]:
        """The passages of the page that name an entity beside this one."""
        return [place.passage.id for place in hood.places if neighbour.entity.row in place.others]

    return render(
        "entity",
        styles=["page.css", "entity.css"],
        kind="entity",
        main="passages",
        hood=hood,
        anchors={place.passage.id: f"passage-{n}" for n, place in enumerate(hood.places, 1)},
        beside_of=beside_of,
        counted=counted,
        open=_OPEN,
    )
