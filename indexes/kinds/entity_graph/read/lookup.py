"""The entities of a graph by their names, for people, with the senses of names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Final, Self

import numpy as np

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.stats import EntityStats
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted

_NEAR: Final = 5
"""Names that an error offers at most."""
_SIMILAR: Final = 0.7
"""How much of two names must agree for one to be a slip of the other (`difflib`)."""


@dataclass(frozen=True)
class Entity:
    """An entity: its row, how it is written most often, and in how many passages it is named."""

    row: int
    label: str
    passages: int

    @classmethod
    def of(cls, graph: EntityGraph, row: int) -> Self:
        """The entity of a row."""
        return cls(row, graph.label(row), int(graph.passages_with[row]))


def entity_rows(graph: EntityGraph, pattern: str = "") -> list[dict[str, Any]]:
    """The entities of a graph, those in most passages first, with their normalised spellings.

    Args:
        pattern: See `_matches`; one of an entity's spellings, or its label, has to match.
    """
    return [
        {
            "entity": graph.label(row),
            "passages": int(graph.passages_with[row]),
            "names": graph.names_of(row),
        }
        for row in np.argsort(-graph.passages_with, kind="stable").tolist()
        if graph.passages_with[row] and _matches(pattern, (graph.label(row), *graph.names_of(row)))
    ]


def sense_rows(stats: EntityStats, pattern: str) -> list[dict[str, Any]]:
    """The senses of names that mean several things."""
    return [
        split.model_dump(mode="json")
        for split in stats.splits
        if _matches(pattern, (split.name, split.sense))
    ]


def _matches(pattern: str, texts: Iterable[str]) -> bool:
    """Whether a text has a pattern such as `john*`, or contains it if it has no `*`, `?` or `[`.

    Upper and lower case do not matter.
    """
    wanted = pattern.casefold()
    if not set("*?[") & set(wanted):
        wanted = f"*{wanted}*"
    return any(fnmatchcase(text.casefold(), wanted) for text in texts)


def find_entities(graph: EntityGraph, name: str) -> list[Entity]:
    """The entities of a name, in any spelling; several where one name means several things.

    Raises:
        UsageError: The graph does not have the name. The message offers near names.
    """
    rows = graph.entities_of(normalise_keyword(name))
    if not rows:
        near = ", ".join(_near_names(graph, normalise_keyword(name)))
        offer = f": did you mean {near}?" if near else ", nor a similar name."
        raise UsageError(f"The entity graph has no entity named {name!r}{offer}")
    return [Entity.of(graph, row) for row in rows]


def several(name: str, count: int) -> UsageError:
    """The error for a name without the number of the entity that is meant."""
    return UsageError(
        f"The name {name!r} means {counted(count, 'entity')}: choose a number from 1 to {count}."
    )


def _near_names(graph: EntityGraph, wanted: str) -> list[str]:
    """The labels of names that contain the text, then of names that are written alike."""
    if not wanted:
        return []
    names = [graph.files.names.text(row) for row in range(len(graph.files.names))]
    near = sorted((name for name in names if wanted in name), key=len)[:_NEAR]
    if len(near) < _NEAR:
        near += get_close_matches(wanted, names, n=_NEAR, cutoff=_SIMILAR)
    labels = (graph.label(row) for name in near for row in graph.entities_of(name)[:1])
    return list(dict.fromkeys(labels))[:_NEAR]
