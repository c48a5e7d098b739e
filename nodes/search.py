"""Search: passages for one question, as the settings say."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.corpus_index import Index
from hopyard.indexes.records import Scored
from hopyard.models.embedder import Vector
from hopyard.nodes.resources import context_of, embedded_question, index_of
from hopyard.state.schemas import Evidence, StrategyState
from hopyard.state.settings import Context, RetrievalSettings

__all__ = ("find_passages", "search")


async def find_passages(question: str, context: Context) -> list[Evidence]:
    """The k best passages for a question, the best first."""
    index, settings = await index_of(context), context.retrieval
    if settings.method == "sparse":
        found = await asyncio.to_thread(index.sparse_search, question, settings.k)
    else:
        vector = await embedded_question(question, context)
        found = await asyncio.to_thread(_find, index, question, vector, settings)
    return [Evidence(passage_id=one.passage_id, score=_score(one)) for one in found]


def _find(index: Index, question: str, vector: Vector, settings: RetrievalSettings) -> list[Scored]:
    if settings.method == "dense":
        return index.dense_search(vector, settings.k)
    if settings.method == "hybrid":
        return index.hybrid_search(question, vector, settings.k)
    return index.mmr_search(vector, settings.k, settings.mmr_lambda, fetch_k=settings.fetch_k)


def _score(found: Scored) -> float:
    return found.score if found.mmr_score is None else found.mmr_score


async def search(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search once with the question as it is."""
    context = context_of(runtime)
    evidence = await find_passages(state["question"], context)
    return {
        "evidence": evidence,
        "steps": [{"step": "search", "question": state["question"], "passages": evidence}],
    }
