"""The part of the communities that a caller may read.

A report was written from all that its community's entities stand for. So a caller who may not read
one of their passages does not get it: a question has another report written from the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.communities.building import described
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.pairs import pair_weights
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.graph.readable import ReadableGraph

_ELEMENT: Final = re.compile(r"([RSC])(\d+)")


class ReadableCommunities(CommunityIndex):
    """A part of the communities.

    Args:
        whole: The communities of all entities.
        graph: The graph of all passages.
        part: The part of it that the caller may read.
    """

    def __init__(self, whole: CommunityIndex, graph: EntityGraph, part: ReadableGraph) -> None:
        self._all_leaves = whole._leaves
        hierarchy = whole.files.hierarchy
        shown = part.passages_with > 0
        members = _only(hierarchy.members, shown, np.int32)
        partitions = [hierarchy.partition(level) for level in range(hierarchy.levels)]
        passages, titles = described(part, pair_weights(part), partitions)
        files = replace(whole.files, members=members, passages=passages, titles=titles)
        # The entities that are only in passages that the caller may read.
        same = graph.passages_with == part.passages_with
        reports = {
            name: _renumbered(report, part)
            for name, report in whole.reports.items()
            if same[hierarchy.members[whole.rows[name]]].all()
        }
        super().__init__(files, reports)

    def at(self, level: int) -> list[Community]:
        """See `CommunityIndex.at`. Those without a readable entity are left out."""
        return [community for community in super().at(level) if community.entities]

    @property
    def _leaves(self) -> NDArray[np.int64]:
        return self._all_leaves

    @cached_property
    def _children(self) -> Ragged:
        every = CommunityIndex._children.func(self)  # type: ignore[attr-defined]
        return _only(every, self.files.hierarchy.members.lengths > 0, np.int64)


def _only(rows: Ragged, shown: NDArray[np.bool_], dtype: DTypeLike) -> Ragged:
    """Rows of numbers without those that are not shown."""
    return Ragged.of((row[shown[row]] for row in map(rows.__getitem__, range(len(rows)))), dtype)


def _renumbered(report: Report, part: ReadableGraph) -> Report:
    def here(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            f"{found[1]}{part.rows[found[1]][int(found[2])]}"
            if (found := _ELEMENT.fullmatch(name))
            else name
            for name in names
        )

    findings = tuple(
        finding.model_copy(update={"elements": here(finding.elements)})
        for finding in report.findings
    )
    return report.model_copy(update={"findings": findings, "read": here(report.read)})
