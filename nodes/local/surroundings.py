"""The surroundings of entities: neighbours, statements about them, and passages, each ranked.

GraphRAG's published tool ranks relationships by how many of the selected entities they join and
then by combined degree, and passages by the entities and relationships in them. Here the nearness
to the question counts too: statements by their embedding, passages by the walk of `pagerank.names`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.searches.pagerank.query import Query, Ranking, because, min_max
from hopyard.indexes.searches.pagerank.statements import fact_cosines, sentence_cosines
from hopyard.state.local import Statement
from hopyard.state.schemas import Evidence, passage_evidence

MOST_NEIGHBOURS: Final = 10
"""Entities that share a fact or a sentence with those of the question."""
MOST_PASSAGES: Final = 20
"""Beyond some twenty, the walk hardly tells passages apart."""
_SHORTEST_STATEMENT: Final = 10

_TRIPLE: Final = ["subject", "relation", "object"]

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Surroundings:
    """The material for the prompt, each list with the best first."""

    neighbours: list[int]
    """Rows of entities."""
    statements: list[Statement]
    passages: list[str]
    """Ids."""
    ranking: Ranking
    problem: str = ""
    """Why a search found less than it should."""


@dataclass(frozen=True)
class _Middle:
    """Where the search looks around, and how near things are."""

    query: Query
    entities: Sequence[int]
    neighbours: Sequence[int]
    ranking: Ranking
    allowed: NDArray[np.bool_]
    """[p] Which passages the run may find."""
    most: int
    """Statements of a kind that are ranked at most."""

    @property
    def graph(self) -> EntityGraph:
        return self.query.graph


def look_around(
    query: Query, entities: Sequence[int], ranking: Ranking, tokens: int
) -> Surroundings:
    """Rank what surrounds some entities.

    Args:
        entities: Rows of the entities, at least one.
        ranking: The walk from the entities.
        tokens: The budget: more statements than fit are not ranked.
    """
    graph = query.graph
    neighbours = find_neighbours(graph, entities, ranking.entities, MOST_NEIGHBOURS)
    most = tokens // _SHORTEST_STATEMENT
    middle = _Middle(query, entities, neighbours, ranking, _allowed(query), most)
    joining = _joining(middle)
    stated = np.array([graph.passage_rows[found["passage"]] for found in joining], np.int64)
    held = np.bincount(stated, minlength=len(graph.passage_ids))
    held += graph.counts[[*entities, *neighbours]].sign().sum(axis=0).astype(np.int64)
    best = rank_passages(np.where(middle.allowed, ranking.scores, 0.0), held)
    return Surroundings(
        neighbours,
        [*_descriptions(middle), *joining],
        [graph.passage_ids[row] for row in best[:MOST_PASSAGES].tolist()],
        ranking,
    )


def evidence_of(graph: EntityGraph, ranking: Ranking, passage: str) -> Evidence:
    """A passage with its score in the walk, and the names that led to it."""
    row = graph.passage_rows[passage]
    unit = passage_evidence(passage, ranking.scores[row])
    names = ", ".join(because(graph, ranking, row))
    return Evidence(**{**unit, "why": names}) if names else unit


def find_neighbours(
    graph: EntityGraph, entities: Sequence[int], scores: NDArray[np.float64], k: int
) -> list[int]:
    """The k entities of the highest scores that share a fact or a sentence with some entities.

    Args:
        scores: [e] Score of each entity of the graph.
        k: Neighbours at most.
    """
    facts = graph.files.facts
    own = facts[np.isin(facts["subject"], entities) | np.isin(facts["object"], entities)]
    sentences = np.unique(graph.sentences_of[list(entities)].indices)
    beside = graph.entities_of_sentence[sentences].indices
    near = np.setdiff1d(np.concatenate((own["subject"], own["object"], beside)), entities)
    best: list[int] = near[np.lexsort((near, -scores[near]))[:k]].tolist()
    return best


def rank_statements(ends: Rows, cosines: NDArray[np.float64], weights: NDArray[np.float64]) -> Rows:
    """The order of statements, best first.

    Those that join two entities of the question come first, then those about one. Equal statements
    are ordered by the sum of nearness and weight, each min-max normalised.

    Args:
        ends: [s] How many entities of the question each statement is about; 2 and more are equal.
        cosines: [s] Nearness to the question.
        weights: [s] Importance in the graph.

    Returns:
        [s] Places of the statements.
    """
    scores = min_max(cosines) + min_max(weights)
    return np.lexsort((np.arange(len(ends)), -scores, -np.minimum(ends, 2)))


def rank_passages(scores: NDArray[np.float64], held: Rows) -> Rows:
    """Rows of the passages by score · (1 + held / the most held), best first.

    Args:
        scores: [p] Score of the walk. Passages with 0 are left out.
        held: [p] How many of the selected entities and statements each passage holds.

    Returns:
        At most p rows.
    """
    total = scores * (1 + held / max(int(held.max(initial=0)), 1))
    order = np.lexsort((np.arange(len(total)), -total))
    return order[: np.count_nonzero(total > 0)]


def _allowed(query: Query) -> NDArray[np.bool_]:
    """[p] Which passages the run may find."""
    if query.search.allowed is None:
        return np.ones(len(query.graph.passage_ids), bool)
    return np.isin(query.graph.passage_ids, list(query.search.allowed))


def _joining(middle: _Middle) -> list[Statement]:
    """Facts that join the entities to others; sentences if the graph has none of these."""
    graph = middle.graph
    kind: Literal["fact", "sentence"] = "fact"
    rows, table = _facts(middle), graph.files.facts
    if not rows:
        kind, rows, table = "sentence", _sentences(middle), graph.files.sentences
    passages = table["passage"][rows].tolist()
    return [
        Statement(kind=kind, row=row, place=0, passage=graph.passage_ids[passage])
        for row, passage in zip(rows, passages, strict=True)
    ]


def _facts(middle: _Middle) -> list[int]:
    """Rows of the facts about an entity of the question or between neighbours, each triple once."""
    graph, facts = middle.graph, middle.graph.files.facts
    subjects, objects = facts["subject"], facts["object"]
    ends = np.isin(subjects, middle.entities).astype(int) + np.isin(objects, middle.entities)
    near = np.isin(subjects, middle.neighbours) & np.isin(objects, middle.neighbours)
    rows = np.flatnonzero(((ends > 0) | near) & middle.allowed[facts["passage"]])
    rows = _best(rows, ends[rows], middle.ranking.scores[facts["passage"][rows]], middle.most)
    degrees = graph.kept.get("fact degrees", lambda: _degrees(graph))
    combined = degrees[subjects[rows]] + degrees[objects[rows]]
    weights = graph.fact_strengths[rows] * np.log1p(combined)
    ranked = rows[rank_statements(ends[rows], fact_cosines(middle.query, rows), weights)].tolist()
    first: dict[object, int] = {}
    for row, triple in zip(ranked, facts[_TRIPLE][ranked].tolist(), strict=True):
        first.setdefault(triple, row)
    return list(first.values())


def _degrees(graph: EntityGraph) -> Rows:
    """[e] The number of facts about each entity."""
    ends = np.concatenate((graph.files.facts["subject"], graph.files.facts["object"]))
    return np.bincount(ends, minlength=graph.entities)


def _sentences(middle: _Middle) -> list[int]:
    """Rows of the sentences that name two of the entities, one of them of the question."""
    graph = middle.graph
    ends = _named(graph, middle.entities)
    selected = ends + _named(graph, middle.neighbours)
    passages = graph.files.sentences["passage"]
    rows = np.flatnonzero((ends > 0) & (selected > 1) & middle.allowed[passages])
    rows = _best(rows, ends[rows], middle.ranking.scores[passages[rows]], middle.most)
    cosines = sentence_cosines(middle.query, rows)
    ranked: list[int] = rows[
        rank_statements(ends[rows], cosines, selected[rows].astype(float))
    ].tolist()
    return ranked


def _named(graph: EntityGraph, entities: Sequence[int]) -> Rows:
    """[s] How many of some entities each sentence names."""
    counts: Rows = graph.sentences_of[list(entities)].sign().sum(axis=0).astype(np.int64)
    return counts


def _best(rows: Rows, ends: Rows, scores: NDArray[np.float64], most: int) -> Rows:
    """So many rows, before their vectors are read: most ends first, then by their passages."""
    return rows[np.lexsort((rows, -scores, -np.minimum(ends, 2)))[:most]]


def _descriptions(middle: _Middle) -> Iterator[Statement]:
    """For each entity its description in the best passage."""
    graph = middle.graph
    for entity in middle.entities:
        found = [
            (-float(middle.ranking.scores[row]), place, element.passage)
            for place, element in enumerate(graph.descriptions(entity))
            if element.text and middle.allowed[row := graph.passage_rows[element.passage]]
        ]
        for _, place, passage in sorted(found)[:1]:
            yield Statement(kind="description", row=entity, place=place, passage=passage)
