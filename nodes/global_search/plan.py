"""Which communities are read, and how: by their reports, by reports to write, or by excerpts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities import on_demand, writing
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.on_demand import Plan
from hopyard.indexes.kinds.communities.records import Community
from hopyard.nodes.global_search.map import window_of
from hopyard.nodes.global_search.reading import (
    LONGEST_EXCERPT,
    excerpts_within,
    is_short,
    readable_reports,
    report_tokens,
)
from hopyard.nodes.global_search.reports import (
    communities_of,
    elements_of,
    passages_in,
    writing_budget,
)
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.traits import traits_of
from hopyard.state.global_search import GlobalSettings, GlobalState, ReportTask
from hopyard.state.schemas import Step, StrategyInput
from hopyard.state.settings.fields import Context

_EXCERPT_WINDOWS: Final = 4
"""Windows of sentences that are read in place of reports: four more map calls."""


async def start_published(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a run that reads reports alone."""
    return {**await start_run(state, runtime), "published": True}


async def select(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the communities of the level."""
    run = await run_of(state, runtime)
    reader = await communities_of(run)
    update: dict[str, Any] = {
        "written": Overwrite({}),
        "points": Overwrite([]),
        "truncated": Overwrite(False),
        "steps": [],
        "unconfirmed": "",
        "chosen": [],
        "missing": {},
    }
    step = Step(id="select", kind="select", question=state["question"])
    if not reader.levels:
        step |= {"title": "Select communities", "reason": "the index has no communities"}
        return update | {"notes": Overwrite([step])}
    level = deepest(reader, GlobalSettings.of(run.settings).level)
    step["title"] = f"Select the communities at level {level}"
    found = await communities_at(run, reader, level)
    plan, facts = await plan_reading(run, reader, found, reports=state.get("published", False))
    return update | plan | {"notes": Overwrite([{**step, "facts": facts}])}


def next_tasks(state: GlobalState) -> list[Send] | Literal["divide"]:
    """Have missing reports written; tasks run side by side."""
    return [
        Send("write", ReportTask(run=state["run"], community=name, most=most))
        for name, most in state["missing"].items()
    ] or "divide"


def deepest(reader: CommunityIndex, level: int | None) -> int:
    """The level that a setting means: the deepest without a level, or beyond the last."""
    last = reader.levels - 1
    return last if level is None else min(level, last)


async def communities_at(run: Run, reader: CommunityIndex, level: int) -> list[Community]:
    """The communities of a level that are in a passage that the run may find."""
    found, allowed = reader.at(level), await run.allowed()
    if allowed is None:
        return found
    held = await passages_in(run, found, allowed)
    return [community for community in found if held[community.id]]


async def plan_reading(
    run: Run, reader: CommunityIndex, found: Sequence[Community], *, reports: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """The communities to read, and the reports to write for that; and what the step says.

    Small communities, and those beyond `global.most_reports`, are read as excerpts.

    Args:
        found: Those that were selected. Those in most passages come first.
        reports: Whether only reports are read, as published, and no excerpts.
    """
    ranked = sorted(found, key=lambda community: (-community.passages, community.id))
    most = GlobalSettings.of(run.settings).most_reports
    without = [community for community in ranked if reader.report(community.id) is None]
    short = set() if reports else await short_communities(run, without)
    long = [community.id for community in without if community.id not in short]
    missing, beyond = long[:most], {*long[most:]}
    unwritten = [
        community.id for community in without if community.id in short or community.id in beyond
    ]
    room = 0 if reports else _EXCERPT_WINDOWS * window_of(run.settings)
    excerpts = await excerpts_within(run, unwritten, room)
    left_out = {*unwritten}.difference(excerpts)
    plans = await asyncio.to_thread(_plans, await run.index(), missing, run.settings)
    planned = {name: max(1, plan.calls) for name, plan in plans.items()}
    total = sum(planned.values())
    facts = {"communities": str(len(ranked)), "reports to write": str(total)}
    if total > len(planned):
        facts["of parts"] = str(total - len(planned))
    if excerpts:
        facts["excerpts"] = str(len(excerpts))
    if left_out:
        facts["left out"] = str(len(left_out))
    chosen = [community.id for community in ranked if community.id not in left_out]
    return {"chosen": chosen, "missing": planned}, facts


async def short_communities(run: Run, communities: Sequence[Community]) -> set[str]:
    """The ids of those of some communities that are read as they are, without a report."""
    elements = await elements_of(run)
    return await asyncio.to_thread(
        lambda: {community.id for community in communities if is_short(community, elements)}
    )


def _plans(index: Index, names: Sequence[str], settings: Context) -> dict[str, Plan]:
    """The reports to be written for some communities. It reads passages, so it may block.

    Each community gets its own report. The rest of `global.most_reports`, and of the budget, goes
    to the parts of the first communities.

    Args:
        names: Ids of communities, the most important first.
    """
    budget, tokens = writing_budget(settings.budget), writing.limits_of(settings).tokens
    most = GlobalSettings.of(settings).most_reports
    most = min(most, budget.calls or most, -(-(budget.tokens or 0) // tokens) or most)
    spare, plans = max(0, most - len(names)), dict[str, Plan]()
    for name in names:
        plans[name] = on_demand.planned(index, name, settings, 1 + spare)
        spare -= max(0, plans[name].calls - 1)
    return plans


async def estimate_calls(run: Run) -> int:
    """The calls of a question: for reports to write, for map calls, and the closing call."""
    return await _calls(run) + bool(traits_of(run.settings).global_passages)


async def estimate_published_calls(run: Run) -> int:
    """The same for GraphRAG as published, which writes all reports and reads no passage."""
    return await _calls(run, reports=True)


async def _calls(run: Run, *, reports: bool = False) -> int:
    reader, window = await communities_of(run), window_of(run.settings)
    level = deepest(reader, GlobalSettings.of(run.settings).level)
    found = await communities_at(run, reader, level) if reader.levels else []
    plan, _ = await plan_reading(run, reader, found, reports=reports)
    there = [name for name in plan["chosen"] if name not in plan["missing"]]
    tokens: int = sum(map(report_tokens, await readable_reports(run, there, {})))
    tokens += LONGEST_EXCERPT * len(plan["missing"])
    calls: int = sum(plan["missing"].values()) - (-tokens // window) + 1
    return calls
