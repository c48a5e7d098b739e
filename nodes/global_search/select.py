"""Choose the communities whose reports are read: those of a level, or the relevant communities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community
from hopyard.nodes.global_search.plan import (
    communities_at,
    deepest,
    plan_reading,
    with_allowed,
    writing_tasks,
)
from hopyard.nodes.global_search.reports import communities_of
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.run import run_of
from hopyard.prompts.passages import one_line, snippet
from hopyard.prompts.strategies.global_rating import community_lines, rate_prompt
from hopyard.prompts.traits import traits_of
from hopyard.state.global_search import (
    UNRATED,
    GlobalSettings,
    GlobalState,
    RateTask,
    rate_id,
)
from hopyard.state.schemas import Step, StrategyInput
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

__all__ = (
    "about",
    "children_to_rate",
    "descend",
    "next_tasks",
    "rate",
    "relevant",
    "select",
    "start_published",
)

_SELECT: Final = "select"
MIN_RATING: Final = 2
"""Least rating (0 to 5) of a relevant community."""
_LONGEST: Final = 300
"""Characters of a community in the rating's prompt."""


async def start_published(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a run that reads reports alone."""
    return {**await start_run(state, runtime), "published": True}


async def select(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the communities of the level, or begin to rate them from the root down.

    Raises:
        IndexMissingError: The index has no communities; nothing has been spent by then.
    """
    run = await run_of(state, runtime)
    settings, reader = GlobalSettings.of(run.settings), await communities_of(run)
    update: dict[str, Any] = {
        "frontier": [],
        "ratings": Overwrite({}),
        "written": Overwrite({}),
        "points": Overwrite([]),
        "notes": Overwrite([]),
        "truncated": Overwrite(False),
        "steps": [],
        "unconfirmed": "",
        "chosen": [],
        "missing": {},
    }
    step = Step(id=_SELECT, kind="select", question=state["question"])
    if not reader.levels:
        step |= {"title": "Select communities", "reason": "the index has no communities"}
        return update | {"notes": Overwrite([step])}
    level = deepest(reader, settings.level)
    if settings.dynamic:
        step["title"] = f"Rate the communities from the root down to level {level}"
        roots = [community.id for community in await communities_at(run, reader, 0)]
        frontier = _batches(roots, run.settings)
        return update | {"frontier": frontier, "notes": Overwrite([step])}
    step["title"] = f"Select the communities at level {level}"
    plan, facts = await plan_reading(
        run, reader, await communities_at(run, reader, level), reports=state.get("published", False)
    )
    return update | plan | {"notes": Overwrite([{**step, "facts": facts}])}


async def rate(state: RateTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Rate some communities by what they are about, in one call.

    Communities that cannot be rated are kept, and the descent ends at them.
    """
    run, names = await run_of(state, runtime), state["communities"]
    reader = await communities_of(run)
    step = Step(
        id=rate_id(names),
        kind="rate",
        parent=_SELECT,
        title=f"Rate {counted(len(names), 'community')}",
    )
    texts = [about(reader, reader.community(name)) for name in names]
    values = {"question": one_line(state["question"]), "communities": community_lines(texts)}
    attempt = await run.try_call(rate_prompt(len(names)), values, step=step["id"])
    output = attempt.output
    if output is None:
        return {
            "ratings": dict.fromkeys(names, UNRATED),
            "notes": [attempt.mark(step)],
            "truncated": attempt.truncated,
        }
    ratings = dict(zip(names, output.ratings, strict=True))
    helpful = sum(rating >= MIN_RATING for rating in ratings.values())
    step["facts"] = {"rating": f"{helpful} of {len(names)} reach {MIN_RATING}"}
    step["judge"] = run.settings.model
    return {"ratings": ratings, "notes": [step]}


async def descend(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Rate the children of relevant communities next, or end the selection."""
    run = await run_of(state, runtime)
    reader = await communities_of(run)
    last = [name for batch in state["frontier"] for name in batch]
    if not state["truncated"]:
        level = deepest(reader, GlobalSettings.of(run.settings).level)
        following = children_to_rate(reader, state["ratings"], last, level)
        if allowed := [found.id for found in await with_allowed(run, reader, following)]:
            return {"frontier": _batches(allowed, run.settings)}
    found = [reader.community(name) for name in relevant(reader, state["ratings"])]
    plan, facts = await plan_reading(
        run, reader, found, state["ratings"], reports=state.get("published", False)
    )
    facts = {"rated": str(len(state["ratings"])), **facts}
    step = Step(id="relevant", kind="select", title="Keep the relevant communities", facts=facts)
    return {"frontier": [], **plan, "notes": [step]}


def next_tasks(state: GlobalState) -> list[Send] | Literal["divide"]:
    """Rate communities, or have reports written; tasks run side by side."""
    if state["frontier"]:
        return [
            Send("rate", RateTask(run=state["run"], question=state["question"], communities=batch))
            for batch in state["frontier"]
        ]
    return writing_tasks(state) or "divide"


def children_to_rate(
    reader: CommunityIndex, ratings: Mapping[str, int], last: Sequence[str], level: int
) -> list[str]:
    """The communities to rate after some others, down to a level.

    These are the children of relevant communities. While no community at all was relevant, all
    communities of the next level are rated, as in the published tool: a large community's title may
    hide what a part of it is about.
    """
    rated = [reader.community(name) for name in last]
    above = [community for community in rated if community.level < level]
    if any(rating == UNRATED or rating >= MIN_RATING for rating in ratings.values()):
        above = [community for community in above if ratings[community.id] >= MIN_RATING]
    return [child for community in above for child in community.children]


def relevant(reader: CommunityIndex, ratings: Mapping[str, int]) -> list[str]:
    """The relevant communities without a relevant child, and those that could not be rated."""
    kept = {name for name, rating in ratings.items() if rating == UNRATED or rating >= MIN_RATING}
    return [
        name for name in ratings if name in kept and not kept & {*reader.community(name).children}
    ]


def about(reader: CommunityIndex, community: Community) -> str:
    """The title and summary of a community's report, or the community's title; cut if long."""
    report = reader.report(community.id)
    text = f"{report.title}: {report.summary}" if report else community.title
    return snippet(text, _LONGEST)


def _batches(names: Sequence[str], settings: Context) -> list[list[str]]:
    size = traits_of(settings).global_ratings
    return [list(names[start : start + size]) for start in range(0, len(names), size)]
