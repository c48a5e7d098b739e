"""Names that are merged: variants of one name, in contexts that agree.

A pair of names is merged only if three things hold:

* the vectors of the names are near. Candidates come from nearest neighbours, never from all pairs.
  Names of one passage that share letters or initials are candidates too, with a lower threshold:
  `NHL` is not very near to `National Hockey League`, but a text that uses both explains one by the
  other;
* the names are variants (`variants.variant`). Nearness alone is no evidence;
* the passages of the one name are like those of the other. A shortened name needs more of that.

A name that shortens two different names (`J. Smith` for `John Smith` and `Jane Smith`) is merged
with neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from hopyard.indexes.kinds.entity_graph.resolve.senses import mean_vector
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import Synonyms, cosines
from hopyard.indexes.kinds.entity_graph.resolve.variants import Reason, is_number, keys, variant

# Least cosine of variants that share a passage.
_NEAR_IN_PASSAGE: Final = 0.6
_SHORTENED: Final = frozenset({"initials", "acronym", "middle name"})
_LEAST_CONTEXT: Final[Mapping[Reason, float]] = {
    "spelling": 0.25,
    "order": 0.25,
    "acronym": 0.5,
    "typing error": 0.5,
    "initials": 0.65,
    "middle name": 0.65,
    "title": 0.65,
}
"""Least cosine of the mean vectors of the passages of two names, for each way of agreeing. Many
people share a name, so a part of a name that is left out needs the most likeness."""

_Pair = tuple[int, int]


class Merge(BaseModel, frozen=True):
    """One name that counts as another."""

    name: str
    """The normalised name that is merged."""
    into: str
    """The normalised name of the entity: the name with more mentions."""
    similarity: float
    """Cosine of the vectors of the two names."""
    context: float
    """Cosine of the mean vectors of their passages."""
    reason: Reason
    """How the two names agree."""


def merge_names(
    names: Sequence[str],
    vectors: NDArray[np.float32],
    mentions: NDArray[np.int64],
    passages: NDArray[np.float32],
    neighbours: Synonyms,
    *,
    alone: AbstractSet[str] = frozenset(),
    homonyms: AbstractSet[str] = frozenset(),
) -> list[Merge]:
    """Which names are merged into which.

    No merge leads to a name that is merged itself, and every merged name is a variant of the name
    that it is merged into.

    Args:
        names: Distinct normalised names, sorted by their UTF-8 bytes.
        vectors: float32 [n, d], of length 1: the names.
        mentions: [m, 2] Row of a name, row of the passage that mentions it.
        passages: float32 [p, d], of length 1.
        neighbours: `find_synonyms` of the names.
        alone: Names that take no part.
        homonyms: Names that are known to have several senses: they shorten no other name.

    Returns:
        The merges, sorted by `name`.
    """
    counts = np.bincount(mentions[:, 0], minlength=len(names))
    reasons = _variants(names, vectors, mentions, neighbours, alone, homonyms)
    if not reasons:
        return []
    pairs = np.array(sorted(reasons), dtype=np.int64)
    left, right = pairs.T
    near = cosines(vectors, left, right)
    alike = _context_cosines(pairs, mentions, passages)
    found: dict[_Pair, Merge] = {}
    for pair, similarity, likeness in zip(pairs.tolist(), near, alike, strict=True):
        reason = reasons[pair[0], pair[1]]
        if likeness < _LEAST_CONTEXT[reason]:
            continue
        # Ties: the name that sorts first.
        into, name = sorted(pair, key=lambda row: (-counts[row], row))
        found[name, into] = Merge(
            name=names[name],
            into=names[into],
            similarity=round(float(similarity), 4),
            context=round(float(likeness), 4),
            reason=reason,
        )
    by_name = [found[pair] for pair in _without_chains(found, counts)]
    return sorted(by_name, key=lambda merge: merge.name.encode())


def _variants(
    names: Sequence[str],
    vectors: NDArray[np.float32],
    mentions: NDArray[np.int64],
    neighbours: Synonyms,
    alone: AbstractSet[str],
    homonyms: AbstractSet[str],
) -> dict[_Pair, Reason]:
    """Pairs of near variants, by rows, the lower first; shortened names that fit two are out."""
    together = np.array(sorted(_in_one_passage(names, mentions)), np.int64).reshape(-1, 2)
    together = together[cosines(vectors, *together.T) >= _NEAR_IN_PASSAGE]
    candidates = np.unique(np.concatenate([neighbours.pairs, together]), axis=0)
    reasons: dict[_Pair, Reason] = {}
    for left, right in candidates.tolist():
        pair = {names[left], names[right]}
        reason = None if pair & alone else variant(names[left], names[right])
        if reason and not (reason in _SHORTENED and pair & homonyms):
            reasons[left, right] = reason
    return _unambiguous(names, reasons)


def _in_one_passage(names: Sequence[str], mentions: NDArray[np.int64]) -> set[_Pair]:
    """Pairs of names that one passage mentions and that share a key."""
    pairs: set[_Pair] = set()
    once = np.unique(mentions[:, ::-1], axis=0)
    for rows in np.split(once[:, 1], np.flatnonzero(np.diff(once[:, 0])) + 1):
        by_key: dict[str, list[int]] = defaultdict(list)
        for row in rows.tolist():
            if not is_number(names[row]):
                for key in keys(names[row]):
                    by_key[key].append(row)
        for sharing in by_key.values():
            pairs.update(combinations(sharing, 2))
    return pairs


def _unambiguous(names: Sequence[str], reasons: Mapping[_Pair, Reason]) -> dict[_Pair, Reason]:
    """Without the pairs of a shortened name whose longer names are not variants of each other."""
    longer: dict[int, list[int]] = defaultdict(list)
    shorter: dict[_Pair, int] = {}
    for pair, reason in reasons.items():
        if reason in _SHORTENED:
            short, long = sorted(pair, key=lambda row: (len(names[row]), row))
            longer[short].append(long)
            shorter[pair] = short
    doubtful = {
        short
        for short, rows in longer.items()
        if any(variant(names[each], names[two]) is None for each, two in combinations(rows, 2))
    }
    return {
        pair: reason for pair, reason in reasons.items() if shorter.get(pair, -1) not in doubtful
    }


def _context_cosines(
    pairs: NDArray[np.int64], mentions: NDArray[np.int64], passages: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Cosine of the mean passage vectors of the two names of each pair; 0 without a passage."""
    rows, places = np.unique(pairs, return_inverse=True)
    once = np.unique(mentions[np.isin(mentions[:, 0], rows)], axis=0)
    ends = np.searchsorted(once[:, 0], rows, "right")
    starts = np.searchsorted(once[:, 0], rows, "left")
    groups = [once[start:end, 1].tolist() for start, end in zip(starts, ends, strict=True)]
    means = np.stack([mean_vector(passages, group) for group in groups])
    left, right = places.reshape(-1, 2).T
    return cosines(means, left, right)


def _without_chains(found: Mapping[_Pair, Merge], counts: NDArray[np.int64]) -> list[_Pair]:
    """For each name the nearest of its targets that is not merged itself."""
    targets: dict[int, list[int]] = defaultdict(list)
    for name, into in found:
        targets[name].append(into)
    merged: dict[int, int] = {}
    # A target has more mentions than its names, so it is settled before them.
    for name in sorted(targets, key=lambda row: (-counts[row], row)):
        free = [into for into in targets[name] if into not in merged]
        if free:
            merged[name] = min(free, key=lambda into: (-found[name, into].similarity, into))
    return list(merged.items())
