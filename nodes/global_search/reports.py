"""The communities of a run's index, and reports that a question has written."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.kinds.communities import on_demand, writing
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.models.prompt import OutputT, Prompt
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.run import Run, run_of
from hopyard.state.errors import ModelOutputError
from hopyard.state.global_search import ReportTask, report_id
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context
from hopyard.state.usage import Budget

_WRITING_SHARE = 0.75
"""Share of a budget that may be spent on writing reports; map calls get the rest."""


async def communities_of(run: Run) -> CommunityIndex:
    """The communities of the run's index."""
    reader: CommunityIndex = await run.reader("communities", "global")
    return reader


async def elements_of(run: Run) -> Elements:
    """The elements of the run's entity graph, with the sentences that support them."""
    return await asyncio.to_thread(writing.elements_of, await run.index())


async def passages_in(
    run: Run, communities: Sequence[Community], allowed: Collection[str]
) -> dict[str, int]:
    """In how many of some passages the entities of each community stand, by its id."""
    elements = await elements_of(run)
    return await asyncio.to_thread(_passages_in, elements.graph, communities, allowed)


def _passages_in(
    graph: EntityGraph, communities: Sequence[Community], allowed: Collection[str]
) -> dict[str, int]:
    rows = {graph.passage_rows[name] for name in allowed if name in graph.passage_rows}
    return {
        community.id: len(
            rows.intersection(graph.counts[list(community.entities)].indices.tolist())
        )
        for community in communities
    }


async def write_report(state: ReportTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Have the report about one community written, after those of its parts that it needs.

    The ledger answers if a report was written before.
    """
    run, name = await run_of(state, runtime), state["community"]
    community = (await communities_of(run)).community(name)
    step = _step(community, "select")
    writer = run.with_settings(budget=writing_budget(run.settings.budget))
    asked, below = False, list[Step]()

    async def call(
        prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = ""
    ) -> OutputT:
        nonlocal asked
        asked = True
        return await writer.call(prompt, values, step=report_id(step))

    def tell(part: Community, report: Report | ModelOutputError) -> None:
        own = _step(part, report_id(part.parent))
        below.append(
            Attempt(None, report).mark(own)
            if isinstance(report, ModelOutputError)
            else _written(own, report, run.settings.model)
        )

    index = await run.index()
    attempt = await attempted(
        on_demand.report_of(index, name, run.settings, call, most=state["most"], tell=tell)
    )
    report = attempt.output
    if report is None:
        return {"notes": [attempt.mark(step), *below], "truncated": attempt.truncated}
    step = _written(step, report, run.settings.model if asked else "")
    # Without a call it is text of a passage, which the state does not hold.
    kept = report.model_dump(mode="json") if asked else {}
    below.sort(key=lambda own: own["id"])
    return {"written": {name: kept}, "notes": [step, *below]}


def _step(community: Community, parent: str) -> Step:
    return Step(
        id=report_id(community.id),
        kind="report",
        parent=parent,
        title=f"Write: {community.title}",
        facts={"community": community.id, "entities": str(len(community.entities))},
    )


def _written(step: Step, report: Report, model: str) -> Step:
    facts = {
        "findings": str(len(report.findings)),
        "importance": f"{report.rating:g}/10",
        "elements read": str(len(report.read)),
    }
    written: Step = {**step, "title": f"Report: {report.title}", "facts": step["facts"] | facts}
    return {**written, "judge": model} if model else written


def writing_budget(budget: Budget) -> Budget:
    """The part of a budget that reports may use up: without a map call, they would be for nothing.

    Every limit stays above 0.
    """
    return Budget(
        calls=_share(budget.calls),
        tokens=_share(budget.tokens),
        seconds=budget.seconds and _WRITING_SHARE * budget.seconds,
    )


def _share(limit: int | None) -> int | None:
    return max(1, int(_WRITING_SHARE * limit)) if limit else None
