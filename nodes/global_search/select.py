"""Choose the communities whose reports are read: those of a level."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.nodes.global_search.plan import communities_at, deepest, plan_reading, writing_tasks
from hopyard.nodes.global_search.reports import communities_of
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.run import run_of
from hopyard.state.global_search import GlobalSettings, GlobalState
from hopyard.state.schemas import Step, StrategyInput
from hopyard.state.settings.fields import Context

__all__ = ("next_tasks", "select", "start_published")


async def start_published(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a run that reads reports alone."""
    return {**await start_run(state, runtime), "published": True}


async def select(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the communities of the level.

    Raises:
        IndexMissingError: The index has no communities; nothing has been spent by then.
    """
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
    """Have reports written; tasks run side by side."""
    return writing_tasks(state) or "divide"
