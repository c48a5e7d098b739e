"""Search from the top of the summary tree down (RAPTOR's tree traversal)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.indexes.searches.summaries import Node, find, nodes_of

if TYPE_CHECKING:
    from hopyard.indexes.kinds.summary_tree.tree import SummaryTree
    from hopyard.models.embedder import Vector


def _walk(search: Search, vector: Vector) -> list[Node]:
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
    return [node for node in nodes_of(search, found) if search.allows(node.evidence)]


SEARCH: Final = SearchMethod(
    name="summary-walk",
    about="From the top of a summary tree down, the nearest of each layer (RAPTOR's traversal).",
    find=lambda search: find(search, _walk),
    needs=("dense", "summary-tree"),
    filters=True,
)
