"""The entities of a graph as a list for people, and what was merged and split in it."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.stats import EntityStats

__all__ = ("current_stats", "decision_rows", "entity_rows", "matches")


def entity_rows(graph: EntityGraph, pattern: str = "") -> list[dict[str, Any]]:
    """The entities of a graph, those in most passages first, with their normalised spellings.

    Args:
        graph: The graph.
        pattern: See `matches`; one of an entity's spellings, or its label, has to match.
    """
    files = graph.files
    name_of = np.repeat(np.arange(len(files.names)), files.name_entities.lengths)
    order = np.argsort(files.name_entities.values, kind="stable")
    bounds = np.searchsorted(files.name_entities.values[order], np.arange(graph.entities + 1))
    found = []
    for row in np.argsort(-graph.passages_with, kind="stable").tolist():
        rows = name_of[order[bounds[row] : bounds[row + 1]]].tolist()
        names = [files.names.text(name) for name in rows]
        label = graph.label(row)
        if not pattern or matches(pattern, (label, *names)):
            passages = int(graph.passages_with[row])
            found.append({"entity": label, "passages": passages, "names": names})
    return found


def decision_rows(stats: EntityStats, pattern: str, only: str) -> list[dict[str, Any]]:
    """The names that were merged into others, or the senses of names (`only`: merged or split)."""
    merged = only == "merged"
    decisions = stats.merges if merged else stats.splits
    rows = [decision.model_dump(mode="json") for decision in decisions]
    texts = ("name", "into") if merged else ("name", "sense")
    return [row for row in rows if not pattern or matches(pattern, (row[key] for key in texts))]


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
