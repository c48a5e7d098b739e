"""The search `pagerank` over an index of the graph by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from conftest import WordEmbedder

from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES, Search
from hopyard.indexes.searches.pagerank import query as pagerank_query
from hopyard.indexes.searches.pagerank.query import Query
from hopyard.indexes.searches.pagerank.settings import PageRankSettings
from hopyard.models.embedder import Vector
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Context

from ...kinds.entity_graph.made_graph import made_index


async def embed(text: str) -> Vector:
    return WordEmbedder().embed_query(text)


def search_of(index: Index, text: str, k: int = 5, **options: frozenset[str] | None) -> Search:
    return Search(text, k, index, Context(), embed, **options)


def find(directory: Path, method: str, text: str, **options: frozenset[str]) -> list[Evidence]:
    with Index.open(directory, WordEmbedder()) as index:
        return asyncio.run(SEARCHES[method].run(search_of(index, text, **options)))


@pytest.mark.parametrize(
    ("kinds", "instead"),
    [(("sparse", "entity-graph"), "hybrid"), (("entity-graph",), "dense")],
)
def test_a_question_without_names_is_searched_otherwise(
    tmp_path: Path, kinds: tuple[str, ...], instead: str
) -> None:
    index = made_index(tmp_path / "index", *kinds)
    found = find(index, "pagerank", "what is long")
    reason = f"{instead} search, since the question names no entity of the graph"
    assert {unit["why"] for unit in found} == {reason}
    plain = find(index, instead, "what is long")
    assert [(unit["id"], unit["score"]) for unit in found] == [
        (unit["id"], unit["score"]) for unit in plain
    ]


def test_the_walk_begins_at_the_best_passages_that_match_the_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagerank_query, "PASSAGES", 2)
    directory = made_index(tmp_path / "index", "sparse", "entity-graph")
    allowed = frozenset({"severn", "zoo"})
    with Index.open(directory, WordEmbedder()) as index:
        graph = index.reader("entity-graph")
        text = "Who was born in Dudley and built the Iron Bridge, which is long?"

        def begins(allowed: frozenset[str] | None) -> tuple[set[str], set[str]]:
            search = search_of(index, text, allowed=allowed)
            vector = asyncio.run(embed(text))
            query = Query(search, PageRankSettings(), graph, vector)
            near, words = asyncio.run(query.nearest()), asyncio.run(query.by_words())
            assert near.max() == words.max() == 1
            return tuple(  # type: ignore[return-value]
                {graph.passage_ids[row] for row in np.flatnonzero(each)} for each in (near, words)
            )

        assert not allowed & set.union(*begins(None))
        near, words = begins(allowed)
        assert near | words <= allowed
        assert words == {"severn"}  # the zoo shares no word


def test_without_a_sparse_index_no_passage_is_best_by_words(tmp_path: Path) -> None:
    with Index.open(made_index(tmp_path / "index", "entity-graph"), WordEmbedder()) as index:
        graph = index.reader("entity-graph")
        query = Query(search_of(index, "river"), PageRankSettings(), graph, np.zeros(2))
        assert not asyncio.run(query.by_words()).any()


def test_a_filter_leaves_the_passages_that_the_walk_does_not_reach(tmp_path: Path) -> None:
    index = made_index(tmp_path / "index", "sparse", "entity-graph")
    allowed = frozenset({"severn", "zoo"})
    found = find(index, "pagerank", "Who built the Iron Bridge?", allowed=allowed)
    assert {unit["id"] for unit in found} == allowed
