"""Gather reports, facts and passages about the entities in one budget, and answer from them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.searches.pagerank import names
from hopyard.indexes.searches.pagerank.query import Query, Ranking
from hopyard.nodes.answer import answer_from_shown, close_answer
from hopyard.nodes.local_search.context import Chosen, Material, choose, render, tokens_for
from hopyard.nodes.local_search.linking import linked_now, query_of
from hopyard.nodes.local_search.reports import ReportLine, lines_of
from hopyard.nodes.local_search.surroundings import Surroundings, evidence_of, look_around
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.strategies.local_search import LOCAL_ANSWER
from hopyard.state.local_search import LocalState, Selection
from hopyard.state.schemas import Evidence, Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK

__all__ = ("answer", "gather")

_PASSAGE: Final = 100
"""Tokens of a passage, about: a search finds as many as fit."""


async def gather(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Choose what the prompt shows. Every passage that it shows or refers to is evidence."""
    run, question = await run_of(state, runtime), state["question"]
    query = await query_of(run, question)
    linked = await linked_now(state, runtime, query)
    around = await _surroundings(run, query, linked["entities"])
    lines = await lines_of(run, linked["entities"])
    wanted = dict.fromkeys([*around.passages, *(found["passage"] for found in around.statements)])
    passages = await run.passages(list(wanted))
    material = Material(query.graph, {found.id: found for found in passages}, run.settings)
    chosen = await asyncio.to_thread(choose, lines, around.statements, around.passages, material)
    evidence = _evidence(query.graph, around, chosen, lines)
    selection = Selection(
        generation=linked["generation"],
        reports=chosen.reports.count,
        statements=chosen.statements,
        texts=chosen.passages.count,
    )
    step = _step(query.graph, around, chosen, lines, evidence)
    if around.problem:
        step |= {"verdict": FALLBACK, "reason": around.problem}
    return {
        "linked": linked,
        "selection": selection,
        "evidence": evidence,
        "steps": [*(other for other in state["steps"] if other["id"] != step["id"]), step],
        "truncated": state["truncated"],
    }


async def _surroundings(run: Run, query: Query, entities: Sequence[int]) -> Surroundings:
    """The surroundings of the entities, or the passages of a search if they have none."""
    ranking, tokens = await names.rank_from(query, entities), tokens_for(run.settings)
    if not ranking.missing:
        around = await asyncio.to_thread(look_around, query, entities, ranking, tokens)
        if around.passages:
            return around
    k = max(run.settings.retrieval.k, tokens // _PASSAGE)
    found = await run.try_find(query.search.text, k=k, method="dense", step="context")
    scores = np.zeros(len(query.graph.passage_ids))
    for unit in found.evidence:
        scores[query.graph.passage_rows[unit["id"]]] = unit["score"]
    ranking = Ranking(scores, np.zeros(query.graph.entities), {})
    return Surroundings([], [], passage_ids(found.evidence), ranking, found.reason)


def _evidence(
    graph: EntityGraph, around: Surroundings, chosen: Chosen, lines: Sequence[ReportLine]
) -> list[Evidence]:
    """The passages shown, then those that facts and reports refer to."""
    named = [
        *around.passages[: chosen.passages.count],
        *(found["passage"] for found in chosen.statements),
        *(name for line in lines[: chosen.reports.count] for name in line.passages),
    ]
    return [evidence_of(graph, around.ranking, name) for name in dict.fromkeys(named)]


def _step(
    graph: EntityGraph,
    around: Surroundings,
    chosen: Chosen,
    lines: Sequence[ReportLine],
    evidence: list[Evidence],
) -> Step:
    reports = {line.community for line in lines[: chosen.reports.count]}
    parts = (chosen.reports, chosen.facts, chosen.passages)
    return Step(
        id="context",
        kind="context",
        title=f"Context of {sum(part.used for part in parts)} tokens",
        passages=evidence,
        facts={
            "neighbours": ", ".join(map(graph.label, around.neighbours)) or "none",
            "reports": f"{len(reports)}, {chosen.reports}",
            "facts": f"{chosen.facts.count}, {chosen.facts}",
            "passages": f"{chosen.passages.count}, {chosen.passages}",
        },
    )


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
