"""The reports about all communities, which a build with `communities.reports=all` has written.

Reports are written level by level, the leaves first, because a higher community may show reports of
its sub-communities. Each is kept by the hash of what its prompt showed. So a build pays only for
communities that show something else than before, and a killed build continues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.index import Index
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import (
    Report,
    ReportCounts,
    ReportStore,
    WrittenReport,
)
from hopyard.indexes.kinds.communities.writing import (
    Limits,
    Material,
    ReportWriter,
    elements_of,
    material_of,
    report_from,
    report_without_call,
)
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.indexes.written.store import FAILED, Written
from hopyard.indexes.written.writer import count_texts, open_texts, write_missing


async def write_reports(
    context: BuildContext,
    communities: CommunityIndex,
    elements: Elements,
    limits: Limits,
    last: ReportCounts,
) -> tuple[Mapping[str, Report], ReportCounts]:
    """Write the reports that are missing, and give those of all communities.

    A build without a model takes what is kept. When a budget is used up, the levels above get the
    reports that are kept too, because what they would show is not complete.

    Args:
        last: The counts of the last generation.

    Returns:
        The reports, by the id of their community, without those that failed; and their counts.
    """
    async with open_texts(context, ReportStore, last) as store:
        before = await in_thread(store.authors)
        levels = _Levels(context, communities, elements, limits, store)
        for level in reversed(range(communities.levels)):
            await levels.write(level)
        hashes, rows = levels.hashes.values(), levels.rows
        found = [rows[key] for key in hashes if key in rows]
        counts = await count_texts(
            context,
            store,
            last,
            hashes,
            rows,
            written=len(levels.reports),
            rewritten=sum(key in rows and before.get(key) != rows[key].author for key in hashes),
            unknown_elements=sum(row.content.unknown for row in found),
            unsupported_findings=sum(row.content.unsupported for row in found),
        )
    return levels.reports, counts


@dataclass
class _Levels:
    """The reports of the levels so far, the last level first."""

    context: BuildContext
    communities: CommunityIndex
    elements: Elements
    limits: Limits
    store: ReportStore
    reports: dict[str, Report] = field(default_factory=dict)
    """By the id of the community."""
    rows: dict[str, Written[WrittenReport]] = field(default_factory=dict)
    """Their rows in the store, by the hash of the prompt."""
    hashes: dict[str, str] = field(default_factory=dict)
    """The key of each community's row, also where there is no row."""
    _complete: bool = True

    async def write(self, level: int) -> None:
        """Write the reports of one level."""
        context, materials = self.context, await in_thread(self._materials, level)
        alone = {name: report_without_call(material) for name, material in materials.items()}
        self.reports |= {name: report for name, report in alone.items() if report is not None}
        hashes = {
            name: material.content_hash
            for name, material in materials.items()
            if alone[name] is None
        }
        if self._complete and context.options.open_caller is not None:
            writer, total = ReportWriter(context.options.settings), len(self.communities)
            await write_missing(
                context, self.store, writer, hashes, materials.__getitem__, total=total
            )
        rows = await in_thread(self.store.written, hashes.values())
        self._complete = self._complete and rows.keys() >= {*hashes.values()}
        self.hashes |= hashes
        self.rows |= rows
        self.reports |= {
            name: report_from(rows[key].content, materials[name])
            for name, key in hashes.items()
            if key in rows and rows[key].outcome != FAILED
        }

    def _materials(self, level: int) -> dict[str, Material]:
        own = [community for community in self.communities.at(level) if community.level == level]
        return {
            community.id: material_of(community, self.elements, self.limits, self.reports)
            for community in own
        }


async def estimate(index_directory: Path, options: BuildOptions, limits: Limits) -> Estimate:
    """Estimate what the reports about the communities of an index would cost (`estimate_writing`).

    The communities of a corpus are known only when its graph is built. So the estimate is about the
    present generation, and each community is shown like a leaf.

    Args:
        index_directory: The index directory, which has communities.
    """
    materials = await in_thread(_present_materials, index_directory, limits)
    writer = ReportWriter(options.settings)
    return await estimate_writing(writer, materials, index_directory, options)


def _present_materials(index_directory: Path, limits: Limits) -> Sequence[Material]:
    with Index.open(index_directory) as index:
        communities, elements = index.reader("communities"), elements_of(index)
        every = map(communities.community, communities.ids)
        materials = (material_of(community, elements, limits) for community in every)
        return [material for material in materials if not material.only]
