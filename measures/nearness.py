"""How near a question is to what an index holds."""

from __future__ import annotations

from typing import Final, NamedTuple


class Nearness(NamedTuple):
    """How near the index's best passages are to a question; None where a part is missing.

    Attributes:
        cosine: Of the best passage with the question, -1 to 1 (dense).
        outstanding: Standard deviations of the best passages' mean cosine above that of the
            corpus's passages with this question (dense).
        words: Share that the best passage holds of the weight of those of the question's words
            that the corpus has, 0 to 1 (BM25).
        known: Share of the question's word weight that the corpus has at all, 0 to 1.
    """

    cosine: float | None = None
    outstanding: float | None = None
    words: float | None = None
    known: float | None = None


UNMEASURED: Final = Nearness()
"""Of a question without an index."""
