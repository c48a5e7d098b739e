"""Building the communities of a generation: cluster the entity graph, and write reports if asked.

The graph is clustered again by each build, which takes seconds. An update starts from the last
communities, so its communities depend on the updates before it; a build of the whole index clusters
from scratch. A model's reports are kept by their content, so a build pays only for communities
whose content changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.communities import CommunitySettings, reports
from hopyard.indexes.kinds.communities.clustering import (
    cluster,
    cluster_again,
    modularity,
    partitions_before,
)
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityFiles, CommunityIndex, save_reports
from hopyard.indexes.kinds.communities.pairs import best_connected, pair_weights
from hopyard.indexes.kinds.communities.records import (
    COMMUNITIES_VERSION,
    CommunityStats,
    MadeWith,
    Report,
    ReportCounts,
)
from hopyard.indexes.kinds.communities.writing import Limits, ReportWriter, limits_of
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.state.errors import IndexMissingError

_LABELS: Final = 3
"""Labels in the title of a community without a report."""


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether `build` would write the same files for the same entity graph."""
    last = CommunityStats.find(directory)
    if last is None or last.made_with != made_with(options, last):
        return False
    return last.made_with.reports == "on-demand" or ReportWriter(options.settings).has_finished(
        last.written, options
    )


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """With communities.reports=all, ask about a few communities of the present index.

    With on-demand, the build asks no model.
    """
    del passages
    last = await in_thread(CommunityStats.of_index, index_directory, "communities")
    made = made_with(options, last)
    if made.reports == "on-demand":
        return Estimate("", basis="communities.reports=on-demand writes no report while building")
    if last is None:
        return Estimate(
            "",
            basis="communities are known when the entity graph is built; build it with "
            "communities.reports=on-demand, then ask again",
        )
    limits = Limits(made.tokens, made.findings)
    return await reports.estimate(index_directory, options, limits)


async def build(context: BuildContext) -> Mapping[str, int]:
    """Write the communities of the new generation."""
    last = await in_thread(CommunityStats.find, context.previous)
    made = made_with(context.options, last)
    graph = await in_thread(EntityGraph.load, context.built["entity-graph"])
    context.progress("communities", 0, graph.entities)
    goes_on = context.options.keep and last is not None and last.made_with == made
    before = _before(context, graph) if goes_on else ()
    files = await in_thread(communities_of, graph, made, before)
    await in_thread(files.save, context.directory)
    context.progress("communities", graph.entities, graph.entities)
    written: Mapping[str, Report] = {}
    counts = ReportCounts()
    if made.reports == "all":
        written, counts = await reports.write_reports(
            context,
            CommunityIndex(files, {}),
            Elements(graph, context.corpus.get),
            Limits(made.tokens, made.findings),
            last.written if last else counts,
        )
    await in_thread(save_reports, context.directory, written)
    stats = _stats_of(files, made, last, counts, context.options)
    await in_thread(stats.save, context.directory)
    return {"communities": len(files.hierarchy), "reports": len(written)}


def made_with(options: BuildOptions, last: CommunityStats | None) -> MadeWith:
    """The settings of the communities. An update keeps to the settings of the last build."""
    if options.keep and last is not None:
        return last.made_with.model_copy(update={"version": COMMUNITIES_VERSION})
    own = CommunitySettings.of(options.settings)
    limits = limits_of(options.settings) if own.reports == "all" else Limits(0, 0)
    return MadeWith(
        max_size=own.max_size,
        reports=own.reports,
        tokens=limits.tokens,
        findings=limits.findings,
    )


def _before(context: BuildContext, graph: EntityGraph) -> Sequence[NDArray[np.int64]]:
    """The last communities of the entities; none if their files are damaged."""
    if context.previous is None:
        return ()
    try:
        files = CommunityFiles.load(context.previous)
        labels = Ragged.load(context.previous.parent / "entity-graph", "labels", np.uint8)
    except IndexMissingError:
        return ()
    return partitions_before(files.hierarchy, labels, graph.files.labels)


def communities_of(
    graph: EntityGraph, made: MadeWith, before: Sequence[NDArray[np.int64]] = ()
) -> CommunityFiles:
    """Cluster an entity graph, from earlier communities if there are any (`partitions_before`)."""
    weights = pair_weights(graph)
    divide = partial(cluster_again, before=before) if before else cluster
    hierarchy = divide(weights, max_size=made.max_size)
    partitions = [hierarchy.partition(level) for level in range(hierarchy.levels)]
    passages, titles = described(graph, weights, partitions)
    quality = [modularity(weights, partition) for partition in partitions]
    return CommunityFiles(
        hierarchy.level,
        hierarchy.parent,
        hierarchy.members,
        passages,
        titles,
        np.array(quality, np.float64),
    )


def described(
    graph: EntityGraph, weights: sparse.csr_array, partitions: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int32], Ragged]:
    """The number of passages of each community, and the labels of its best connected entities.

    Args:
        partitions: For each level, [e] the row of each entity's community.
    """
    count = max((int(partition.max(initial=-1)) + 1 for partition in partitions), default=0)
    passages = np.zeros(count, np.int32)
    titles = [""] * count
    for partition in partitions:
        _count_passages(graph, partition, passages)
        for row, entities in best_connected(weights, partition, _LABELS).items():
            titles[row] = ", ".join(filter(None, map(graph.label, entities)))
    return passages, Ragged.of_texts(titles)


def _count_passages(
    graph: EntityGraph, partition: NDArray[np.int64], passages: NDArray[np.int32]
) -> None:
    """Count the passages of each community of a partition [e]."""
    mentions = graph.files.mentions
    pairs = np.unique(partition[mentions["entity"]] * len(graph.passage_ids) + mentions["passage"])
    rows, counts = np.unique(pairs // len(graph.passage_ids), return_counts=True)
    passages[rows] = counts


def _stats_of(
    files: CommunityFiles,
    made: MadeWith,
    last: CommunityStats | None,
    counts: ReportCounts,
    options: BuildOptions,
) -> CommunityStats:
    hierarchy = files.hierarchy
    levels = [hierarchy.at(level) for level in range(hierarchy.levels)]
    lengths = hierarchy.members.lengths
    return CommunityStats(
        model=CommunityStats.model_of(options, last) if made.reports == "all" else "",
        made_with=made,
        entities=hierarchy.entities,
        communities=tuple(map(len, levels)),
        modularity=tuple(files.modularity.round(6).tolist()),
        largest=tuple(int(lengths[rows].max()) for rows in levels),
        written=counts,
    )
