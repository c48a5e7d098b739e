"""Answer from everything gathered, in one call, and cite passages."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import answer_from_shown, close_answer
from hopyard.nodes.local_search.context import Material, render
from hopyard.nodes.local_search.gather import gather, lines_of
from hopyard.nodes.local_search.linking import query_of
from hopyard.nodes.run import run_of
from hopyard.prompts.local_search import LOCAL_ANSWER
from hopyard.state.local_search import LocalState
from hopyard.state.schemas import passage_ids
from hopyard.state.settings import Context

__all__ = ("answer",)


async def answer(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer. If a build has ended since, reports, facts and passages are gathered again."""
    run, question = await run_of(state, runtime), state["question"]
    index, update = await run.index(), {}
    if state["selection"]["generation"] != index.manifest.generation:
        update = await gather(state, runtime)
    current: LocalState = {**state, **update}  # type: ignore[typeddict-item]
    selection, names = current["selection"], passage_ids(current["evidence"])
    passages = await run.passages(names)
    query = await query_of(run, question)
    entities = current["linked"]["entities"]
    lines = await lines_of(run, entities, current["written"])
    material = Material(query.graph, {one.id: one for one in passages}, run.settings)
    shown = await asyncio.to_thread(
        render,
        lines[: selection["reports"]],
        selection["statements"],
        names,
        selection["texts"],
        material,
    )
    reading = answer_from_shown(
        run, question, passages, {"passages": shown}, prompt=LOCAL_ANSWER, step="read", final=True
    )
    return update | await close_answer(run, question, current["steps"], reading)
