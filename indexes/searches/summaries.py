"""Search in the summary tree: all nodes together, up to a limit of tokens (RAPTOR).

Source: Sarthi et al., RAPTOR, section 3, "Querying": the collapsed tree, which they found the
better. `summary_walk` is their tree traversal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.group import Group
from hopyard.state.schemas import Evidence, passage_evidence

if TYPE_CHECKING:
    from hopyard.indexes.kinds.summary_tree.tree import Summary, SummaryTree
    from hopyard.models.embedder import Vector


class SummariesSettings(Group):
    """The searches `summaries` and `summary-walk`."""

    group: ClassVar[str] = "summaries"

    tokens: int = Field(
        2000,
        ge=1,
        description="Tokens of the summaries and passages found, if retrieval.k allows so many "
        "(paper: 2,000).",
    )


@dataclass(frozen=True)
class Node:
    """A summary or a passage that a search found."""

    evidence: Evidence
    tokens: int


async def find(search: Search, ranked: Callable[[Search, Vector], list[Node]]) -> list[Evidence]:
    """The first nodes of a ranking that fit. The score is the cosine."""
    nodes = await asyncio.to_thread(ranked, search, await search.embed(search.text))
    tokens = SummariesSettings.of(search.settings).tokens
    return [node.evidence for node in within(nodes, search.k, tokens)]


def within(nodes: Iterable[Node], k: int, tokens: int) -> list[Node]:
    """The first nodes that fit: k at most, and the next would exceed the tokens. Never none.

    Source: Sarthi et al., RAPTOR, appendix F, algorithm 2.
    """
    chosen: list[Node] = []
    for node in nodes:
        tokens -= node.tokens
        if len(chosen) == k or (chosen and tokens < 0):
            break
        chosen.append(node)
    return chosen


def _collapsed(search: Search, vector: Vector) -> list[Node]:
    """The k nodes of all layers nearest to a question, the nearest first.

    Args:
        search: The search. Only nodes whose passages all match its filter are found.
        vector: The question's embedding [d].
    """
    tree: SummaryTree = search.index.reader("summary-tree")
    dense = search.index.reader("dense")
    scored = [
        (summary, float(score))
        for summary, score in zip(tree.summaries, tree.vectors @ vector, strict=True)
        if search.allowed is None or all(name in search.allowed for name in summary.passages)
    ]
    scored.sort(key=lambda each: (-each[1], each[0].id))
    found = [(each.id, score) for each, score in scored[: search.k]]
    return nodes_of(search, [*found, *dense.search(vector, search.k, search.allowed)])


def nodes_of(search: Search, scored: Sequence[tuple[str, float]]) -> list[Node]:
    """Summaries and passages by their ids, the nearest first."""
    tree: SummaryTree = search.index.reader("summary-tree")
    names = [name for name, _ in scored if name not in tree.rows]
    tokens = {passage.id: passage.tokens for passage in search.index.passages(names)}
    found = []
    for name, score in sorted(scored, key=lambda each: (-each[1], each[0])):
        if name in tree.rows:
            summary = tree.summaries[tree.rows[name]]
            found.append(Node(_evidence(summary, score), summary.tokens))
        else:
            found.append(Node(passage_evidence(name, score), tokens[name]))
    return found


def _evidence(summary: Summary, score: float) -> Evidence:
    """A unit that is read as its sentences, each with the first of its passages."""
    texts = dict.fromkeys(summary.passages, "")
    for sentence in summary.sentences:
        first = sentence.passages[0]
        texts[first] = f"{texts[first]} {sentence.text}".strip()
    return Evidence(
        kind="summary",
        id=summary.id,
        score=score,
        passages=list(texts),
        texts=list(texts.values()),
        why=f"summary of {', '.join(summary.children)}",
    )


SEARCH: Final = SearchMethod(
    name="summaries",
    about="The passages and summaries of a summary tree nearest to the question (RAPTOR).",
    find=lambda search: find(search, _collapsed),
    needs=("dense", "summary-tree"),
    settings=SummariesSettings,
    filters=True,
)
