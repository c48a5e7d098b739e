"""The entities of a graph as a list for people, and what was merged and split in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.stats import EntityStats

__all__ = ("EntityEntry", "current_stats", "list_entities", "matches")


@dataclass(frozen=True)
class EntityEntry:
    """One entity."""

    entity: str
    """How it is written most often."""
    passages: int
    """How many passages name it."""
    names: tuple[str, ...]
    """Its normalised spellings, sorted."""


def list_entities(
    graph: EntityGraph, pattern: str = "", limit: int = 0
) -> tuple[list[EntityEntry], int]:
    """The entities of a graph, those in most passages first.

    Args:
        graph: The graph.
        pattern: See `matches`; one of an entity's spellings, or its label, has to match.
        limit: Maximum number of entities; 0 lists all.

    Returns:
        The entities, and how many match in all.
    """
    files = graph.files
    name_of = np.repeat(np.arange(len(files.names)), files.name_entities.lengths)
    order = np.argsort(files.name_entities.values, kind="stable")
    bounds = np.searchsorted(files.name_entities.values[order], np.arange(graph.entities + 1))

    def entry(row: int) -> EntityEntry:
        rows = name_of[order[bounds[row] : bounds[row + 1]]].tolist()
        names = tuple(files.names.text(name) for name in rows)
        return EntityEntry(graph.label(row), int(graph.passages_with[row]), names)

    by_frequency = np.argsort(-graph.passages_with, kind="stable").tolist()
    if not pattern:
        return [entry(row) for row in by_frequency[: limit or None]], graph.entities
    found = [one for one in map(entry, by_frequency) if matches(pattern, (one.entity, *one.names))]
    return found[: limit or None], len(found)


def matches(pattern: str, texts: Iterable[str]) -> bool:
    """Whether a text has a pattern such as `john*`, or contains it if it has no `*`, `?` or `[`.

    Upper and lower case do not matter.
    """
    wanted = pattern.casefold()
    if not set("*?[") & set(wanted):
        wanted = f"*{wanted}*"
    return any(fnmatchcase(text.casefold(), wanted) for text in texts)


def current_stats(index: Path) -> EntityStats:
    """The stats of an index that has an entity graph.

    Raises:
        IndexMissingError: It has none, or a file is damaged.
    """
    with Index.open(index) as opened:
        return EntityStats.load(opened.kind_directory("entity-graph"))
