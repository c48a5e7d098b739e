"""Search by personalised PageRank over the entity graph (HippoRAG, HippoRAG 2, LinearRAG).

`walk` solves PageRank. Each of the other modules says where a question's walk begins, over which
weights it goes, and how passages are ranked: `names` (Hopyard's default), `hipporag`, `hipporag2`
and `linear` (LinearRAG, with `activation`).
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.indexes.searches.pagerank.settings import PageRankSettings
from hopyard.state.schemas import Evidence, passage_evidence

if TYPE_CHECKING:
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
    from hopyard.indexes.searches.pagerank.query import Ranking


async def _find(search: Search) -> list[Evidence]:
    """The score is the passage's PageRank.

    Where the walk has no beginning, it is hybrid search, or dense search without a sparse index.
    """
    from hopyard.indexes.searches.pagerank.query import Query

    settings = PageRankSettings.of(search.settings)
    graph: EntityGraph = await asyncio.to_thread(search.index.reader, "entity-graph")
    method = import_module(f"hopyard.indexes.searches.pagerank.{settings.method}")
    query = Query(search, settings, graph, await search.embed(search.text))
    ranking: Ranking = await method.rank(query)
    if ranking.missing:
        instead = "hybrid" if search.index.has("sparse") else "dense"
        reason = f"{instead} search, since {ranking.missing}"
        return [_with_reason(unit, reason) for unit in await search.by(instead)]
    return await asyncio.to_thread(_best, graph, ranking, search)


def _best(graph: EntityGraph, ranking: Ranking, search: Search) -> list[Evidence]:
    import numpy as np

    from hopyard.indexes.searches.pagerank.query import because

    scores = ranking.scores
    rows = np.flatnonzero(scores > 0)
    if search.allowed is not None:
        allowed = [graph.passage_rows[name] for name in search.allowed]
        rows = np.intersect1d(rows, allowed)
    best = rows[np.lexsort((rows, -scores[rows]))[: search.k]]
    return [
        _with_reason(
            passage_evidence(graph.passage_ids[row], scores[row]),
            ", ".join(because(graph, ranking, row)),
        )
        for row in best.tolist()
    ]


def _with_reason(unit: Evidence, reason: str) -> Evidence:
    return Evidence(**{**unit, "why": reason}) if reason else unit


SEARCH: Final = SearchMethod(
    name="pagerank",
    about="PageRank over the entity graph, from the names of the question; asks no model.",
    find=_find,
    needs=("dense", "entity-graph"),
    settings=PageRankSettings,
    filters=True,
)
