"""Counts and settings of a summary tree, for `index status`."""

from __future__ import annotations

from typing import Any, Final, Literal

from hopyard.indexes.written.stats import Plain, WrittenCounts, WrittenStats
from hopyard.state.text.counting import counted

TREE_VERSION: Final = 1
"""Counted up when clusters, summaries by rule or files change: then the tree is built again."""


class MadeWith(Plain):
    """The settings of the tree."""

    version: int = TREE_VERSION
    writer: Literal["rule", "model"]
    tokens: int
    """Tokens of a cluster at most."""
    embedding: str
    dimension: int


class TreeStats(WrittenStats):
    """Counts of one generation of the tree."""

    made_with: MadeWith
    passages: int
    layers: tuple[int, ...]
    """The summaries of each layer, from 1."""
    by_rule: int
    """Summaries that have no text of the model."""
    rewritten: int
    """Summaries that the last generation did not have."""
    updates: int = 0
    """Additions and removals since all was clustered from scratch."""
    written: WrittenCounts

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`, without those of 0."""
        values = super().plain()
        made = values.pop("made_with")
        layers = {
            f"layer_{number}": counted(size, "summary")
            for number, size in enumerate(values.pop("layers"), start=1)
        }
        return {
            name: value
            for name, value in {"writer": made["writer"], **layers, **values}.items()
            if value
        }
