"""Searches beside each other without a model call: what each finds of the supporting documents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from statistics import fmean
from time import perf_counter
from typing import Final

from pydantic import BaseModel

from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.shared import folder_of
from hopyard.indexes.kind import Progress, silent
from hopyard.indexes.search import SEARCHES
from hopyard.measures.bootstrap import Interval, interval
from hopyard.measures.questions import Question, fingerprint
from hopyard.measures.retrieval import RECALL_AT_5, retrieval_measures, unique
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.errors import UsageError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

RETRIEVAL_FILE: Final = "retrieval.json"
DEPTHS: Final = (1, 2, 3, 5, 10, 20)
"""The k of recall@k."""
_MORE: Final = 2
"""Passages fetched for one document: a long document gives several."""


class SearchResult(BaseModel, frozen=True):
    """Means of one search over the questions that have supporting documents."""

    n: int
    recall: dict[int, float]
    """recall@k by k."""
    at_5: dict[str, float]
    """Precision, recall and F1 of the first five documents."""
    interval_at_5: Interval
    """Of recall@5, 95 % by the bootstrap."""
    seconds: float
    """A question, embedding it included."""


class RetrievalReport(BaseModel, frozen=True):
    """All searches over one question set."""

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
    """Search for every question with every method that the index allows and that asks no model.

    Args:
        questions: Those without supporting documents are left out.
        context: Index, embedding model, and the settings of the searches.
        progress: Told (search, questions done, questions in all).

    Raises:
        UsageError: No question has supporting documents.
        IndexMissingError: The index is not there.
    """
    with_gold = [question for question in questions if question.supporting_ids]
    if not with_gold:
        raise UsageError("No question has supporting_ids: there is no retrieval to be measured.")
    manifest = read_manifest(folder_of(context.index))
    run = Run("retrieval", context, shared_resources())
    results = {}
    for method in SEARCHES.parts():
        if set(method.needs) <= set(manifest.kinds) and not method.asks_model:
            results[method.name] = await _measure(run, method.name, with_gold, progress)
    return RetrievalReport(
        name=name,
        questions=len(with_gold),
        questions_fingerprint=fingerprint(with_gold),
        embedding=manifest.embedding,
        documents=manifest.counts["documents"],
        passages=manifest.counts["passages"],
        searches=results,
    )


async def _measure(
    run: Run, method: str, questions: Sequence[Question], progress: Progress
) -> SearchResult:
    found: dict[str, list[str]] = {}
    k = _MORE * max(DEPTHS)
    # Loading on first use is not timed.
    await run.find(questions[0].question, k=k, method=method)
    seconds = 0.0
    for number, question in enumerate(questions, 1):
        started = perf_counter()
        evidence = await run.find(question.question, k=k, method=method)
        seconds += perf_counter() - started
        passages = await run.passages(passage_ids(evidence))
        found[question.id] = unique(passage.document_id for passage in passages)
        progress(method, number, len(questions))
    gold = {question.id: question.supporting_ids for question in questions}
    return await asyncio.to_thread(_result, found, gold, seconds)


def _result(
    found: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[str]], seconds: float
) -> SearchResult:
    ranked = retrieval_measures(found, gold, DEPTHS)
    first = retrieval_measures({question: ids[:5] for question, ids in found.items()}, gold)
    at_5 = [ranked[question][RECALL_AT_5] for question in sorted(ranked)]
    bounds = interval(at_5)
    if bounds is None:
        raise UsageError("No question has supporting_ids: there is no retrieval to be measured.")
    return SearchResult(
        n=len(ranked),
        recall={
            k: round(fmean(measures[f"recall_at_{k}"] for measures in ranked.values()), 4)
            for k in DEPTHS
        },
        at_5={
            name: round(fmean(measures[name] for measures in first.values()), 4)
            for name in ("precision", "recall", "f1")
        },
        interval_at_5=bounds,
        seconds=round(seconds / len(ranked), 4),
    )
