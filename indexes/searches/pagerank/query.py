"""The common parts of all methods of PageRank search: the question, its names, and the ranking.

HippoRAG (Gutiérrez et al., NeurIPS 2024, section 2.3) and LinearRAG (Zhuang et al., ICLR 2026) link
each name of a question to the entity whose name has the highest cosine. Here a name that the graph
knows is that entity, with cosine 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.read.linking import Linked, linked
from hopyard.indexes.searches.pagerank.walk import Walk
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.models.embedder import Vector

if TYPE_CHECKING:
    from hopyard.indexes.search import Search
    from hopyard.indexes.searches.pagerank.settings import PageRankSettings

LEAST: Final = 0.65
"""Least cosine of a question's name and the nearest name of the graph: below it another thing is
often meant (benchmarks/walk_choices.py). LinearRAG and HippoRAG have none."""


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
        found = await self.search.by("dense", k=PASSAGES)
        return self._spread(
            [unit["id"] for unit in found], min_max(np.array([unit["score"] for unit in found]))
        )

    async def by_words(self) -> NDArray[np.float64]:
        """[p] BM25's best passages, as shares of the best score; the others have 0.

        All are 0 if the index has no `sparse`, or if no passage shares a word with the question.
        """
        if not self.search.index.has("sparse"):
            return np.zeros(len(self.graph.passage_ids))
        reader = await asyncio.to_thread(self.search.index.reader, "sparse")
        found = await asyncio.to_thread(
            reader.by_words, self.search.text, PASSAGES, self.search.allowed
        )
        scores = np.array([score for _, score in found])
        return self._spread([name for name, _ in found], scores / scores.max(initial=0.0))

    def _spread(self, ids: Sequence[str], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """[p] Scores of some passages, and 0 for the others."""
        spread = np.zeros(len(self.graph.passage_ids))
        spread[[self.graph.passage_rows[name] for name in ids]] = scores
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


def min_max(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Scale scores [n] to 0 for the lowest and 1 for the highest; equal scores are all 1."""
    precise = scores.astype(np.float64)
    if not len(precise) or precise.min() == precise.max():
        return np.ones(len(precise))
    scaled: NDArray[np.float64] = (precise - precise.min()) / np.ptp(precise)
    return scaled


async def named_entities(query: Query) -> Seeds:
    """The entities of all names of the question, each with its name's cosine, in (0, 1].

    A name that the graph does not know stands for the nearest one, from the cosine `LEAST` on.
    """
    names = await asyncio.to_thread(query.names)
    known = {link.entity: 1.0 for link in names.links}
    return await linked_or_nearest(query, names.unknown, LEAST) | known


async def linked_or_nearest(query: Query, names: Iterable[str], least: float = 0.0) -> Seeds:
    """The entities of some names, each with its cosine: 1 where the graph has the very name.

    Any other name stands for the entity of the nearest name, if the graph has vectors.

    Args:
        least: A nearest name counts from this cosine on, and only if it is above 0.
    """
    found: Seeds = {}
    vectors = query.graph.files.name_vectors
    for name in names:
        entities, cosine = query.graph.entities_of(normalise_keyword(name)), 1.0
        if not entities and len(vectors):
            vector = await (query.search.embed_alike or query.search.embed)(name)
            cosines = await asyncio.to_thread(np.matmul, vectors, vector)
            row = int(cosines.argmax())
            entities = query.graph.files.name_entities[row].tolist()
            cosine = float(cosines[row])
        if cosine >= least and cosine > 0:
            for entity in entities:
                found[entity] = max(cosine, found.get(entity, 0.0))
    return found
