"""HopRAG's walk over the passage graph, as plain functions (Algorithm 1, equations 2 and 3).

The search `passage-graph` walks by similarity alone. The strategy `hop` takes the same steps and
lets the chat model choose the edges.

Source: Liu et al., "HopRAG: Multi-Hop Reasoning for Logic-Aware Retrieval-Augmented Generation".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.indexes.kinds.passage_graph.similarity import similarities
from hopyard.indexes.text.keywords import extract_keywords
from hopyard.models.embedder import Vector
from hopyard.state.schemas import Evidence, passage_evidence


@dataclass(frozen=True, eq=False)
class Query:
    """A question as SIM takes it (v_q and k_q of Algorithm 1)."""

    vector: Vector
    keywords: frozenset[str]
    allowed: Set[str] | None = None
    """Ids of the passages that may be hopped to; None for all."""

    def allows(self, edge: Edge) -> bool:
        """Whether an edge may be followed."""
        return self.allowed is None or edge.head in self.allowed


class EnteredPassage(NamedTuple):
    """A passage that is entered by edges: their common question, and how many they are."""

    edge: Edge
    """The most similar of them."""
    times: int


class Exit(NamedTuple):
    """A way out of a passage."""

    edge: Edge
    place: int
    """Among the edges of its tail, from 0."""


def query_of(question: str, vector: Vector, allowed: Set[str] | None = None) -> Query:
    """A question's keywords, beside its embedding [d] and the passages that may be hopped to."""
    return Query(vector, extract_keywords(question), allowed)


def entries(graph: GraphIndex, query: Query, k: int) -> list[EnteredPassage]:
    """The k edges most similar to the query, by head and question, the most similar first."""
    found: dict[tuple[str, str], EnteredPassage] = {}
    for edge, _ in graph.entry_edges(query.vector, query.keywords, k):
        known = found.get((edge.question, edge.head), EnteredPassage(edge, 0))
        found[edge.question, edge.head] = known._replace(times=known.times + 1)
    return list(found.values())


def exits(graph: GraphIndex, query: Query, passage_id: str) -> list[Exit]:
    """A passage's edges, the most similar to the query first, each question once."""
    edges = graph.out_edges(passage_id)
    scores = graph.similarities(query.vector, query.keywords, edges)
    found: dict[str, Exit] = {}
    places = [place for place, edge in enumerate(edges) if query.allows(edge)]
    for place in sorted(places, key=lambda place: -scores[place]):
        found.setdefault(edges[place].question, Exit(edges[place], place))
    return list(found.values())


def walk(
    graph: GraphIndex,
    query: Query,
    entered: Iterable[EnteredPassage],
    nearest: Iterable[str],
    rounds: int,
) -> dict[str, int]:
    """Hop along the most similar edge of each passage that was reached first in the last round.

    Args:
        entered: Passages to begin with, by edges.
        nearest: Further passages to begin with, by another search.
        rounds: Rounds of hops at most.

    Returns:
        How often each passage was reached (C_count of Algorithm 1).
    """
    visits: Counter[str] = Counter()
    for entry in entered:
        visits[entry.edge.head] += entry.times
    visits.update(nearest)
    queue = list(visits)
    for _ in range(rounds):
        seen = set(visits)
        heads = [ways[0].edge.head for name in queue if (ways := exits(graph, query, name))]
        visits.update(heads)
        queue = [name for name in dict.fromkeys(heads) if name not in seen]
        if not queue:
            break
    return dict(visits)


def importance(visits: Mapping[str, int]) -> dict[str, float]:
    """IMP: each passage's share of all visits.

    Liu et al., equation 3. The authors' code leaves the count unnormalised, which drowns the
    similarity.

    Args:
        visits: Visits by passage, each at least 1.

    Returns:
        Values in (0, 1] that add up to 1.
    """
    total = sum(visits.values())
    return {passage_id: count / total for passage_id, count in visits.items()}


def helpfulness(similarity: float, importance: float) -> float:
    """H: the mean of what a passage says and how often the walk came to it.

    Liu et al., equation 2.

    Args:
        similarity: SIM of passage and query (equation 1), from -0.5 to 1.
        importance: IMP of the passage (equation 3), above 0 and up to 1.
    """
    return (similarity + importance) / 2


def by_helpfulness(
    graph: GraphIndex, dense: DenseReader, query: Query, visits: Mapping[str, int]
) -> list[Evidence]:
    """All visited passages, the most helpful first, equals by id."""
    found = list(visits)
    if not found:
        return []
    scores = similarities(
        query.keywords,
        query.vector,
        [graph.passage_keywords(passage_id) for passage_id in found],
        dense.vectors(found),
    )
    important = importance(visits)
    helpful = [
        passage_evidence(name, round(helpfulness(float(score), important[name]), 4))
        for name, score in zip(found, scores, strict=True)
    ]
    return sorted(helpful, key=lambda unit: (-unit["score"], unit["id"]))
