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
from hopyard.indexes.searches.pagerank.query import Query, Ranking, linked_or_nearest
from hopyard.indexes.searches.pagerank.settings import PageRankSettings
from hopyard.indexes.text.names import names_in
from hopyard.nodes.answer import answer_from_shown, close_answer
from hopyard.nodes.local.context import (
    Chosen,
    Material,
    ReportLine,
    choose,
    lines_of,
    render,
    tokens_for,
)
from hopyard.nodes.local.surroundings import Surroundings, evidence_of, look_around
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.strategies.local import LOCAL_ANSWER
from hopyard.state.local import Linked, LocalState, Selection
from hopyard.state.schemas import Evidence, Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK

MOST_ENTITIES: Final = 10
"""Entities of the question (GraphRAG's published tool)."""
_NONE_NAMED: Final = "the question names no entity of the graph"
_PASSAGE: Final = 100
"""Tokens of a passage, about: a search finds as many as fit."""


async def link(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the entities that the question names, or those that come nearest."""
    run = await run_of(state, runtime)
    query = await query_of(run, state["question"])
    entities, reason = await _entities(run, query)
    kept = entities[:MOST_ENTITIES]
    labels = ", ".join(map(query.graph.label, kept)) or "none"
    step = Step(id="link", kind="entities", title=f"Entities: {labels}")
    if reason:
        step |= {"verdict": FALLBACK, "reason": reason}
    generation = query.search.index.manifest.generation
    return {
        "linked": Linked(generation=generation, entities=kept),
        "steps": [step],
        "truncated": False,
    }


async def linked_now(state: LocalState, runtime: Runtime[Context], query: Query) -> Linked:
    """The linked entities. The question is linked again if a build has ended since."""
    if state["linked"]["generation"] == query.search.index.manifest.generation:
        return state["linked"]
    linked: Linked = (await link(state, runtime))["linked"]
    return linked


async def query_of(run: Run, question: str) -> Query:
    """The question over the entity graph of the run's index."""
    search = await run.search(question)
    graph = await asyncio.to_thread(search.index.reader, "entity-graph", "local")
    await asyncio.to_thread(search.index.reader, "dense", "local")
    return Query(search, PageRankSettings.of(run.settings), graph, await run.embed(question))


async def _entities(run: Run, query: Query) -> tuple[list[int], str]:
    """The entities, the most important first, and how they were found if not by name."""
    if named := [link.entity for link in query.names().links]:
        return named, ""
    if near := await _nearest(query):
        return near, f"{_NONE_NAMED}; these have the nearest names"
    found = await run.try_find(query.search.text, method="dense", step="link")
    standing = entities_of_passages(query.graph, passage_ids(found.evidence))
    reason = f"{_NONE_NAMED}; these stand in the first passages of a search"
    reason = reason if standing else f"{_NONE_NAMED}, and no passage found holds one"
    return standing, f"{reason}. {found.reason}" if found.problems else reason


async def _nearest(query: Query) -> list[int]:
    """The entity nearest to each name of the question; none if the graph has no vectors."""
    if not len(query.graph.files.name_vectors):
        return []
    found = await linked_or_nearest(query, [name.text for name in names_in(query.search.text)])
    return sorted(found, key=lambda entity: (-found[entity], entity))


def entities_of_passages(graph: EntityGraph, passages: Sequence[str]) -> list[int]:
    """The entities of some passages: those in most of them first, and rare entities before others.

    The order is that of n · ln(1 + P / df), with n passages of these and df of all P.
    """
    rows = [graph.passage_rows[name] for name in passages]
    inside = np.asarray(graph.entities_in[rows].sign().sum(axis=0))
    weights = inside * np.log1p(len(graph.passage_ids) / np.maximum(graph.passages_with, 1))
    order = np.lexsort((np.arange(len(weights)), -weights))
    best: list[int] = order[: np.count_nonzero(weights)].tolist()
    return best


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
