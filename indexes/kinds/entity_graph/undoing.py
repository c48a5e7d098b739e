"""Undoing merges: which names a user keeps apart, and what that changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NamedTuple

from hopyard.indexes.corpus_index import Index
from hopyard.indexes.keywords import normalise_keyword
from hopyard.indexes.kinds.entity_graph import apart
from hopyard.indexes.kinds.entity_graph.merging import Merge
from hopyard.indexes.kinds.entity_graph.stats import EntityStats
from hopyard.state.errors import UsageError

__all__ = ("MergeChanges", "change_merges", "current_stats", "merge_changes")

_NEAR: Final = 5
"""Names that an error offers at most."""

Pair = tuple[str, str]


class MergeChanges(NamedTuple):
    """How two generations differ in their merges."""

    undone: tuple[Merge, ...]
    """Merges that are there no more."""
    made: tuple[Merge, ...]
    """Merges that are new."""


def current_stats(index: Path) -> EntityStats:
    """The stats of an index that has an entity graph.

    Raises:
        IndexMissingError: It has none, or a file is damaged.
    """
    if (stats := EntityStats.of_index(index)) is not None:
        return stats
    with Index.open(index) as opened:  # its error says what is missing
        return EntityStats.load(opened.kind_directory("entity-graph"))


def merge_changes(before: EntityStats, after: EntityStats) -> MergeChanges:
    """The merges that came and went between two generations."""
    old = {(merge.name, merge.into): merge for merge in before.merges}
    new = {(merge.name, merge.into): merge for merge in after.merges}
    return MergeChanges(
        tuple(merge for pair, merge in old.items() if pair not in new),
        tuple(merge for pair, merge in new.items() if pair not in old),
    )


def change_merges(index: Path, *, undo: Iterable[str] = (), redo: Iterable[str] = ()) -> None:
    """Keep names apart, or no longer, from the next build on. The caller holds the index's lock.

    Args:
        index: The index directory.
        undo: Merged names, in any spelling: each is kept apart from what it is merged into.
        redo: Names that are kept apart: each may be merged again.

    Raises:
        UsageError: There is no such merge; then nothing is changed.
        IndexMissingError: The index has no entity graph, or a file is damaged.
    """
    stats, kept = current_stats(index), set(apart.read(index))
    # A command that was killed has changed the file and not the graph.
    known = kept | set(stats.made_with.apart)
    merged = {merge.name: merge.into for merge in stats.merges}
    for name in map(normalise_keyword, undo):
        if name in merged:
            kept.add(_pair(name, merged[name]))
        elif not _pairs_with(name, kept):
            raise _not_merged(name, merged)
    for name in map(normalise_keyword, redo):
        if not (pairs := _pairs_with(name, known)):
            raise _not_apart(name, known)
        kept -= pairs
    apart.write(index, kept)


def _pair(name: str, other: str) -> Pair:
    return min(name, other), max(name, other)


def _pairs_with(name: str, pairs: Collection[Pair]) -> set[Pair]:
    return {pair for pair in pairs if name in pair}


def _not_merged(name: str, merged: dict[str, str]) -> UsageError:
    if inside := [other for other, into in merged.items() if into == name]:
        listed = ", ".join(inside[:_NEAR])
        return UsageError(
            f"Other names are merged into {name!r}, and one of them is what to undo: {listed}."
        )
    return UsageError(
        f"No merge has the name {name!r}"
        + _offer(_near(name, merged), "`hopyard index entities DIR --merged` lists the merges")
    )


def _not_apart(name: str, known: Collection[Pair]) -> UsageError:
    near = _near(name, {part for pair in known for part in pair})
    return UsageError(
        f"The name {name!r} is not kept apart from another"
        + _offer(near, "--undo NAME keeps a merged name apart")
    )


def _near(name: str, names: Collection[str]) -> Sequence[str]:
    near = sorted((other for other in names if name and name in other), key=len)
    near += get_close_matches(name, names, n=_NEAR)
    return list(dict.fromkeys(near))[:_NEAR]


def _offer(near: Sequence[str], otherwise: str) -> str:
    return f": did you mean {' or '.join(near)}?" if near else f": {otherwise}."
