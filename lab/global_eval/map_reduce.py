"""`map-reduce`: GraphRAG's baseline TS. Like `global`, but over all passages, without communities.

`divide` shuffles all passages and cuts them into chunks, each chunk is mapped to points with
scores, and the best points are reduced to the answer. Map calls run side by side.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Literal

from langgraph.graph import END, START
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, Send

from hopyard.nodes.global_search.coverage import answered, sentences_of, share_of_sentences, within
from hopyard.nodes.global_search.map import (
    chunks,
    failed_tasks,
    lines_of,
    map_passages,
    shuffled,
    window_of,
)
from hopyard.nodes.global_search.reduce import reduce_points
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.run import Run, run_of
from hopyard.state.global_search import GlobalState, PassageTask
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import Strategy
from hopyard.state.text.tokens import tokens_of

__all__ = ("STRATEGY", "graph")


async def divide_passages(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Shuffle all passages that may be found, and cut them into chunks that fit into the window."""
    run = await run_of(state, runtime)
    index, allowed = await run.index(), await run.allowed()

    def lengths() -> dict[str, int]:
        return {
            passage.id: tokens_of(lines_of([passage], run))
            for passage in index.corpus.passages()
            if allowed is None or passage.id in allowed
        }

    found = await asyncio.to_thread(lengths)
    return {
        "chunks": chunks(shuffled(found), found.__getitem__, window_of(run.settings)),
        "points": Overwrite([]),
        "notes": Overwrite([]),
        "truncated": Overwrite(False),
    }


def passage_tasks(state: GlobalState) -> list[Send] | Literal["reduce"]:
    """One map call for each chunk; all of them run side by side."""
    return [
        Send(
            "map",
            PassageTask(
                run=state["run"],
                question=state["question"],
                number=number,
                of=len(state["chunks"]),
                passages=chunk,
            ),
        )
        for number, chunk in enumerate(state["chunks"], 1)
    ] or "reduce"


async def reduce_map_reduce(
    state: GlobalState, runtime: Runtime[Context]
) -> dict[str, Any] | Command[Any]:
    """Answer from the points of all passages, or repeat the calls that failed."""
    if again := failed_tasks(state, passage_tasks(state)):
        return again
    run = await run_of(state, runtime)
    return await reduce_points(
        run, state, await read_by_map_reduce(run, state) if state["points"] else None
    )


async def read_by_map_reduce(run: Run, state: GlobalState) -> float:
    """The passages whose map calls did not fail."""
    read = {*answered(state["chunks"], state["notes"])}
    if len(read) == sum(map(len, state["chunks"])):
        return 1.0
    index, allowed = await run.index(), await run.allowed()

    def share() -> float:
        return share_of_sentences((), read, within(sentences_of(index), allowed))

    return await asyncio.to_thread(share)


graph = (
    strategy_graph(GlobalState)
    .add_node("start", start_run)
    .add_node("divide", divide_passages)
    .add_node("map", map_passages, input_schema=PassageTask)
    .add_node("reduce", reduce_map_reduce, destinations=("map",))
    .add_edge(START, "start")
    .add_edge("start", "divide")
    .add_conditional_edges("divide", passage_tasks, ["map", "reduce"])
    .add_edge("map", "reduce")
    .add_edge("reduce", END)
    .compile(name="map-reduce")
)

STRATEGY: Final = Strategy(
    name="map-reduce",
    about=(
        "A baseline to compare global with: map and reduce over all passages. It reads the whole "
        "corpus for each question, in windows of global.window tokens."
    ),
    graph=graph,
    steps="hopyard.state.schemas:noted_steps",
    baseline=True,
    rank=91,
    legend={
        "points": "statements from the passages that help to answer the question",
        "dropped": "points with a score of 0",
        "score": "the best point's, from 0 to 1",
    },
    label="map and reduce over the source text",
)
