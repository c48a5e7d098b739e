"""Nodes of the summary tree, as searches find them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hopyard.indexes.kinds.summary_tree.tree import Summary, SummaryTree
from hopyard.indexes.search import Search
from hopyard.indexes.searches.summaries import SummariesSettings
from hopyard.models.embedder import Vector
from hopyard.state.schemas import Evidence, passage_evidence

__all__ = ("Node", "collapsed", "find", "walk", "within")


@dataclass(frozen=True)
class Node:
    """A summary or a passage that a search found."""

    evidence: Evidence
    tokens: int


async def find(search: Search, ranked: Callable[[Search, Vector], list[Node]]) -> list[Evidence]:
    """The first nodes of a ranking that fit: `collapsed` or `walk`. The score is the cosine."""
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


def collapsed(search: Search, vector: Vector) -> list[Node]:
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
    return _nodes(search, [*found, *dense.search(vector, search.k, search.allowed)])


def walk(search: Search, vector: Vector) -> list[Node]:
    """From the top of the tree down: the k nearest of each layer, among the children of the last.

    Source: Sarthi et al., RAPTOR, appendix F, algorithm 1.

    Args:
        search: The search. With a filter the walk takes only nodes that lead to a passage which
            matches. Only nodes whose passages all match are found.
        vector: The question's embedding [d].

    Returns:
        The nodes of all layers, the nearest first.
    """
    tree: SummaryTree = search.index.reader("summary-tree")
    dense = search.index.reader("dense")
    leading = None if search.allowed is None else tree.leading_to(search.allowed)
    level = [summary.id for summary in tree.at(tree.layers)]
    found: list[tuple[str, float]] = []
    for layer in range(tree.layers, -1, -1):
        level = [name for name in level if leading is None or name in leading]
        rows = [tree.rows[name] for name in level] if layer else []
        vectors = tree.vectors[rows] if layer else dense.vectors(level)
        scores = (vectors @ vector).tolist()
        best = sorted(zip(level, scores, strict=True), key=lambda each: (-each[1], each[0]))
        nearest = best[: search.k]
        found += nearest
        children = (tree.summaries[tree.rows[name]].children for name, _ in nearest if layer)
        level = list(dict.fromkeys(name for names in children for name in names))
    return [node for node in _nodes(search, found) if search.allows(node.evidence)]


def _nodes(search: Search, scored: Sequence[tuple[str, float]]) -> list[Node]:
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
