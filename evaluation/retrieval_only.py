"""Searches beside each other without a model call: what each finds of the supporting documents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, ConfigDict

from hopyard.graphs import hop
from hopyard.indexes.derived import Progress, silent
from hopyard.indexes.manifest import read_manifest
from hopyard.measures.bootstrap import Interval, interval
from hopyard.measures.questions import Question, fingerprint
from hopyard.measures.retrieval import RECALL_AT_5, retrieval_measures, unique
from hopyard.nodes.hop.query import has_graph
from hopyard.nodes.resources import passages_of
from hopyard.nodes.search import find_passages
from hopyard.state.errors import UsageError
from hopyard.state.settings import Context

__all__ = ("DEPTHS", "RETRIEVAL_FILE", "RetrievalReport", "SearchResult", "measure_retrieval")

RETRIEVAL_FILE: Final = "retrieval.json"
DEPTHS: Final = (1, 2, 3, 5, 10, 20)
"""The k of recall@k."""
_MORE: Final = 2
"""Passages fetched for one document: a long document gives several."""

Search = Callable[[str, Context], Awaitable[list[str]]]


class SearchResult(BaseModel):
    """What one search found, as means over the questions that have supporting documents."""

    model_config = ConfigDict(frozen=True)

    n: int
    recall: dict[int, float]
    """recall@k by k."""
    at_5: dict[str, float]
    """Precision, recall and F1 of the first five documents."""
    interval_at_5: Interval
    """Of recall@5, 95 % by the bootstrap."""
    seconds: float
    """A question, embedding it included."""


class RetrievalReport(BaseModel):
    """All searches over one question set."""

    model_config = ConfigDict(frozen=True)

    name: str
    questions: int
    """With supporting documents."""
    questions_fingerprint: str
    embedding: str
    documents: int
    passages: int
    searches: dict[str, SearchResult]


async def measure_retrieval(
    name: str,
    questions: Sequence[Question],
    context: Context,
    progress: Progress = silent,
) -> RetrievalReport:
    """Search for every question by bm25, dense, hybrid, mmr, and hop by similarity.

    `hop` is measured where the index has a passage graph; its reasoner is the similarity, so that
    no model is asked.

    Args:
        name: Of the question set.
        questions: Those without supporting documents are left out.
        context: Index, embedding model, and the settings of the searches.
        progress: Told (search, questions done, questions in all).

    Raises:
        UsageError: No question has supporting documents.
        IndexMissingError: The index is not there, or lacks a part.
    """
    with_gold = [question for question in questions if question.supporting_ids]
    if not with_gold:
        raise UsageError("No question has supporting_ids: there is no retrieval to be measured.")
    manifest = read_manifest(Path(context.index))
    searches: dict[str, Search] = {
        "bm25": _by("sparse"),
        "dense": _by("dense"),
        "hybrid": _by("hybrid"),
        "mmr": _by("mmr"),
    }
    if await has_graph(context):
        searches["hop"] = _hop
    results = {}
    for search, run in searches.items():
        results[search] = await _measured(search, run, with_gold, context, progress)
    return RetrievalReport(
        name=name,
        questions=len(with_gold),
        questions_fingerprint=fingerprint(with_gold),
        embedding=manifest.embedding,
        documents=manifest.counts["documents"],
        passages=manifest.counts["passages"],
        searches=results,
    )


def _by(method: str) -> Search:
    async def search(question: str, context: Context) -> list[str]:
        k = _MORE * max(DEPTHS)
        changed = {"method": method, "k": k, "fetch_k": max(k, context.retrieval.fetch_k)}
        wide = context.retrieval.model_copy(update=changed)
        found = await find_passages(question, context.model_copy(update={"retrieval": wide}))
        return [one["passage_id"] for one in found]

    return search


async def _hop(question: str, context: Context) -> list[str]:
    """The traversal up to the pruning; the answer is not asked for."""
    settings = context.hop.model_copy(
        update={"reasoner": "similarity", "top_k": _MORE * max(DEPTHS)}
    )
    graph: Any = hop.graph.copy({"checkpointer": InMemorySaver()})
    output = await graph.ainvoke(
        {"question": question},
        {"configurable": {"thread_id": uuid4().hex}},
        context=context.model_copy(update={"hop": settings}),
        interrupt_before=["answer"],
        output_keys=["evidence"],
    )
    return [one["passage_id"] for one in output["evidence"]]


async def _measured(
    name: str,
    search: Search,
    questions: Sequence[Question],
    context: Context,
    progress: Progress,
) -> SearchResult:
    found: dict[str, list[str]] = {}
    await search(questions[0].question, context)  # what is loaded on first use is not timed
    seconds = 0.0
    for number, question in enumerate(questions, 1):
        started = perf_counter()
        passage_ids = await search(question.question, context)
        seconds += perf_counter() - started
        passages = await passages_of(passage_ids, context)
        found[question.id] = unique(one.document_id for one in passages)
        progress(name, number, len(questions))
    gold = {question.id: question.supporting_ids for question in questions}
    return await asyncio.to_thread(_result, found, gold, seconds)


def _result(
    found: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[str]], seconds: float
) -> SearchResult:
    ranked = retrieval_measures(found, gold, DEPTHS)
    first = retrieval_measures({one: ids[:5] for one, ids in found.items()}, gold)
    at_5 = [ranked[one][RECALL_AT_5] for one in sorted(ranked)]
    bounds = interval(at_5)
    if bounds is None:
        raise UsageError("No question has supporting_ids: there is no retrieval to be measured.")
    return SearchResult(
        n=len(ranked),
        recall={
            k: round(fmean(one[f"recall_at_{k}"] for one in ranked.values()), 4) for k in DEPTHS
        },
        at_5={
            name: round(fmean(one[name] for one in first.values()), 4)
            for name in ("precision", "recall", "f1")
        },
        interval_at_5=bounds,
        seconds=round(seconds / len(ranked), 4),
    )
