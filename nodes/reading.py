"""The passages that the model reads for one search: those found, and more of their documents."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.inside import rest_of_pages
from hopyard.indexes.search import SEARCHES
from hopyard.nodes.run import Found, Run, run_of
from hopyard.prompts.traits import traits_of
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.tokens import tokens_of
from hopyard.state.verdicts import FALLBACK

_NEXT: Final = 50
"""Passages after those found that are looked at."""
_OF_FOUND: Final = 0.75
"""Share of the tokens for passages that the search finds; the others are beside them."""
_LEAST: Final = 0.5
"""Further passages have this share of the best score at least: on 131 questions the model reads the
same shares of the pages with the evidence for 5 % fewer tokens (`benchmarks/read_pages.py`)."""
_ON_PAGE: Final = "on the page of a passage that was found"


async def find_to_read(
    run: Run, text: str, *, step: str = "", models: bool = True, without: Collection[str] = ()
) -> Found:
    """Search as `run.try_find` does; more of the documents follows the passages found."""
    found = await run.try_find(text, step=step, models=models, without=without)
    more = await more_to_read(run, text, found.evidence, tokens=tokens_to_read(run))
    return replace(found, evidence=[*found.evidence, *more])


async def more_to_read(
    run: Run, text: str, evidence: Sequence[Evidence], *, tokens: int, seen: Collection[str] = ()
) -> list[Evidence]:
    """More of the documents that were found, until so many tokens are read.

    The next passages that the search finds in these documents come first, until three quarters of
    the tokens are read; then the rest of the pages. A passage that matches less than half as well
    as the best adds nothing. A document of one passage has no more.

    Args:
        text: The text that was searched for; "" if it was no search.
        tokens: Of the passages that were found, too.
        seen: Ids of passages that need not be read again.
    """
    if not tokens or not evidence:
        return []
    read = await run.passages(passage_ids(evidence))
    documents = {passage.document_id for passage in read}
    index, allowed = await run.index(), await run.allowed()
    lengths = await asyncio.to_thread(index.corpus.lengths, sorted(documents))
    if max(lengths.values()) == 1:
        return []
    best = max(unit["score"] for unit in evidence)
    least = best - (1 - _LEAST) * abs(best)  # scores of a reranker may be below 0
    most_found = int(_OF_FOUND * tokens)
    more = await _next_found(run, text, read, most_found, least, seen) if text else []
    read += await run.passages(passage_ids(more))
    near = {*passage_ids([unit for unit in [*evidence, *more] if unit["score"] >= least])}
    names, left = [passage.id for passage in read if passage.id in near], tokens - _tokens(read)
    rest = await asyncio.to_thread(rest_of_pages, index, names, left, allowed)
    beside = [passage_evidence(passage.id, 0.0) for passage in rest if passage.id not in seen]
    return more + [Evidence(**unit, why=_ON_PAGE) for unit in beside]


async def within_tokens(run: Run, evidence: Sequence[Evidence], tokens: int) -> list[Evidence]:
    """The first `retrieval.k` units, then further units until so many tokens are read.

    So the searches of one step together read no more than one search alone. 0 means all.
    """
    if not tokens:
        return list(evidence)
    read = {each.id: each for each in await run.passages(passage_ids(evidence))}
    used = accumulate(_tokens([read[name] for name in unit["passages"]]) for unit in evidence)
    fits = sum(so_far <= tokens for so_far in used)
    return list(evidence[: max(fits, run.settings.retrieval.k)])


def tokens_to_read(run: Run, *, step: bool = False) -> int:
    """Tokens of passages for one search, or for a step of `chain`: `retrieval.tokens` if set."""
    tokens, traits = run.settings.retrieval.tokens, traits_of(run.settings)
    usual = traits.step_tokens if step else traits.read_tokens
    return usual if tokens is None else tokens


async def _next_found(
    run: Run, text: str, read: Sequence[Passage], most: int, least: float, seen: Collection[str]
) -> list[Evidence]:
    """Further passages of the documents read, with this score at least, up to so many tokens.

    A search that asks the model is not made twice.
    """
    left = most - _tokens(read)
    if left <= 0 or SEARCHES[run.settings.retrieval.method].asks_model:
        return []
    documents = {passage.document_id for passage in read}
    without = {*seen, *(passage.id for passage in read)}
    found = (await run.try_find(text, k=_NEXT, models=False, without=without)).evidence
    good = (unit for unit in found if unit["kind"] == "passage" and unit["score"] >= least)
    units = {unit["id"]: unit for unit in good}
    chosen: list[Evidence] = []
    for passage in await run.passages(list(units)):
        if passage.document_id in documents:
            left -= tokens_of(passage.text)
            if left < 0:
                break
            chosen.append(units[passage.id])
    return chosen


def _tokens(passages: Sequence[Passage]) -> int:
    return sum(tokens_of(passage.text) for passage in passages)


async def search(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search with the method that the settings name."""
    run, question = await run_of(state, runtime), state["question"]
    found = await find_to_read(run, question, step="search")
    step = Step(id="search", kind="search", question=question, passages=found.evidence)
    if found.problems:
        step |= {"verdict": FALLBACK, "reason": found.reason}
    return {"evidence": found.evidence, "steps": [step], "truncated": found.truncated}
