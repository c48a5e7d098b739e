"""The neighbourhood of an entity as one self-contained page, in the look of a trace's page.

It has no script, and a content security policy allows none.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import Template
from typing import Final

from hopyard.indexes.kinds.entity_graph.lookup import Entity
from hopyard.indexes.kinds.entity_graph.neighbourhood import (
    Neighbour,
    Neighbourhood,
    Place,
    Statement,
    Synonym,
)
from hopyard.state.counting import counted
from hopyard.tracing.entity_drawing import draw_neighbourhood
from hopyard.tracing.escaping import escape, escape_and_mark
from hopyard.tracing.self_contained import asset, content_policy

__all__ = ("entity_page",)

_OPEN: Final = 3
"""Passages whose texts are open."""
_LEGEND: Final = (
    '<ul class="legend"><li class="plain">named in the same sentence or passage</li>'
    '<li class="fact">a fact</li><li class="synonym">a synonym: a similar name</li></ul>'
)


def entity_page(hood: Neighbourhood) -> str:
    """The page of an entity."""
    style, own_style = asset("page.css"), asset("entity.css")
    return Template(asset("entity.html")).substitute(
        policy=content_policy([style, own_style]),
        style=style,
        own_style=own_style,
        label=escape(hood.entity.label),
        names=escape(f"Names in the graph: {', '.join(hood.names)}"),
        type=f'<p class="type">{escape(hood.type)}</p>' if hood.type else "",
        **_Parts(hood).as_dict(),
    )


class _Parts:
    """The parts of one page, as HTML."""

    def __init__(self, hood: Neighbourhood) -> None:
        self._hood = hood
        self._anchors = {
            place.passage.id: f"passage-{number}" for number, place in enumerate(hood.places, 1)
        }
        self._listed: set[int] = set()

    def as_dict(self) -> dict[str, str]:
        """Every part by its name in the template."""
        hood = self._hood
        drawing = draw_neighbourhood(hood)
        return {
            "totals": "".join(
                f"<div><dt>{name.capitalize()}</dt><dd>{number:,}</dd></div>"
                for name, number in hood.totals.items()
            ),
            "descriptions": self._descriptions(),
            "drawing": f'<section class="picture">{_LEGEND}{drawing}</section>' if drawing else "",
            "neighbours": self._list("neighbours", map(self._neighbour, hood.neighbours)),
            "facts": self._list("facts", map(self._fact, hood.facts)),
            "synonyms": (
                f"<h2>Synonyms</h2>{self._list('synonyms', map(self._synonym, hood.synonyms))}"
                if hood.synonyms
                else ""
            ),
            "passages": "".join(
                self._passage(place, number) for number, place in enumerate(hood.places)
            )
            + self._rest("passages", len(hood.places)),
        }

    def _descriptions(self) -> str:
        """The words of the model; nothing where it described nothing."""
        items = "".join(
            f"<li>{escape(one.text)}<small>{self._link(one.passage)}</small></li>"
            for one in self._hood.descriptions
        )
        if not items:
            return ""
        return (
            '<section class="steps" aria-labelledby="about-title"><h2 id="about-title">'
            f'Descriptions</h2><ol class="found">{items}</ol></section>'
        )

    def _list(self, name: str, items: Iterable[str]) -> str:
        made = list(items)
        rest = self._rest(name, len(made))
        return f'<ol class="found">{"".join(made)}</ol>{rest}' if made else "<p>None.</p>"

    def _rest(self, name: str, shown: int) -> str:
        more = self._hood.totals[name] - shown
        return f'<p class="hint">and {more:,} more: a higher --limit shows them</p>' if more else ""

    def _id(self, entity: Entity) -> str:
        """The attribute that a node of the drawing links to, at an entity's first item."""
        if entity.row in self._listed or entity.row == self._hood.entity.row:
            return ""
        self._listed.add(entity.row)
        return f' id="entity-{entity.row}"'

    def _neighbour(self, one: Neighbour) -> str:
        links = ", ".join(
            self._link(place.passage.id)
            for place in self._hood.places
            if one.entity.row in place.others
        )
        return (
            f"<li{self._id(one.entity)}>{escape(one.entity.label)} "
            f'<span class="score">{one}</span>{f"<small>{links}</small>" if links else ""}</li>'
        )

    def _fact(self, fact: Statement) -> str:
        other = fact.object if fact.subject.row == self._hood.entity.row else fact.subject
        more = len(fact.passages) - 1
        strong = "" if fact.strength is None else f"strength {fact.strength:g}"
        score = f' <span class="score">{strong}</span>' if strong else ""
        described = f"<small>{escape(fact.description)}</small>" if fact.description else ""
        return (
            f"<li{self._id(other)}>{escape(fact.subject.label)} "
            f'<span class="relation">{escape(fact.relation)}</span> {escape(fact.object.label)}'
            f"{score}{described}"
            f"<small>{self._link(fact.passages[0])}{f' and {more} more' if more else ''}</small>"
            "</li>"
        )

    def _synonym(self, synonym: Synonym) -> str:
        return (
            f"<li{self._id(synonym.entity)}>{escape(synonym.entity.label)} "
            f'<span class="score">{synonym.cosine:.2f}</span></li>'
        )

    def _link(self, passage_id: str) -> str:
        """A link to a passage, or its name alone if the page does not have it."""
        name = escape(self._hood.titles[passage_id])
        anchor = self._anchors.get(passage_id)
        return f'<a href="#{anchor}">{name}</a>' if anchor else name

    def _passage(self, place: Place, number: int) -> str:
        passage = place.passage
        return (
            f'<details class="passage" id="{self._anchors[passage.id]}"'
            f"{' open' if number < _OPEN else ''}>"
            f'<summary><span class="title">{escape(place.name)}</span> '
            f"<code>{escape(passage.id)}</code> "
            f'<span class="score">{counted(place.mentions, "mention")}</span></summary>'
            f"<p>{escape_and_mark(passage.text, place.spans)}</p></details>"
        )
