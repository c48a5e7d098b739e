"""The communities of an index for one page: a tree with names, reports and quotes.

A large corpus has many thousands of communities. The overview shows the largest and counts the
others, so that its size has a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from hopyard.indexes.kinds.communities.context import with_numbers
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.pairs import best_connected, pair_weights
from hopyard.indexes.kinds.communities.records import Community, Finding, Report
from hopyard.indexes.kinds.communities.support import ReadPassages, Support
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.prompts.passages import snippet
from hopyard.state.references import name_sources

__all__ = ("Overview", "Part", "Parts", "Quote", "ShownFinding", "overview_of", "shown_in")

MOST: Final = 2000
"""Communities at most; the largest are shown."""
_CHARACTERS: Final = 1_000_000
"""Characters of findings and quotes, about; the largest communities show theirs."""
_NAMES: Final = 8
_ALONE: Final = 12
_QUOTES: Final = 3
"""Quotes of a finding at most."""
_SENTENCES: Final = 2
"""Quotes of a community without a report at most."""
_LONGEST: Final = 300
"""Characters of a quote at most."""
_LONGEST_NAME: Final = 60
_LONGEST_TITLE: Final = 120
_LONGEST_SUMMARY: Final = 800


@dataclass(frozen=True)
class Quote:
    """A sentence of a passage, and the passage's name for readers."""

    name: str
    text: str


@dataclass(frozen=True)
class ShownFinding:
    """A finding of a report, without the ids of elements, and quotes that support it."""

    summary: str
    explanation: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class Part:
    """A community of two or more entities."""

    community: Community
    title: str
    names: tuple[str, ...]
    """Its best connected entities."""
    report: Report | None
    asked: bool
    """Whether a question had the report written."""
    summary: str
    """Of its report; "" without one."""
    findings: tuple[ShownFinding, ...]
    """The findings of its report; empty if the overview has no room for them."""
    quotes: tuple[Quote, ...]
    """Without a report: the sentences that name most of its entities."""
    inside: Parts


@dataclass(frozen=True)
class Parts:
    """The communities inside a community, or those of the root level."""

    shown: tuple[Part, ...]
    """The largest first."""
    smaller: int = 0
    """Further communities of two or more entities."""
    alone: int = 0
    """Communities of one entity."""
    names: tuple[str, ...] = ()
    """Some of these entities, those of most passages first."""


@dataclass(frozen=True)
class Overview:
    """All communities, and their numbers."""

    entities: int
    communities: int
    reports: int
    levels: tuple[tuple[int, float], ...]
    """The number of communities at each level, and their modularity."""
    root: Parts


def overview_of(
    communities: CommunityIndex,
    graph: EntityGraph,
    read: ReadPassages,
    most: int = MOST,
    asked: Collection[str] = (),
) -> Overview:
    """Choose what a page shows of the communities.

    Args:
        communities: The communities.
        graph: Their entity graph.
        read: Reads passages of the same generation by their ids, as `Index.passages` does.
        most: Communities at most, at least 1.
        asked: The ids of communities whose reports were written for questions.
    """
    hierarchy = communities.files.hierarchy
    counts = [len(hierarchy.at(level)) for level in range(communities.levels)]
    return Overview(
        entities=communities.entities if communities.levels else 0,
        communities=len(communities),
        reports=len(communities.reports),
        levels=tuple(zip(counts, communities.modularity, strict=True)),
        root=_Tree(communities, graph, read, most, asked).parts(-1),
    )


def shown_in(communities: CommunityIndex, most: int = MOST) -> list[str]:
    """The ids of the communities that an overview shows, the largest first.

    A parent is larger than its parts, so it comes first.
    """
    lengths = communities.files.hierarchy.members.lengths
    order = np.argsort(-lengths, kind="stable")
    rows: list[int] = order[lengths[order] > 1][:most].tolist()
    return [communities.ids[row] for row in rows]


class _Tree:
    def __init__(
        self,
        communities: CommunityIndex,
        graph: EntityGraph,
        read: ReadPassages,
        most: int,
        asked: Collection[str],
    ) -> None:
        self._communities, self._graph = communities, graph
        self._hierarchy = hierarchy = communities.files.hierarchy
        self._lengths = hierarchy.members.lengths
        self._asked = asked
        chosen = shown_in(communities, most)
        self._chosen = frozenset(map(communities.rows.__getitem__, chosen))
        self._best: dict[int, list[int]] = {}
        pairs = pair_weights(graph)
        for level in range(communities.levels):
            self._best |= best_connected(pairs, hierarchy.partition(level), _NAMES)
        self._quoted = _quoted(chosen, communities, graph, read)

    def parts(self, parent: int) -> Parts:
        """The communities inside that of a row; those of the root level for -1."""
        rows = np.flatnonzero(self._hierarchy.parent == parent)
        single = self._lengths[rows] == 1
        members = self._hierarchy.members
        alone = members.values[members.bounds[rows[single]]]
        first = alone[np.argsort(-self._graph.passages_with[alone], kind="stable")][:_ALONE]
        shown = [row for row in rows.tolist() if row in self._chosen]
        return Parts(
            shown=tuple(map(self._part, shown)),
            smaller=len(rows) - len(alone) - len(shown),
            alone=len(alone),
            names=self._names(first.tolist()),
        )

    def _part(self, row: int) -> Part:
        name = self._communities.ids[row]
        community, report = self._communities.community(name), self._communities.report(name)
        findings, quotes = self._quoted.get(name, ((), ()))
        return Part(
            community=community,
            title=_cut(community.title, _LONGEST_TITLE),
            names=self._names(self._best[row]),
            report=report,
            asked=name in self._asked,
            summary=_cut(report.summary, _LONGEST_SUMMARY) if report else "",
            findings=findings,
            quotes=quotes,
            inside=self.parts(row),
        )

    def _names(self, entities: Iterable[int]) -> tuple[str, ...]:
        return tuple(_cut(self._graph.label(entity), _LONGEST_NAME) for entity in entities)


_Found = list[tuple[Finding | None, list[tuple[str, str]]]]
"""Findings, or None for a community without a report, and their quotes by the id of a passage."""


def _quoted(
    names: Iterable[str], communities: CommunityIndex, graph: EntityGraph, read: ReadPassages
) -> dict[str, tuple[tuple[ShownFinding, ...], tuple[Quote, ...]]]:
    """The findings and the quotes of communities, until the overview has no room for more."""
    support = Support(graph, read)
    found: dict[str, _Found] = {}
    room = _CHARACTERS
    for name in names:
        report = communities.report(name)
        if report:
            own: _Found = [
                (finding, support.quotes(finding.elements, _QUOTES)) for finding in report.findings
            ]
        else:
            own = [(None, _sentences(communities.community(name), support))]
        found[name] = own
        room -= sum(_length(finding, quotes) for finding, quotes in own)
        if room <= 0:
            break
    ids = {passage for own in found.values() for _, quotes in own for passage, _ in quotes}
    titles = name_sources(passage.as_source() for passage in read(sorted(ids)))

    def quotes_of(pairs: Iterable[tuple[str, str]]) -> tuple[Quote, ...]:
        return tuple(Quote(titles[passage], _cut(text, _LONGEST)) for passage, text in pairs)

    return {
        name: (
            tuple(
                ShownFinding(
                    finding.summary, with_numbers(finding.explanation, {}), quotes_of(quotes)
                )
                for finding, quotes in own
                if finding
            ),
            tuple(quote for finding, quotes in own if not finding for quote in quotes_of(quotes)),
        )
        for name, own in found.items()
    }


def _sentences(community: Community, support: Support) -> list[tuple[str, str]]:
    """The sentences that name most of a community's entities."""
    inside = support.graph.sentences_of[np.asarray(community.entities)].indices
    sentences, counts = np.unique(inside, return_counts=True)
    best = sentences[np.argsort(-counts, kind="stable")][:_SENTENCES].tolist()
    return support.quotes([f"S{row}" for row in best], _SENTENCES)


def _cut(text: str, longest: int) -> str:
    """A text, or its beginning with a mark."""
    return text if len(text) <= longest else f"{snippet(text, longest)} …"


def _length(finding: Finding | None, quotes: Iterable[tuple[str, str]]) -> int:
    told = len(finding.summary) + len(finding.explanation) if finding else 0
    return told + sum(min(len(text), _LONGEST) for _, text in quotes)
