"""Dense + reranking, a baseline: find 2·k passages, keep the k best."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.records import Passage
from hopyard.models.call import call_model
from hopyard.models.cross_encoder import cross_scores
from hopyard.nodes.answer import CHARACTERS_A_TOKEN, snippet
from hopyard.nodes.resources import context_of, passages_of
from hopyard.nodes.search import find_passages
from hopyard.prompts.passages import one_line, passage_lines
from hopyard.prompts.rerank import passages_prompt
from hopyard.state.errors import BudgetExceededError, ModelOutputError, ModelUnreachableError
from hopyard.state.hop import Relevance
from hopyard.state.schemas import Evidence, Step, StrategyState
from hopyard.state.settings import Context

__all__ = ("CHAT", "best_first", "rerank", "search_widely")

CHAT: Final = "chat"
"""The setting `rerank.model` for the chat model's judgement."""

_WIDER: Final = 2
"""Times k passages that are found before the best are kept (HopRAG's baseline)."""
_VALUE: Final[Mapping[Relevance, float]] = {"irrelevant": 0.0, "indirect": 0.5, "necessary": 1.0}


async def search_widely(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find 2·k passages."""
    context, question = context_of(runtime), state["question"]
    wide = context.retrieval.model_copy(update={"k": _WIDER * context.retrieval.k})
    found = await find_passages(question, context.model_copy(update={"retrieval": wide}))
    return {
        "evidence": found,
        "steps": [Step(step="search", question=question, passages=found)],
    }


async def rerank(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the k best; the step says which reranker judged, and why it was that one."""
    context, found = context_of(runtime), state["evidence"]
    passages = await passages_of([one["passage_id"] for one in found], context)
    step = Step(step="rerank", question=state["question"])
    update: dict[str, Any] = {}
    try:
        scores, step["reason"] = await _scores(state, passages, context)
    except (ModelOutputError, BudgetExceededError) as error:
        step |= {"verdict": "fallback", "reason": f"kept in the order of the search: {error}"}
        update["truncated"] = isinstance(error, BudgetExceededError)
        kept = found[: context.retrieval.k]
    else:
        kept = best_first(found, scores)[: context.retrieval.k]
    step["passages"] = kept
    return update | {"evidence": kept, "steps": [*state["steps"], step]}


def best_first(found: Sequence[Evidence], scores: Sequence[float]) -> list[Evidence]:
    """The passages under their new scores, the best first; equals keep their order."""
    scored = [
        Evidence(passage_id=one["passage_id"], score=score)
        for one, score in zip(found, scores, strict=True)
    ]
    return sorted(scored, key=lambda one: -one["score"])


async def _scores(
    state: StrategyState, passages: Sequence[Passage], context: Context
) -> tuple[list[float], str]:
    """A score for each passage, and by whom."""
    name, question = context.rerank.model, state["question"]
    if name == CHAT:
        return await _judged(state, passages, context), f"judged by the chat model {context.model}"
    texts = [passage.embedded_text for passage in passages]
    try:
        scores = await asyncio.to_thread(cross_scores, name, question, texts)
    except ModelUnreachableError as error:
        judged = await _judged(state, passages, context)
        return judged, f"judged by the chat model {context.model}: {error}"
    return scores, f"scored by {name}"


async def _judged(
    state: StrategyState, passages: Sequence[Passage], context: Context
) -> list[float]:
    """The chat model's judgements: 1 necessary, 0.5 indirect, 0 irrelevant."""
    if not passages:
        return []
    longest = context.rerank.snippet_tokens * CHARACTERS_A_TOKEN
    lines = passage_lines([(one.title, snippet(one.text, longest)) for one in passages])
    output = await call_model(
        passages_prompt(len(passages)),
        {"passages": lines, "question": one_line(state["question"])},
        context=context,
        run=state["run"],
    )
    return [_VALUE[judgement] for judgement in output.judgements]
