"""What the traversal reads: the passage graph, and the query as the graph's similarity sees it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.keywords import extract_keywords
from hopyard.indexes.manifest import read_manifest
from hopyard.models.embedder import Vector
from hopyard.models.embeddings import embedder
from hopyard.nodes.resources import index_of
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings import Context

__all__ = ("PASSAGE_GRAPH", "Query", "graph_of", "has_graph", "query_of")

PASSAGE_GRAPH: Final = "passage-graph"
"""The kind of index that holds the graph."""

_loading: Final = threading.Lock()


@dataclass(frozen=True, eq=False)
class Query:
    """A question as SIM takes it (v_q and k_q of Algorithm 1)."""

    vector: Vector
    keywords: frozenset[str]


async def has_graph(context: Context) -> bool:
    """Whether the run's index has a passage graph; False where there is no index to be read."""
    if not context.index:
        return False
    try:
        manifest = await asyncio.to_thread(read_manifest, Path(context.index))
    except IndexMissingError:
        return False  # whoever retrieves will say so; what needs no document goes on
    return PASSAGE_GRAPH in manifest.kinds


async def graph_of(context: Context) -> GraphIndex:
    """The passage graph of the run's index, loaded once a generation.

    Raises:
        IndexMissingError: The index has none; the message says how to build it.
    """
    index = await index_of(context)
    return await asyncio.to_thread(_load, index.kind_directory(PASSAGE_GRAPH))


def _load(directory: Path) -> GraphIndex:
    with _loading:  # the vertices of a resumed round ask all at once
        return _loaded(directory)


@lru_cache(maxsize=4)
def _loaded(directory: Path) -> GraphIndex:
    return GraphIndex.load(directory)


async def query_of(question: str, context: Context) -> Query:
    """The question's vector and keywords, computed once for all vertices of a run."""
    return await asyncio.to_thread(_query, question, context.embedding)


@lru_cache(maxsize=256)
def _query(question: str, embedding: str) -> Query:
    return Query(embedder(embedding).embed_query(question), extract_keywords(question))
