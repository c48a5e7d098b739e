"""Link the question to entities of the graph, where the search begins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from langgraph.runtime import Runtime

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.searches.pagerank import PageRankSettings
from hopyard.indexes.searches.pagerank.query import Query, linked_or_nearest
from hopyard.indexes.text.names import names_in
from hopyard.nodes.run import Run, run_of
from hopyard.state.local_search import Linked, LocalState
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK

__all__ = ("entities_of_passages", "link", "linked_now", "query_of")

MOST_ENTITIES: Final = 10
"""Entities of the question (GraphRAG's published tool)."""
_NONE_NAMED: Final = "the question names no entity of the graph"


async def link(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the entities that the question names, or those that come nearest.

    Raises:
        IndexMissingError: The index has no entity graph; nothing has been spent by then.
    """
    run = await run_of(state, runtime)
    query = await query_of(run, state["question"])
    entities, reason = await _entities(run, query)
    kept = entities[:MOST_ENTITIES]
    labels = ", ".join(map(query.graph.label, kept)) or "none"
    step = Step(id="link", kind="entities", title=f"Entities: {labels}")
    if reason:
        step |= {"verdict": FALLBACK, "reason": reason}
    generation = query.search.index.manifest.generation
    return {
        "linked": Linked(generation=generation, entities=kept),
        "steps": [step],
        "truncated": False,
    }


async def linked_now(state: LocalState, runtime: Runtime[Context], query: Query) -> Linked:
    """The linked entities. The question is linked again if a build has ended since."""
    if state["linked"]["generation"] == query.search.index.manifest.generation:
        return state["linked"]
    linked: Linked = (await link(state, runtime))["linked"]
    return linked


async def query_of(run: Run, question: str) -> Query:
    """The question over the entity graph of the run's index.

    Raises:
        IndexMissingError: The index has no entity graph or no vectors; the message says how to
            build them.
    """
    search = await run.search(question)
    graph = await asyncio.to_thread(search.index.reader, "entity-graph", "local")
    await asyncio.to_thread(search.index.reader, "dense", "local")
    return Query(search, PageRankSettings.of(run.settings), graph, await run.embed(question))


async def _entities(run: Run, query: Query) -> tuple[list[int], str]:
    """The entities, the most important first, and how they were found if not by name."""
    if named := [link.entity for link in query.names().links]:
        return named, ""
    if near := await _nearest(query):
        return near, f"{_NONE_NAMED}; these have the nearest names"
    found = await run.try_find(query.search.text, method="dense", step="link")
    standing = entities_of_passages(query.graph, passage_ids(found.evidence))
    reason = f"{_NONE_NAMED}; these stand in the first passages of a search"
    reason = reason if standing else f"{_NONE_NAMED}, and no passage found holds one"
    return standing, f"{reason}. {found.reason}" if found.problems else reason


async def _nearest(query: Query) -> list[int]:
    """The entity nearest to each name of the question; none if the graph has no vectors."""
    if not len(query.graph.files.name_vectors):
        return []
    found = await linked_or_nearest(query, [name.text for name in names_in(query.search.text)])
    return sorted(found, key=lambda entity: (-found[entity], entity))


def entities_of_passages(graph: EntityGraph, passages: Sequence[str]) -> list[int]:
    """The entities of some passages: those in most of them first, and rare entities before others.

    The order is that of n · ln(1 + P / df), with n passages of these and df of all P.
    """
    rows = [graph.passage_rows[name] for name in passages]
    inside = np.asarray(graph.entities_in[rows].sign().sum(axis=0))
    weights = inside * np.log1p(len(graph.passage_ids) / np.maximum(graph.passages_with, 1))
    order = np.lexsort((np.arange(len(weights)), -weights))
    best: list[int] = order[: np.count_nonzero(weights)].tolist()
    return best
