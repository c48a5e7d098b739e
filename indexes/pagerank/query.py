"""What the methods of PageRank search share: the question, its names, and the ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.linking import linked
from hopyard.indexes.pagerank.activation import min_max
from hopyard.indexes.pagerank.walk import Walk
from hopyard.models.embedder import Vector

if TYPE_CHECKING:
    from hopyard.indexes.search import Search
    from hopyard.indexes.searches.pagerank import PageRankSettings

__all__ = ("Query", "Ranking", "Seeds", "because", "nothing")

Seeds = dict[int, float]
"""Entities that a walk begins at, each with its weight."""

_NAMED: Final = 3
"""Entities that the reason for a passage names at most."""


@dataclass(frozen=True)
class Ranking:
    """Passages by score, and why."""

    scores: NDArray[np.float64]
    """[p] The score of each passage."""
    entities: NDArray[np.float64]
    """[e] The score of each entity."""
    seeds: Seeds
    """The entities that the walk began at."""
    missing: str = ""
    """Why there is no ranking; the search then falls back to dense search."""


def nothing(reason: str) -> Ranking:
    """The ranking of a question that no walk can begin from."""
    empty = np.empty(0)
    return Ranking(empty, empty, {}, reason)


@dataclass(frozen=True)
class Query:
    """A question over an opened entity graph."""

    search: Search
    settings: PageRankSettings
    graph: EntityGraph
    vector: Vector
    """[d] The question's embedding."""

    def named(self) -> dict[int, str]:
        """The entities that the question names, with the name as the question writes it."""
        return {link.entity: link.name for link in linked(self.graph, self.search.text)}

    def walk(self, name: str, weights: Callable[[EntityGraph], sparse.csr_array]) -> Walk:
        """A walk over weights that are made once for an open index."""
        return self.graph.kept.get(name, lambda: Walk(weights(self.graph)))

    async def nearest(self) -> NDArray[np.float64]:
        """[p] The cosines of the nearest passages, min-max normalised; the others have 0.

        A filter does not count here: the walk may go through passages that it may not find.
        """
        everywhere = replace(self.search, allowed=None)
        found = await everywhere.by("dense", k=self.settings.passages)
        rows = [self.graph.passage_rows[unit["id"]] for unit in found]
        scores = np.zeros(len(self.graph.passage_ids))
        scores[rows] = min_max(np.array([unit["score"] for unit in found]))
        return scores


def because(graph: EntityGraph, ranking: Ranking, passage: int) -> list[str]:
    """The labels of the entities through which the walk came to a passage, the most visited first.

    The names that it began at come before others. A name of this passage alone led nowhere.
    """
    row = slice(*graph.entities_in.indptr[passage : passage + 2])
    inside: Sequence[int] = graph.entities_in.indices[row].tolist()
    through = [
        entity
        for entity in inside
        if ranking.entities[entity] > 0
        and (entity in ranking.seeds or graph.passages_with[entity] > 1)
    ]
    through.sort(key=lambda entity: (entity not in ranking.seeds, -ranking.entities[entity]))
    return [graph.label(entity) for entity in through[:_NAMED]]
