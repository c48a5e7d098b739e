"""Answer from everything gathered, in one call, and cite passages."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import answer_from_shown, close_answer
from hopyard.nodes.local_search.context import Material, render
from hopyard.nodes.local_search.gather import gather
from hopyard.nodes.local_search.linking import query_of
from hopyard.nodes.local_search.reports import lines_of
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.strategies.local_search import LOCAL_ANSWER
from hopyard.state.local_search import LocalState
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

__all__ = ("answer",)


async def answer(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer. If a build has ended since, reports, facts and passages are gathered again."""
    run, question = await run_of(state, runtime), state["question"]
    index, update = await run.index(), {}
    if state["selection"]["generation"] != index.manifest.generation:
        update = await gather(state, runtime)
    current: LocalState = {**state, **update}  # type: ignore[typeddict-item]
    passages, shown = await _shown_context(run, current)
    reading = answer_from_shown(
        run, question, passages, {"passages": shown}, prompt=LOCAL_ANSWER, step="read", final=True
    )
    return update | await close_answer(run, question, current["steps"], reading)


async def _shown_context(run: Run, state: LocalState) -> tuple[list[Passage], str]:
    """The passages in the order of their numbers, and the context as a prompt shows it."""
    selection, names = state["selection"], passage_ids(state["evidence"])
    passages = await run.passages(names)
    query = await query_of(run, state["question"])
    lines = await lines_of(run, state["linked"]["entities"])
    material = Material(query.graph, {found.id: found for found in passages}, run.settings)
    shown = await asyncio.to_thread(
        render,
        lines[: selection["reports"]],
        selection["statements"],
        names,
        selection["texts"],
        material,
    )
    return passages, shown
