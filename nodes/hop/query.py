"""The input of the traversal: the passage graph, and the query for the similarity."""

from __future__ import annotations

import asyncio

from hopyard.indexes.kinds.passage_graph import traversal
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.nodes.run import Run

__all__ = ("graph_of", "query_of")


async def graph_of(run: Run) -> GraphIndex:
    """The passage graph of the run's index.

    Raises:
        IndexMissingError: The index has none; the message says how to build it.
    """
    index = await run.index()
    graph: GraphIndex = await asyncio.to_thread(index.reader, "passage-graph", "hop")
    return graph


async def query_of(run: Run, question: str) -> traversal.Query:
    """The question's vector and keywords, and the passages that the run may find."""
    vector = await run.embed(question)
    return await asyncio.to_thread(traversal.query_of, question, vector, await run.allowed())
