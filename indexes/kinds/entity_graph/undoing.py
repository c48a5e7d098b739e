"""Undoing merges: which names a user keeps apart, and what that changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
    for written in undo:
        name = normalise_keyword(written)
        if name in merged:
            kept.add(_pair(name, merged[name]))
        elif not _pairs_with(name, known):
            raise _not_merged(written, merged)
    for written in redo:
        if not (pairs := _pairs_with(normalise_keyword(written), known)):
            raise _not_apart(written, known)
        kept -= pairs
    apart.write(index, kept)


def _pair(name: str, other: str) -> Pair:
    return min(name, other), max(name, other)


def _pairs_with(name: str, pairs: Collection[Pair]) -> set[Pair]:
    return {pair for pair in pairs if name in pair}


def _not_merged(written: str, merged: Mapping[str, str]) -> UsageError:
    name = normalise_keyword(written)
    if inside := [other for other, into in merged.items() if into == name]:
        listed = ", ".join(inside[:_NEAR])
        return UsageError(f"Other names are merged into {written!r}; undo one of them: {listed}.")
    near = _near(name, merged) or "`hopyard index entities DIR --merged` lists the merges."
    return UsageError(f"No merge has the name {written!r}: {near}")


def _not_apart(written: str, known: Collection[Pair]) -> UsageError:
    near = _near(normalise_keyword(written), {part for pair in known for part in pair})
    otherwise = "--undo NAME keeps a merged name apart."
    return UsageError(f"The name {written!r} is kept apart from no other: {near or otherwise}")


def _near(name: str, names: Iterable[str]) -> str:
    """A question that offers the names that contain a name, or are written alike; "" for none."""
    others = sorted(names)
    near = sorted((other for other in others if name and name in other), key=len)
    near += get_close_matches(name, others, n=_NEAR)
    return f"did you mean {' or '.join(list(dict.fromkeys(near))[:_NEAR])}?" if near else ""
