"""Build the summary tree: cluster a layer, summarise each cluster, then cluster the summaries.

It ends with a layer of one summary. An addition or removal keeps the clusters (`grown`) and
writes only the summaries above what changed; a build of the whole index clusters from scratch. A
summary is known by what was summarised, so nothing is written twice, and a killed build continues.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage, embedded_text
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.summary_tree import SummaryTreeSettings
from hopyard.indexes.kinds.summary_tree.clustering import (
    DIMENSIONS,
    TOKENS,
    Rows,
    clusters_of,
    grown,
)
from hopyard.indexes.kinds.summary_tree.tree import (
    TREE_VERSION,
    MadeWith,
    Sentence,
    Summary,
    SummaryTree,
    TreeStats,
)
from hopyard.indexes.kinds.summary_tree.writing import (
    Line,
    Material,
    SummaryStore,
    SummaryWriter,
    WrittenSummary,
    sentences_of,
    summary_by_rule,
)
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.indexes.written.stats import WrittenCounts
from hopyard.indexes.written.store import FAILED, Written
from hopyard.indexes.written.writer import count_texts, open_texts, write_missing
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import IndexMissingError
from hopyard.state.extras import require

_MANY: Final = 5, 5, 2
"""Members of a cluster of passages and of one of summaries, in trees with many summaries; and the
clusters for each longest length, since halving leaves clusters that are half as long."""
_FEW: Final = 13, 7, 1
"""The same in trees with few. Ten trees of 239 to 19,694 passages are between the two."""


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether a build with these options would write the same tree."""
    last = TreeStats.find(directory)
    if last is None or last.made_with != _made_with(options, last):
        return False
    if last.updates and not options.keep:
        return False
    return last.made_with.writer == "rule" or SummaryWriter(options.settings).has_finished(
        last.written, options
    )


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """Estimate the calls of a build from scratch; summary_tree.writer=rule makes none.

    Clusters are not known before, so groups of adjacent passages stand for them.
    """
    made = _made_with(options, None)
    if made.writer == "rule":
        return Estimate("", basis="summary_tree.writer=rule asks no model")
    count, tokens = len(passages), sum(passage.tokens for passage in passages)
    most, fewest = (expected_summaries(count, tokens, made.tokens, *each) for each in (_MANY, _FEW))
    size = max(2, math.ceil(count / max(1, most[0])))
    groups = [passages[start : start + size] for start in range(0, count, size)]
    materials = [Material(group[0].id, [*map(_line_of, group)], made.tokens) for group in groups]
    writer = SummaryWriter(options.settings)
    found = await estimate_writing(writer, materials, index_directory, options, expected=sum(most))
    few = f"{sum(fewest):,} to " if fewest < most else ""
    basis = (
        f"{count:,} passages give about {few}{sum(most):,} summaries, and the "
        f"estimate is for {sum(most):,}; {found.details['sampled']} groups of passages were asked "
        f"about, and {found.details['failed']} gave nothing usable"
    )
    return replace(found, basis=basis, details={**found.details, "fewest": sum(fewest)})


def expected_summaries(
    passages: int, tokens: int, longest: int, leaves: int, nodes: int, full: int
) -> list[int]:
    """The summaries of each layer of a tree, from layer 1.

    Args:
        longest: Tokens of a cluster at most.
        leaves: Passages of a cluster.
        nodes: Summaries of a cluster.
        full: Clusters for each `longest` tokens, at least.
    """
    by_length = min(passages // 2, math.ceil(full * tokens / longest))
    layers = [max(by_length, math.ceil(passages / leaves))]
    while layers[-1] > 1:
        layers.append(1 if layers[-1] <= DIMENSIONS + 1 else math.ceil(layers[-1] / nodes))
    return layers


async def build(context: BuildContext) -> Mapping[str, int]:
    """Write the tree of the new generation."""
    require("The index kind summary-tree", "summary-tree")
    last = await in_thread(TreeStats.find, context.previous)
    made = _made_with(context.options, last)
    before = await in_thread(_tree_before, context, last, made)
    leaves = await in_thread(_leaves, context)
    keeps = context.options.keep and before is not None
    building = _Building(context, made, before, keeps=keeps)
    if made.writer == "rule":
        await building.run(leaves, None)
        counts = WrittenCounts()
    else:
        written = last.written if last else WrittenCounts()
        async with open_texts(context, SummaryStore, written) as store:
            await building.run(leaves, store)
            hashes = [summary.key for summary in building.summaries]
            counts = await count_texts(context, store, written, hashes, building.rows)
    tree = building.tree
    await in_thread(tree.save, context.directory)
    known = {summary.key for summary in before.summaries} if before else set()
    stats = TreeStats(
        model=TreeStats.model_of(context.options, last) if made.writer == "model" else "",
        made_with=made,
        passages=len(leaves.ids),
        layers=tuple(len(tree.at(layer)) for layer in range(1, tree.layers + 1)),
        by_rule=building.by_rule,
        rewritten=sum(summary.key not in known for summary in tree.summaries),
        updates=last.updates + 1 if last and keeps else 0,
        written=counts,
    )
    await in_thread(stats.save, context.directory)
    return {"summaries": len(tree.summaries)}


def _made_with(options: BuildOptions, last: TreeStats | None) -> MadeWith:
    """The settings of the tree. An update keeps to those of the last build."""
    vectors = {"embedding": options.embedding, "dimension": options.dimension}
    if options.keep and last is not None:
        return last.made_with.model_copy(update={"version": TREE_VERSION, **vectors})
    writer = SummaryTreeSettings.of(options.settings).writer
    tokens = TOKENS
    if writer == "model":
        tokens = min(TOKENS, traits_of(options.settings).report_tokens)
    return MadeWith(writer=writer, tokens=tokens, **vectors)


def _tree_before(
    context: BuildContext, last: TreeStats | None, made: MadeWith
) -> SummaryTree | None:
    """The last tree, if it was made in the same way and is whole."""
    if context.previous is None or last is None or last.made_with != made:
        return None
    try:
        return SummaryTree.load(context.previous)
    except IndexMissingError:
        return None


@dataclass(frozen=True, eq=False)
class _Layer:
    """The nodes of a layer: passages or summaries."""

    ids: Sequence[str]
    vectors: NDArray[np.float32]
    sizes: Sequence[int]
    """Their tokens."""


def _leaves(context: BuildContext) -> _Layer:
    ids, vectors = context.corpus.vectors(context.options.embedding)
    sizes = {passage.id: passage.tokens for passage in context.corpus.passages()}
    return _Layer(ids, vectors, [sizes[name] for name in ids])


def _line_of(passage: Passage) -> Line:
    return Line(passage.full_title, passage.text, (passage.id,))


@dataclass(eq=False)
class _Building:
    """The layers so far. `run` builds them all."""

    context: BuildContext
    made: MadeWith
    before: SummaryTree | None
    keeps: bool
    """Whether the clusters of the last tree stay."""
    summaries: list[Summary] = field(default_factory=list)
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    rows: dict[str, Written[WrittenSummary]] = field(default_factory=dict)
    """The model's texts, by the key of the summary."""
    by_rule: int = 0
    _titles: dict[str, str] = field(default_factory=dict)
    """Of the passages that summaries rest on, by id."""
    _complete: bool = True
    """Whether every summary so far that the model should write is written."""

    @property
    def tree(self) -> SummaryTree:
        """The tree."""
        return SummaryTree(self.summaries, np.concatenate(self.vectors))

    async def run(self, nodes: _Layer, store: SummaryStore | None) -> None:
        """Build layer upon layer until one cluster is left."""
        became: Mapping[str, Sequence[int]] = {name: [row] for row, name in enumerate(nodes.ids)}
        layer, clusters = 0, 2
        while clusters > 1:
            layer += 1
            self.context.progress("cluster", 0, len(nodes.ids))
            found, became = await in_thread(self._clusters, layer, nodes, became)
            self.context.progress("cluster", len(nodes.ids), len(nodes.ids))
            nodes = await self._summarise(layer, nodes, found, store)
            clusters = len(found)

    def _clusters(
        self, layer: int, nodes: _Layer, became: Mapping[str, Sequence[int]]
    ) -> tuple[list[Rows], Mapping[str, Sequence[int]]]:
        """The clusters of a layer, and what each of the last tree's clusters has become."""
        former = self.before.at(layer) if self.before and self.keeps else []
        if not former:
            return clusters_of(nodes.vectors, nodes.sizes, self.made.tokens), {}
        children = [summary.children for summary in former]
        rows, places = grown(children, became, nodes.vectors, nodes.sizes, self.made.tokens)
        if not rows:
            return clusters_of(nodes.vectors, nodes.sizes, self.made.tokens), {}
        return rows, {summary.id: own for summary, own in zip(former, places, strict=True)}

    async def _summarise(
        self, layer: int, nodes: _Layer, clusters: Sequence[Rows], store: SummaryStore | None
    ) -> _Layer:
        """Summarise the clusters of a layer; the summaries are the next layer's nodes."""
        ids = [f"#{layer}-{number}" for number in range(len(clusters))]
        members = [[nodes.ids[row] for row in rows.tolist()] for rows in clusters]
        materials = await in_thread(self._materials, layer, dict(zip(ids, members, strict=True)))
        if store is not None:
            await self._ask(materials, store)
        sentences = await in_thread(self._sentences, materials)
        own = [
            Summary(id=name, children=children, key=material.content_hash, sentences=told)
            for name, children, material, told in zip(
                ids, members, materials.values(), sentences, strict=True
            )
        ]
        self.summaries += own
        texts = [self._embedded(summary) for summary in own]
        vectors = await self.context.embed(texts, namespace="summaries")
        self.vectors.append(vectors)
        return _Layer(ids, vectors, [summary.tokens for summary in own])

    def _materials(self, layer: int, members: Mapping[str, Sequence[str]]) -> dict[str, Material]:
        found = {}
        below = {summary.id: summary for summary in self.summaries}
        for name, children in members.items():
            if layer == 1:
                passages = self.context.corpus.get(children)
                self._titles |= {passage.id: passage.full_title for passage in passages}
                lines = [*map(_line_of, passages)]
            else:
                told = (each for child in children for each in below[child].sentences)
                lines = [
                    Line(self._titles[each.passages[0]], each.text, each.passages)
                    for each in dict.fromkeys(told)
                ]
            found[name] = Material(name, lines, self.made.tokens)
        return found

    async def _ask(self, materials: Mapping[str, Material], store: SummaryStore) -> None:
        """Have the missing summaries of a layer written, if those below are complete."""
        hashes = {name: material.content_hash for name, material in materials.items()}
        if self._complete and self.context.options.open_caller is not None:
            writer, total = SummaryWriter(self.context.options.settings), len(self.summaries)
            await write_missing(
                self.context,
                store,
                writer,
                hashes,
                materials.__getitem__,
                total=total + len(hashes),
            )
        rows = await in_thread(store.written, hashes.values())
        self._complete = self._complete and rows.keys() >= {*hashes.values()}
        self.rows |= rows

    def _sentences(self, materials: Mapping[str, Material]) -> list[tuple[Sentence, ...]]:
        """The model's sentences about each cluster, or those by rule."""
        found = []
        for material in materials.values():
            row = self.rows.get(material.content_hash)
            if row is not None and row.outcome != FAILED:
                found.append(sentences_of(row.content, material))
                continue
            self.by_rule += 1
            found.append(summary_by_rule(material, self.context.options.language))
        return found

    def _embedded(self, summary: Summary) -> str:
        """The text of a summary for the embedding model: each title before its sentences."""
        parts: dict[str, str] = {}
        for sentence in summary.sentences:
            title = self._titles[sentence.passages[0]]
            parts[title] = f"{parts[title]} {sentence.text}" if title in parts else sentence.text
        return "\n".join(embedded_text(title, text) for title, text in parts.items())
