"""Three searches that together look at every pair that can be a best match, and few others.

A pair that shares no keyword has SIM = cosine / 2, so among those the nearest vector wins
(`by_vector`). A pair that shares a keyword is found through the inverted index: by a sparse matrix
product over the rare keywords (`by_rare_keyword`), and by dense blocks, one for each frequent
keyword, over the rows that still have something to gain (`by_frequent_keyword`). Keyword
frequencies follow Zipf's law, so a few frequent keywords hold most of the sharing pairs; in
dense blocks these cost one matrix product instead of a list of pairs.

Each search bounds a pair's SIM from below where another search knows more of the pair: `by_vector`
takes every Jaccard as 0, and `by_frequent_keyword` counts frequent keywords only. That is
harmless. A bound that is too low never wins, and the pair is found at full value where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.arrays.faiss_index import one_thread
from hopyard.indexes.kinds.passage_graph.best_so_far import BestSoFar, spans

# One machine word marks which frequent keywords a question has. With frequencies as 1/rank the
# pairs of all keywords after the 64th are fewer than a sixty-fourth of those of the first.
_FREQUENT: Final = 64
# Below this many pairs a list of pairs is quicker than a dense block.
_FREQUENT_PAIRS: Final = 1 << 14
# Elements of a dense block (float32: 8 MB) and of a list of pairs: small enough for memory to
# stay flat, large enough for the matrix product to run at full speed.
_BLOCK_ROWS: Final = 1024
_BLOCK_COLUMNS: Final = 2048
_PAIRS: Final = 1 << 19
# HNSW spends its time fetching vectors from memory, so it walks over their first principal
# directions, and only the nearest it meets are compared at full length.
_DIRECTIONS: Final = 128
_LINKS: Final = 32
_BUILD_BEAM: Final = 40
_SEARCH_BEAM: Final = 64
# More than a passage's own questions, which stand among its nearest and do not count.
_NEIGHBOURS: Final = 32


def frequent_keywords(best: BestSoFar) -> NDArray[np.int64]:
    """At most 64 keyword codes, those that the most pairs of questions share."""
    pairs = best.rows.keywords.sum(axis=0) * best.columns.keywords.sum(axis=0)
    heaviest = np.argsort(-pairs, kind="stable")[:_FREQUENT]
    return np.asarray(heaviest[pairs[heaviest] >= _FREQUENT_PAIRS], dtype=np.int64)


def by_rare_keyword(best: BestSoFar, frequent: NDArray[np.int64]) -> None:
    """Offer the best pairs among those that share a keyword outside `frequent`."""
    rare = np.setdiff1d(np.arange(best.rows.keywords.shape[1]), frequent)
    rows = best.rows.keywords[:, rare].tocsr()
    columns = best.columns.keywords[:, rare].T.tocsr()
    row_marks, column_marks = _marks(best, frequent)
    pairs_of_row = np.asarray(rows @ columns.sum(axis=1), dtype=np.float64)
    for part in _parts(pairs_of_row, _PAIRS):
        product = sparse.csr_array(rows[part] @ columns)
        some = np.arange(part.start, part.stop)
        which = np.repeat(some - part.start, np.diff(product.indptr))
        found = product.indices.astype(np.int64)
        foreign = best.rows.owners[some[which]] != best.columns.owners[found]
        which, found, shared = which[foreign], found[foreign], product.data[foreign]
        shared = shared + np.bitwise_count(row_marks[some[which]] & column_marks[found])
        union = best.rows.sizes[some[which]] + best.columns.sizes[found] - shared
        sums = shared / union + _inner_products(best, some[which], found)
        worth = _worth_offering(best, some, which, sums)
        best.offer(some[which[worth]], found[worth])


def by_frequent_keyword(best: BestSoFar, frequent: NDArray[np.int64]) -> None:
    """Offer the best pairs among those that share a frequent keyword and no rare one."""
    row_marks, column_marks = _marks(best, frequent)
    # At best a row shares all its frequent keywords with a question that has no others.
    ceiling = np.bitwise_count(row_marks) / np.maximum(best.rows.sizes.astype(np.float64), 1.0)
    for bit in range(len(frequent)):
        mark = np.uint64(1 << bit)
        rows = np.flatnonzero(((row_marks & mark) > 0) & best.open_rows(ceiling))
        columns = np.flatnonzero(column_marks & mark)
        for some_rows, some_columns in _blocks(rows, columns):
            shared = np.bitwise_count(
                row_marks[some_rows, np.newaxis] & column_marks[some_columns]
            ).astype(np.float32)
            sizes = best.rows.sizes[some_rows, np.newaxis] + best.columns.sizes[some_columns]
            _offer_block(best, some_rows, some_columns, shared / (sizes - shared))


def by_vector(best: BestSoFar, *, exact_pairs: int) -> int:
    """Offer the nearest in-coming question of another passage to each row that it can help.

    A row that already has SIM > 1/2 cannot be helped: half of the greatest cosine is 1/2.

    Args:
        best: The matches so far, changed in place.
        exact_pairs: Up to this many pairs a blocked matrix product finds the nearest vectors
            exactly; beyond it an HNSW graph finds nearly all of them.

    Returns:
        How many rows were searched approximately; 0 when the result is exact.
    """
    rows = np.flatnonzero(best.open_rows(0.0))
    columns = np.arange(len(best.columns.ids))
    approximate = len(rows) * len(columns) > exact_pairs
    missed = _by_hnsw(best, rows) if approximate else rows
    for some_rows, some_columns in _blocks(missed, columns):
        _offer_block(best, some_rows, some_columns, None)
    return len(rows) - len(missed) if approximate else 0


def _by_hnsw(best: BestSoFar, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offer each row's nearest vectors; return the rows that met only their own passage."""
    directions = _principal_directions(best.columns.vectors)
    index = _hnsw(best.columns.vectors @ directions)
    missed = []
    for start in range(0, len(rows), _BLOCK_ROWS):
        some = rows[start : start + _BLOCK_ROWS]
        _, found = index.search(best.rows.vectors[some] @ directions, _NEIGHBOURS)
        foreign = best.rows.owners[some, np.newaxis] != best.columns.owners[found]
        which, place = np.nonzero(foreign & (found >= 0))
        columns = found[which, place]
        worth = _worth_offering(best, some, which, _inner_products(best, some[which], columns))
        best.offer(some[which[worth]], columns[worth])
        missed.append(np.delete(some, which))
    return np.concatenate(missed)


def _principal_directions(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 [d, k]: the k directions in which the vectors differ most, k at most 128."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    covariance = (vectors.T @ vectors).astype(np.float64) / len(vectors) - np.outer(mean, mean)
    # eigh sorts by ascending variance.
    directions = np.linalg.eigh(covariance).eigenvectors[:, ::-1][:, :_DIRECTIONS]
    return np.ascontiguousarray(directions, dtype=np.float32)


def _hnsw(vectors: NDArray[np.float32]) -> faiss.IndexHNSWFlat:
    # Euclidean: the projections differ in length, and by inner product the long draw
    # every search to themselves. Among vectors of length 1 both orders are the same.
    index = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS)
    index.hnsw.efConstruction = _BUILD_BEAM
    index.hnsw.efSearch = _SEARCH_BEAM
    with one_thread():
        index.add(vectors)
    return index


def _worth_offering(
    best: BestSoFar,
    rows: NDArray[np.int64],
    which: NDArray[np.int64],
    sums: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Which pairs of a list may be the best of their row; pair i has row `rows[which[i]]`."""
    highest = np.full(len(rows), -np.inf, dtype=np.float32)
    np.maximum.at(highest, which, sums)
    return np.asarray(sums >= best.worth_offering(rows, highest)[which], dtype=np.bool_)


def _offer_block(
    best: BestSoFar,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    jaccards: NDArray[np.float32] | None,
) -> None:
    """Offer the best pairs of a dense block, with these Jaccards [rows, columns] (None: all 0)."""
    sums = best.rows.vectors[rows] @ best.columns.vectors[columns].T
    if jaccards is not None:
        sums += jaccards
    sums[_same_owner(best.rows.owners[rows], best.columns.owners[columns])] = -np.inf
    floor = best.worth_offering(rows, sums.max(axis=1))
    which, found = np.nonzero(sums >= floor[:, np.newaxis])
    best.offer(rows[which], columns[found])


def _same_owner(
    row_owners: NDArray[np.int64], column_owners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places in a block where a passage meets itself: few, so they are listed, not masked."""
    order = np.argsort(column_owners, kind="stable")
    ordered = column_owners[order]
    which, position = spans(
        np.searchsorted(ordered, row_owners, "left"), np.searchsorted(ordered, row_owners, "right")
    )
    return which, order[position]


def _inner_products(
    best: BestSoFar, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Dot product of each pair; FAISS reads the vectors in place, numpy would copy them."""
    products = np.empty(len(rows), dtype=np.float32)
    faiss.pairwise_indexed_inner_product(  # type: ignore[attr-defined]  # made at import by SWIG
        best.rows.vectors.shape[1],
        len(rows),
        faiss.swig_ptr(best.rows.vectors),
        faiss.swig_ptr(rows),
        faiss.swig_ptr(best.columns.vectors),
        faiss.swig_ptr(columns),
        faiss.swig_ptr(products),
    )
    return products


def _marks(
    best: BestSoFar, frequent: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For rows and for columns: one bit for each frequent keyword that the question has."""
    bits = np.uint64(1) << np.arange(len(frequent), dtype=np.uint64)
    marks = []
    for side in (best.rows, best.columns):
        having = side.keywords[:, frequent].tocoo()
        mark = np.zeros(len(side.ids), dtype=np.uint64)
        np.bitwise_or.at(mark, having.row, bits[having.col])
        marks.append(mark)
    return marks[0], marks[1]


def _parts(weights: NDArray[np.float64], limit: int) -> Iterator[slice]:
    """Consecutive slices whose weights add up to at most `limit`, or that hold one element."""
    sums = np.cumsum(weights)
    start = 0
    while start < len(sums):
        before = sums[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(sums, before + limit, "right")))
        yield slice(start, stop)
        start = stop


def _blocks(
    rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for start in range(0, len(rows), _BLOCK_ROWS):
        for left in range(0, len(columns), _BLOCK_COLUMNS):
            yield rows[start : start + _BLOCK_ROWS], columns[left : left + _BLOCK_COLUMNS]
