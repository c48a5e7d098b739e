"""Reranking: another search finds 2·k units, and a cross-encoder or the chat model keeps k."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.state.errors import ModelUnreachableError, UsageError
from hopyard.state.hop import Relevance
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Group

if TYPE_CHECKING:
    from hopyard.indexes.corpus.records import Passage

CHAT: Final = "chat"
"""The setting `rerank.model` for the chat model's judgement."""

_BASE: Final = "dense"
"""The search that finds these units (HopRAG's baseline)."""
_WIDER: Final = 2
"""Times k units that are found before the best are kept (HopRAG's baseline)."""
_MOST_MORE: Final = 10
"""Units beside the k wanted at most: a chain that leaves out what it has seen asks for many."""
_VALUE: Final[Mapping[Relevance, float]] = {"irrelevant": 0.0, "indirect": 0.5, "necessary": 1.0}


class RerankSettings(Group):
    """The search `rerank`: another search finds 2·k passages, and the k best of them are kept."""

    group: ClassVar[str] = "rerank"

    model: str = Field(
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        description="Cross-encoder by Hugging Face name or folder, or chat for the chat model. "
        "If the cross-encoder cannot be loaded, the chat model judges.",
    )


async def _find(search: Search) -> list[Evidence]:
    """The score is the cross-encoder's, or 1, 0.5 or 0 as the chat model judges.

    Where the model's judgement is not usable, or the budget does not allow it, the units keep the
    order of the base search.

    Raises:
        ModelUnreachableError: The cross-encoder cannot be loaded and no chat model may be asked.
        UsageError: The chat model is to judge and may not be asked.
    """
    wider = min(_WIDER * search.k, search.k + _MOST_MORE)
    base = SEARCHES[_BASE]
    found = await base.run(replace(search, k=wider))
    scores = await _scores(search, found)
    if scores is None:
        return found[: search.k]
    scored = [
        Evidence(**{**unit, "score": score}) for unit, score in zip(found, scores, strict=True)
    ]
    return sorted(scored, key=lambda unit: -unit["score"])[: search.k]


async def _scores(search: Search, found: Sequence[Evidence]) -> list[float] | None:
    name = RerankSettings.of(search.settings).model
    if name == CHAT:
        return await _judge(search, found)
    from hopyard.models.cross_encoder import PairScorer

    scorer = search.kept.get(f"cross-encoder {name}", lambda: PairScorer(name))
    texts = [
        "\n".join(passage.embedded_text for passage in passages)
        for passages in await asyncio.to_thread(_passages, search, found)
    ]
    try:
        return await asyncio.to_thread(scorer.scores, search.text, texts)
    except ModelUnreachableError as error:
        if search.call is None:
            raise
        search.report(error)
        return await _judge(search, found)


async def _judge(search: Search, found: Sequence[Evidence]) -> list[float] | None:
    """The chat model's judgements: 1 necessary, 0.5 indirect, 0 irrelevant; None without any."""
    from hopyard.prompts.passages import heading, one_line, passage_lines, passage_snippet
    from hopyard.prompts.rerank import passages_prompt
    from hopyard.prompts.traits import traits_of

    if search.call is None:
        raise UsageError(
            "Reranking with rerank.model=chat asks the chat model, and this search may not: name a "
            "cross-encoder with --set rerank.model=NAME, or choose another search method."
        )
    if not found:
        return []
    settings, traits = search.settings, traits_of(search.settings)
    longest = traits.rerank_tokens or settings.retrieval.snippet_tokens
    shown = [
        (
            heading(passages[0].full_title, passages[0].about if traits.reads_metadata else ""),
            passage_snippet("\n".join(passage.text for passage in passages), longest),
        )
        for passages in await asyncio.to_thread(_passages, search, found)
    ]
    values = {"passages": passage_lines(shown), "question": one_line(search.text)}
    output = await search.try_call(passages_prompt(len(found)), values)
    return None if output is None else [_VALUE[each] for each in output.judgements]


def _passages(search: Search, found: Sequence[Evidence]) -> list[list[Passage]]:
    """The passages behind each unit."""
    return [search.index.passages(unit["passages"]) for unit in found]


SEARCH: Final = SearchMethod(
    name="rerank",
    about="Another search, whose results a cross-encoder or the chat model puts in order.",
    find=_find,
    settings=RerankSettings,
    asks_model=True,
    filters=True,
)
