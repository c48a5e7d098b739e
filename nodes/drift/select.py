"""Choose the communities nearest to the question, whose reports the primer reads."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community
from hopyard.nodes.global_search.plan import (
    communities_at,
    deepest,
    plan_missing,
    reports_to_write,
    short_communities,
    writing_tasks,
)
from hopyard.nodes.global_search.reports import communities_of
from hopyard.nodes.global_search.select import about
from hopyard.nodes.local_search.linking import query_of
from hopyard.nodes.run import Run, run_of
from hopyard.state.drift import DriftState
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context

__all__ = ("rank_communities", "report_tasks", "select")

LEVEL: Final = 2
"""Level of the communities whose reports are read (published tool)."""
MOST_REPORTS: Final = 5
"""Reports that the first call reads, if they fit (published tool: 20, in 5 calls)."""
_COMPARED: Final = 500
"""Communities whose reports are compared with the question: those in most passages."""
_PASSAGES: Final = 20
"""Passages nearest to the question whose entities choose communities."""


async def select(state: DriftState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Choose the communities of one level that are nearest to the question.

    Raises:
        IndexMissingError: The index has no communities or no vectors; nothing has been spent by
            then.
    """
    run, question = await run_of(state, runtime), state["question"]
    reader = await communities_of(run)
    chosen, how = await _nearest(run, reader, question) if reader.levels else ([], "no communities")
    missing = await plan_missing(run, await _missing(run, reader, chosen))
    step = Step(id="select", kind="select", title="Select the nearest reports", question=question)
    step["facts"] = {"communities": str(len(chosen)), **reports_to_write(missing)}
    step["reason"] = how
    return {
        "chosen": chosen,
        "missing": missing,
        "asked": [],
        "following": [],
        "round": 0,
        "primed": [],
        "looked_at": Overwrite([]),
        "proposals": Overwrite([]),
        "written": Overwrite({}),
        "points": Overwrite([]),
        "notes": Overwrite([step]),
        "truncated": Overwrite(False),
        "steps": [],
        "unconfirmed": "",
    }


async def _missing(run: Run, reader: CommunityIndex, chosen: Sequence[str]) -> list[str]:
    """Those whose reports are to be written: small communities are read as they are."""
    without = [reader.community(name) for name in chosen if reader.report(name) is None]
    short = await short_communities(run, without)
    return [community.id for community in without if community.id not in short]


def report_tasks(state: DriftState) -> list[Send] | Literal["primer"]:
    """Have missing reports written; tasks run side by side."""
    return writing_tasks(state) or "primer"


async def _nearest(run: Run, reader: CommunityIndex, question: str) -> tuple[list[str], str]:
    """The ids of the nearest communities, the nearest first, and how they were found."""
    level = deepest(reader, LEVEL)
    found = await communities_at(run, reader, level)
    reported = [community for community in found if reader.report(community.id)]
    if 2 * len(reported) > len(found):
        reported.sort(key=lambda community: (-community.passages, community.id))
        ranked = await _nearest_first(run, question, reported, reader)
        names, how = [community.id for community in ranked], "by their titles and summaries"
    else:
        names = rank_communities(await _groups(run, question), found)
        how = f"by the entities of the question and of the nearest {_PASSAGES} passages"
    return names[:MOST_REPORTS], f"level {level}, {how}"


async def _nearest_first(
    run: Run, question: str, ranked: Sequence[Community], reader: CommunityIndex
) -> list[Community]:
    """The communities whose titles and summaries are most similar to the question first."""
    texts = [about(reader, community) for community in ranked[:_COMPARED]]
    embedder = await asyncio.to_thread(run.resources.embedder, await run.embedding())
    vectors = await asyncio.to_thread(embedder.embed_documents, texts)
    cosines = (vectors @ await run.embed(question)).tolist()
    order = sorted(range(len(texts)), key=lambda place: -cosines[place])
    return [*(ranked[place] for place in order), *ranked[_COMPARED:]]


async def _groups(run: Run, question: str) -> list[list[int]]:
    """The entities that the question names, then those of each passage, the nearest first."""
    query = await query_of(run, question)
    found = await run.find(question, k=_PASSAGES, method="dense", step="select")
    rows = [query.graph.passage_rows[name] for name in passage_ids(found)]
    standing = [query.graph.entities_in[[row]].indices.tolist() for row in rows]
    named = [link.entity for link in query.names().links]
    return [group for group in (named, *standing) if group]


def rank_communities(
    groups: Sequence[Collection[int]], communities: Sequence[Community]
) -> list[str]:
    """The ids of the communities that hold entities of some groups, the nearest first.

    The n-th group gives 1/n, which its communities share by the entities that they hold.

    Args:
        groups: Rows of entities that belong together, such as those of a passage, each with one or
            more entities. The nearest group comes first.
        communities: Communities of one level.
    """
    of_entity = {entity: community.id for community in communities for entity in community.entities}
    scores: defaultdict[str, float] = defaultdict(float)
    for place, group in enumerate(groups, 1):
        for entity in group:
            if entity in of_entity:
                scores[of_entity[entity]] += 1 / place / len(group)
    return sorted(scores, key=lambda name: -scores[name])
