"""Choose the communities nearest to the question, whose reports the primer reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community
from hopyard.nodes.global_search.reports import communities_of
from hopyard.nodes.global_search.select import about, communities_at, deepest, nearest_first
from hopyard.nodes.local_search.linking import entities_of_passages, query_of
from hopyard.nodes.run import Run, run_of
from hopyard.state.drift import DriftSettings, DriftState
from hopyard.state.global_search import ReportTask
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings import Context

__all__ = ("rank_communities", "report_tasks", "select")

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
    missing = [name for name in chosen if reader.report(name) is None]
    step = Step(id="select", kind="select", title="Select the nearest reports", question=question)
    step["facts"] = {"communities": str(len(chosen)), "reports to write": str(len(missing))}
    step["reason"] = how
    return {
        "chosen": chosen,
        "missing": missing,
        "asked": [],
        "following": [],
        "round": 0,
        "proposals": Overwrite([]),
        "written": Overwrite({}),
        "points": Overwrite([]),
        "notes": Overwrite([step]),
        "truncated": Overwrite(False),
        "steps": [],
        "unconfirmed": "",
    }


def report_tasks(state: DriftState) -> list[Send] | Literal["primer"]:
    """Have missing reports written; tasks run side by side."""
    return [
        Send("write", ReportTask(run=state["run"], community=name)) for name in state["missing"]
    ] or "primer"


async def _nearest(run: Run, reader: CommunityIndex, question: str) -> tuple[list[str], str]:
    """The ids of the nearest communities, the nearest first, and how they were found."""
    settings = DriftSettings.of(run.settings)
    level = deepest(reader, settings.level)
    found = await communities_at(run, reader, level)
    reported = [community for community in found if reader.report(community.id)]
    if 2 * len(reported) > len(found):
        reported.sort(key=lambda community: (-community.passages, community.id))
        ranked = await nearest_first(run, question, reported, partial(about, reader))
        names, how = [community.id for community in ranked], "by their titles and summaries"
    else:
        entities = await _entities(run, question)
        names = rank_communities(entities, found)
        how = f"by the entities of the question and of the nearest {_PASSAGES} passages"
    return names[: settings.reports], f"level {level}, {how}"


async def _entities(run: Run, question: str) -> list[int]:
    """The entities that the question names, then those of the nearest passages."""
    query = await query_of(run, question)
    found = await run.find(question, k=_PASSAGES, method="dense", step="select")
    standing = entities_of_passages(query.graph, passage_ids(found))
    return list(dict.fromkeys([*query.named(), *standing]))


def rank_communities(entities: Sequence[int], communities: Sequence[Community]) -> list[str]:
    """The ids of the communities that hold some entities, by the sum of their reciprocal ranks.

    A large community does not win by its size alone: the first entity weighs 1, the tenth 0.1.

    Args:
        entities: Rows of entities, the nearest first.
        communities: Communities of one level.
    """
    ranks: Mapping[int, int] = {entity: rank for rank, entity in enumerate(entities, 1)}
    scores = {
        community.id: sum(1 / ranks[entity] for entity in community.entities if entity in ranks)
        for community in communities
    }
    return sorted((name for name in scores if scores[name]), key=lambda name: -scores[name])
