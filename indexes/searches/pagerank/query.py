"""What the methods of PageRank search share: the question, its names, and the ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.read.linking import Linked, linked
from hopyard.indexes.searches.pagerank.activation import min_max
from hopyard.indexes.searches.pagerank.walk import Walk
from hopyard.models.embedder import Vector

if TYPE_CHECKING:
    from hopyard.indexes.search import Search
    from hopyard.indexes.searches.pagerank import PageRankSettings

__all__ = ("Query", "Ranking", "Seeds", "because", "nothing", "with_words")

Seeds = dict[int, float]
"""Entities that a walk begins at, each with its weight."""

WORDS: Final = 0.25
"""BM25's share in the weights of passages, chosen on `train` (docs/graphs.md)."""

PASSAGES: Final = 200
"""Nearest passages, and passages by BM25, at which a walk also begins (papers: all)."""

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
    """Why there is no ranking; the search then falls back to hybrid or dense search."""


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

    def names(self) -> Linked:
        """The names of the question, known and unknown."""
        return linked(self.graph, self.search.text, self.search.index.manifest.language)

    def walk(self, name: str, weights: Callable[[EntityGraph], sparse.csr_array]) -> Walk:
        """A walk over weights that are made once for an open index."""
        return self.graph.kept.get(name, lambda: Walk(weights(self.graph)))

    async def nearest(self) -> NDArray[np.float64]:
        """[p] The cosines of the nearest passages, min-max normalised; the others have 0.

        With a filter, these are the nearest that match it. The walk itself may go through others.
        """
        rows, scores = await self._best("dense")
        return self._spread(rows, min_max(scores))

    async def by_words(self) -> NDArray[np.float64]:
        """[p] BM25's best passages, as shares of the best score; the others have 0.

        All are 0 if the index has no `sparse`, or if no passage shares a word with the question.
        """
        if not self.search.index.has("sparse"):
            return np.zeros(len(self.graph.passage_ids))
        rows, scores = await self._best("sparse")
        return self._spread(rows, scores / scores.max() if len(scores) else scores)

    async def _best(self, method: str) -> tuple[list[int], NDArray[np.float64]]:
        """The rows and scores of the best passages of another search."""
        found = await self.search.by(method, k=PASSAGES)
        rows = [self.graph.passage_rows[unit["id"]] for unit in found]
        return rows, np.array([unit["score"] for unit in found])

    def _spread(self, rows: list[int], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """[p] Scores of some passages, and 0 for the others."""
        spread = np.zeros(len(self.graph.passage_ids))
        spread[rows] = scores
        return spread


def with_words(near: NDArray[np.float64], words: NDArray[np.float64]) -> NDArray[np.float64]:
    """[p] The weights of passages by nearness and by BM25 together.

    Args:
        near: [p] Weights by nearness.
        words: [p] Weights by BM25, on the same scale; all 0 if it found nothing.
    """
    return (1 - WORDS) * near + WORDS * words if words.any() else near


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
