"""Choose the communities whose reports are read: those of a level, or the relevant ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community
from hopyard.nodes.global_search.reading import excerpts_within, is_short
from hopyard.nodes.global_search.reports import (
    communities_of,
    elements_of,
    passages_in,
    plan_missing,
)
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line, snippet
from hopyard.prompts.strategies.global_rating import community_lines, rate_prompt
from hopyard.state.global_search import (
    UNRATED,
    GlobalSettings,
    GlobalState,
    RateTask,
    ReportTask,
    rate_id,
)
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context, Profile, profile_of
from hopyard.state.text.counting import counted

__all__ = (
    "about",
    "children_to_rate",
    "communities_at",
    "deepest",
    "descend",
    "nearest_first",
    "next_tasks",
    "rate",
    "relevant",
    "reports_to_write",
    "select",
    "short_communities",
    "writing_tasks",
)

_SELECT: Final = "select"
_RATED_AT_ONCE: Final[Mapping[Profile, int]] = {"builtin": 8, "small": 8, "capable": 25}
"""Communities that one call rates."""
_LONGEST: Final = 300
"""Characters of a community in the rating's prompt."""
_COMPARED: Final = 500
"""Communities whose titles are compared with the question, the largest."""


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
        frontier = _batches(roots, profile_of(run.settings))
        return update | {"frontier": frontier, "notes": Overwrite([step])}
    step["title"] = f"Select the communities at level {level}"
    plan, facts = await _plan(
        run, reader, state["question"], await communities_at(run, reader, level)
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
    least = GlobalSettings.of(run.settings).min_rating
    helpful = sum(rating >= least for rating in ratings.values())
    step["facts"] = {"rating": f"{helpful} of {len(names)} reach {least}"}
    step["judge"] = run.settings.model
    return {"ratings": ratings, "notes": [step]}


async def descend(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Go on to the children of relevant communities, or end the selection."""
    run = await run_of(state, runtime)
    settings, reader = GlobalSettings.of(run.settings), await communities_of(run)
    last = [name for batch in state["frontier"] for name in batch]
    if not state["truncated"]:
        level = deepest(reader, settings.level)
        following = children_to_rate(reader, state["ratings"], last, level, settings.min_rating)
        allowed = {found.id for found in await _with_allowed(run, reader, following)}
        following = [name for name in following if name in allowed]
        if following:
            return {"frontier": _batches(following, profile_of(run.settings))}
    names = relevant(reader, state["ratings"], settings.min_rating)
    found = [reader.community(name) for name in names]
    plan, facts = await _plan(run, reader, state["question"], found, state["ratings"])
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
    reader: CommunityIndex, ratings: Mapping[str, int], last: Sequence[str], level: int, least: int
) -> list[str]:
    """The communities to rate after some others, down to a level.

    These are the children of relevant communities. While no community at all was relevant, all
    communities of the next level are rated, as in the published tool: a large community's title may
    hide what a part of it is about.

    Args:
        reader: The communities.
        ratings: All ratings so far.
        last: The communities rated last.
        level: The deepest level.
        least: Least rating of a relevant community.
    """
    rated = [reader.community(name) for name in last]
    above = [community for community in rated if community.level < level]
    if any(rating == UNRATED or rating >= least for rating in ratings.values()):
        above = [community for community in above if ratings[community.id] >= least]
    return [child for community in above for child in community.children]


def relevant(reader: CommunityIndex, ratings: Mapping[str, int], least: int) -> list[str]:
    """The relevant communities without a relevant child, and those that could not be rated."""
    kept = {name for name, rating in ratings.items() if rating == UNRATED or rating >= least}
    return [
        name for name in ratings if name in kept and not kept & {*reader.community(name).children}
    ]


async def _plan(
    run: Run,
    reader: CommunityIndex,
    question: str,
    found: Sequence[Community],
    ratings: Mapping[str, int] | None = None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """The communities to read, and the reports to write for that; and what the step says."""
    settings = GlobalSettings.of(run.settings).for_profile(profile_of(run.settings))
    ranked = sorted(found, key=lambda community: (-community.passages, community.id))
    if settings.order == "relevance":
        ranked = await nearest_first(run, question, ranked, lambda community: community.title)
    given = ratings or {}
    ranked.sort(key=lambda community: -given.get(community.id, 0))
    without = [community for community in ranked if reader.report(community.id) is None]
    short = await short_communities(run, without) if settings.excerpts else set()
    long = [community.id for community in without if community.id not in short]
    missing, beyond = long[: settings.most_reports], {*long[settings.most_reports :]}
    unwritten = [one.id for one in without if one.id in short or one.id in beyond]
    excerpts = await excerpts_within(run, unwritten, settings.excerpts)
    left_out = {*unwritten}.difference(excerpts)
    planned = await plan_missing(run, missing)
    facts = {"communities": str(len(ranked)), **reports_to_write(planned)}
    if excerpts:
        facts["excerpts"] = str(len(excerpts))
    if left_out:
        facts["left out"] = str(len(left_out))
    chosen = [community.id for community in ranked if community.id not in left_out]
    return {"chosen": chosen, "missing": planned}, facts


def reports_to_write(planned: Mapping[str, int]) -> dict[str, str]:
    """What a step says of the reports that are written: how many, and how many for parts."""
    total = sum(planned.values())
    below = {"of parts": str(total - len(planned))} if total > len(planned) else {}
    return {"reports to write": str(total), **below}


def writing_tasks(state: Mapping[str, Any]) -> list[Send]:
    """Have missing reports written; tasks run side by side."""
    return [
        Send("write", ReportTask(run=state["run"], community=name, most=most))
        for name, most in state["missing"].items()
    ]


async def short_communities(run: Run, communities: Sequence[Community]) -> set[str]:
    """The ids of those of some communities that are read as they are, without a report."""
    elements = await elements_of(run)
    return await asyncio.to_thread(
        lambda: {one.id for one in communities if is_short(one, elements)}
    )


async def nearest_first(
    run: Run, question: str, ranked: Sequence[Community], text: Callable[[Community], str]
) -> list[Community]:
    """The communities whose texts are most similar to the question first.

    Args:
        run: The run, with the embedding model.
        question: The question.
        ranked: Communities. Only the first 500 are compared; the others follow them.
        text: The text of a community.
    """
    compared, others = ranked[:_COMPARED], ranked[_COMPARED:]
    embedder = await asyncio.to_thread(run.resources.embedder, await run.embedding())
    vectors = await asyncio.to_thread(embedder.embed_documents, list(map(text, compared)))
    cosines = (vectors @ await run.embed(question)).tolist()
    order = sorted(range(len(compared)), key=lambda place: -cosines[place])
    return [*(compared[place] for place in order), *others]


async def communities_at(run: Run, reader: CommunityIndex, level: int) -> list[Community]:
    """The communities of a level that stand in a passage that the run may find.

    Args:
        run: The run.
        reader: The communities.
        level: The level, which the index has.
    """
    return await _with_allowed(run, reader, [found.id for found in reader.at(level)])


async def _with_allowed(run: Run, reader: CommunityIndex, names: Sequence[str]) -> list[Community]:
    found = [reader.community(name) for name in names]
    allowed = await run.allowed()
    if allowed is None:
        return found
    held = await passages_in(run, found, allowed)
    return [community for community in found if held[community.id]]


def about(reader: CommunityIndex, community: Community) -> str:
    """The title and summary of a community's report, or the community's title; cut if long."""
    report = reader.report(community.id)
    text = f"{report.title}: {report.summary}" if report else community.title
    return snippet(text, _LONGEST)


def deepest(reader: CommunityIndex, level: int) -> int:
    """The level that a setting means: the deepest for -1, and for a level that is not there."""
    return reader.levels - 1 if level < 0 else min(level, reader.levels - 1)


def _batches(names: Sequence[str], profile: Profile) -> list[list[str]]:
    size = _RATED_AT_ONCE[profile]
    return [list(names[start : start + size]) for start in range(0, len(names), size)]
