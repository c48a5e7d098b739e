"""Gather reports, facts and passages about the linked entities, within one budget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from langgraph.runtime import Runtime

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.searches.pagerank import names
from hopyard.indexes.searches.pagerank.query import Query, Ranking
from hopyard.nodes.local_search.context import Chosen, Material, choose
from hopyard.nodes.local_search.linking import linked_now, query_of
from hopyard.nodes.local_search.reports import (
    ReportLine,
    choose_reports,
    communities_of,
    report_lines,
)
from hopyard.nodes.local_search.surroundings import Surroundings, evidence_of, look_around
from hopyard.nodes.run import Run, run_of
from hopyard.state.local_search import LocalSearchSettings, LocalState, Selection
from hopyard.state.schemas import Evidence, Step, passage_ids
from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.verdicts import FALLBACK

__all__ = ("gather", "lines_of")

_PASSAGE: Final = 100
"""Tokens of a passage, by which a search is told how many may fit."""


async def gather(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Choose what the prompt shows. Every passage that it shows or refers to is evidence."""
    run, question = await run_of(state, runtime), state["question"]
    settings = LocalSearchSettings.of(run.settings).for_profile(profile_of(run.settings))
    query = await query_of(run, question)
    linked = await linked_now(state, runtime, query)
    around = await _surroundings(run, query, linked["entities"], settings)
    written = state["written"] if linked == state["linked"] else []
    lines = await lines_of(run, linked["entities"], written)
    wanted = dict.fromkeys([*around.passages, *(one["passage"] for one in around.statements)])
    passages = await run.passages(list(wanted))
    material = Material(query.graph, {one.id: one for one in passages}, run.settings)
    chosen = await asyncio.to_thread(
        choose, lines, around.statements, around.passages, material, settings
    )
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
        "written": written,
        "selection": selection,
        "evidence": evidence,
        "steps": [*(one for one in state["steps"] if one["id"] != step["id"]), step],
        "truncated": state["truncated"],
    }


async def _surroundings(
    run: Run, query: Query, entities: Sequence[int], settings: LocalSearchSettings
) -> Surroundings:
    """What surrounds the entities; the passages of a search, if that is nothing."""
    ranking = await names.rank_from(query, entities)
    if not ranking.missing:
        around = await asyncio.to_thread(look_around, query, entities, ranking, settings)
        if around.passages:
            return around
    k = max(run.settings.retrieval.k, settings.tokens // _PASSAGE)
    found = await run.try_find(query.search.text, k=k, method="dense", step="context")
    scores = np.zeros(len(query.graph.passage_ids))
    for unit in found.evidence:
        scores[query.graph.passage_rows[unit["id"]]] = unit["score"]
    ranking = Ranking(scores, np.zeros(query.graph.entities), {})
    return Surroundings([], [], passage_ids(found.evidence), ranking, found.reason)


async def lines_of(
    run: Run, entities: Sequence[int], written: Sequence[Mapping[str, Any]]
) -> list[ReportLine]:
    """The lines of all reports on communities of the entities, the best report first."""
    communities = await communities_of(run)
    if communities is None:
        return []
    reports = choose_reports(communities, entities, map(Report.model_validate, written))
    index = await run.index()
    return await asyncio.to_thread(_lines, index, reports)


def _lines(index: Index, reports: Sequence[Report]) -> list[ReportLine]:
    def sources(finding: Finding) -> list[str]:
        return [name for name, _ in elements_of(index).quotes(finding.elements)]

    return [line for report in reports for line in report_lines(report, sources)]


def _evidence(
    graph: EntityGraph, around: Surroundings, chosen: Chosen, lines: Sequence[ReportLine]
) -> list[Evidence]:
    """The passages shown, then those that facts and reports refer to."""
    named = [
        *around.passages[: chosen.passages.count],
        *(one["passage"] for one in chosen.statements),
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
