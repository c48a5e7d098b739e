"""What the reports of a level would cost, before a question asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.nodes.global_search.reading import is_short
from hopyard.nodes.global_search.reports import plans_within
from hopyard.state.global_search import GlobalSettings
from hopyard.state.settings.fields import Context

__all__ = ("LevelEstimate", "estimate_level")


@dataclass(frozen=True)
class LevelEstimate:
    """The reports that a global question about a level has written, if none is kept yet."""

    reports: int
    parts: int
    """Those of them that are about parts of communities that do not fit."""
    input_tokens: int
    """What their prompts show, about."""
    short: int
    """Communities that are read as they are."""
    left_out: int
    """Communities beyond `global_search.most_reports`."""


def estimate_level(index: Index, level: int, settings: Context) -> LevelEstimate:
    """Plan the reports of a level as `global` does. It reads passages, so it may block.

    Raises:
        UsageError: The index does not have the level.
        IndexMissingError: The index has no communities or no entity graph.
    """
    communities: CommunityIndex = index.reader("communities")
    elements, own = elements_of(index), GlobalSettings.of(settings)
    without = [one for one in communities.at(level) if communities.report(one.id) is None]
    long = [one for one in without if not (own.excerpts and is_short(one, elements))]
    long.sort(key=lambda one: (-one.passages, one.id))
    names = [one.id for one in long[: own.most_reports]]
    plans = [plan for plan in plans_within(index, names, settings).values() if plan.calls]
    reports = sum(plan.calls for plan in plans)
    return LevelEstimate(
        reports=reports,
        parts=reports - len(plans),
        input_tokens=sum(plan.input_tokens for plan in plans),
        short=len(without) - len(long),
        left_out=len(long) - len(names),
    )
