"""Pairs of names with near vectors: the synonym edges.

HippoRAG 2 links names with a cosine of at least 0.8, at most 100 for each name (Gutiérrez et al.,
"From RAG to Memory"). Its program searches all names again at every insert and keeps the whole
lists of neighbours. Here only new names are searched, in blocks, and the threshold is applied
block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.faiss_index import one_thread
from hopyard.indexes.text.variants import is_number

# Pairs of vectors up to which the nearest are found exactly: some ten seconds on two cores.
EXACT_PAIRS: Final = 1_000_000_000
# Rows and columns of a block (float32: 16 MB).
_BLOCK: Final = 2048
# A blocked product rounds differently with every block. It only finds; `cosines` decides.
_SLACK: Final = 1e-5
_LINKS: Final = 32
_BEAM: Final = 128
_SHORT: Final = 2


@dataclass(frozen=True, eq=False)
class Synonyms:
    """Pairs of names (a, b), a < b, sorted, each once."""

    pairs: NDArray[np.int64]
    """[s, 2] Rows of the two names."""
    similarity: NDArray[np.float64]
    """[s] Cosine of their vectors."""

    def __len__(self) -> int:
        return len(self.pairs)


NO_SYNONYMS: Final = Synonyms(np.empty((0, 2), np.int64), np.empty(0, np.float64))


def cosines(
    vectors: NDArray[np.float32], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cosine of the unit vectors of each pair of rows; the same to the last bit in any block."""
    found = np.empty(len(left), np.float64)
    for start in range(0, len(left), _BLOCK):
        some = slice(start, start + _BLOCK)
        found[some] = (vectors[left[some]].astype(np.float64) * vectors[right[some]]).sum(axis=1)
    return found


def carry_over(old: Synonyms, old_names: Sequence[str], names: Sequence[str]) -> Synonyms:
    """The pairs of an earlier generation in the rows of this one, without vanished names.

    Args:
        old: The pairs of that generation.
        old_names: Its names, sorted as `names` are.
        names: The names of this generation.
    """
    row = {name: number for number, name in enumerate(names)}
    new_rows = np.fromiter((row.get(name, -1) for name in old_names), np.int64, len(old_names))
    pairs = new_rows[old.pairs]
    kept = (pairs >= 0).all(axis=1)
    return Synonyms(pairs[kept], old.similarity[kept])


def find_synonyms(
    names: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    threshold: float = 0.8,
    most: int = 100,
    previous: tuple[Sequence[str], Synonyms] | None = None,
    exact_pairs: int = EXACT_PAIRS,
) -> Synonyms:
    """The pairs of names whose vectors are near.

    Each name chooses its nearest names, and a pair is kept if one of the two chooses the other.
    Names of at most two letters, numbers and dates are left out: their vectors are all alike.

    Args:
        names: Distinct names, sorted by their UTF-8 bytes.
        vectors: float32 [n, d], of length 1.
        threshold: Least cosine of a pair.
        most: How many names one name chooses.
        previous: The names and the result of an earlier call with the same `threshold` and `most`.
            Then only new names are searched. While the search is exact, the result is the same as
            without.
        exact_pairs: Names to search for times names to search in, up to which the search is exact;
            HNSW searches beyond.

    Raises:
        ValueError: `vectors` has another number of rows than `names`.
    """
    if len(names) != len(vectors):
        message = f"There are {len(names)} names and {len(vectors)} vectors."
        raise ValueError(message)
    usable = np.array([_can_be_near(name) for name in names], dtype=np.bool_)
    if not usable.any():
        return NO_SYNONYMS
    kept, fresh = NO_SYNONYMS, usable
    if previous is not None:
        old_names, old = previous
        kept = carry_over(old, old_names, names)
        fresh = usable & _to_search(old, old_names, names, most)
    new, old_rows = np.flatnonzero(fresh), np.flatnonzero(usable & ~fresh)
    everything = np.flatnonzero(usable)
    found = [kept.pairs]
    # The second search is for old names that are among the nearest of no new name.
    for rows, columns in ((new, everything), (old_rows, new)):
        exact = len(rows) * len(columns) <= exact_pairs
        search = _near_exactly if exact else _near_by_hnsw
        found += search(vectors, rows, columns, threshold, most) if len(columns) else []
    pairs = np.unique(np.sort(np.concatenate(found), axis=1), axis=0)
    similarity = cosines(vectors, pairs[:, 0], pairs[:, 1])
    chosen = _chosen(pairs, similarity, most) & (similarity >= threshold)
    return Synonyms(pairs[chosen], similarity[chosen])


def _can_be_near(name: str) -> bool:
    return sum(letter.isalnum() for letter in name) > _SHORT and not is_number(name)


def _to_search(
    old: Synonyms, old_names: Sequence[str], names: Sequence[str], most: int
) -> NDArray[np.bool_]:
    """[n] The new names, and old names whose full list lost a name: another can take its place."""
    known, present = set(old_names), set(names)
    gone = np.array([name not in present for name in old_names], dtype=np.bool_)
    size = np.bincount(old.pairs.ravel(), minlength=len(old_names))
    lost = np.zeros(len(old_names), np.bool_)
    for each, other in (old.pairs.T, old.pairs.T[::-1]):
        lost[each[gone[other]]] = True
    again = {old_names[row] for row in np.flatnonzero(lost & (size >= most)).tolist()}
    return np.array([name not in known or name in again for name in names], dtype=np.bool_)


def _near_exactly(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    threshold: float,
    most: int,
) -> list[NDArray[np.int64]]:
    found = []
    for start in range(0, len(rows), _BLOCK):
        some = rows[start : start + _BLOCK]
        best = np.empty((0, 2), np.int64)
        for left in range(0, len(columns), _BLOCK):
            others = columns[left : left + _BLOCK]
            near = vectors[some] @ vectors[others].T >= threshold - _SLACK
            which, place = np.nonzero(near)
            pairs = np.stack([some[which], others[place]], axis=1)
            best = np.concatenate([best, pairs[pairs[:, 0] != pairs[:, 1]]])
            # Names that are all alike must not fill the memory.
            if len(best) > most * _BLOCK:
                best = _nearest(vectors, best, most)
        found.append(_nearest(vectors, best, most))
    return found


def _near_by_hnsw(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    threshold: float,
    most: int,
) -> list[NDArray[np.int64]]:
    index = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS)
    index.hnsw.efSearch = max(_BEAM, most + 1)
    with one_thread():
        for start in range(0, len(columns), _BLOCK):
            index.add(vectors[columns[start : start + _BLOCK]])
    found = []
    # A squared Euclidean distance between vectors of length 1 is 2 - 2 cosine.
    farthest = 2.0 - 2.0 * threshold + _SLACK
    for start in range(0, len(rows), _BLOCK):
        some = rows[start : start + _BLOCK]
        distance, place = index.search(vectors[some], min(most + 1, len(columns)))
        which, rank = np.nonzero((distance <= farthest) & (place >= 0))
        pairs = np.stack([some[which], columns[place[which, rank]]], axis=1)
        found.append(pairs[pairs[:, 0] != pairs[:, 1]])
    return found


def _nearest(
    vectors: NDArray[np.float32], pairs: NDArray[np.int64], most: int
) -> NDArray[np.int64]:
    """The first of each pair keeps its `most` nearest, the first names if several are as near."""
    similarity = cosines(vectors, pairs[:, 0], pairs[:, 1])
    return pairs[_rank(pairs[:, 0], pairs[:, 1], similarity) < most]


def _chosen(
    pairs: NDArray[np.int64], similarity: NDArray[np.float64], most: int
) -> NDArray[np.bool_]:
    """[s] Whether either name of the pair is among the `most` nearest of the other."""
    one, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    chosen = _rank(one, other, np.tile(similarity, 2)) < most
    return chosen[: len(pairs)] | chosen[len(pairs) :]


def _rank(
    one: NDArray[np.int64], other: NDArray[np.int64], similarity: NDArray[np.float64]
) -> NDArray[np.int64]:
    """[s] The place of each pair among those with the same `one`, from 0, nearest first."""
    order = np.lexsort((other, -similarity, one))
    first = np.searchsorted(one[order], one[order], "left")
    rank = np.empty(len(one), np.int64)
    rank[order] = np.arange(len(one)) - first
    return rank
