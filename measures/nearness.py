"""How near a question is to what an index holds."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ("FAR", "Nearness")


class Nearness(NamedTuple):
    """How near the index's best passages are to a question.

    The numbers depend neither on the size of the corpus nor on the length of the question.

    Attributes:
        cosine: Of the best passage with the question, -1 to 1; 0 without a dense part.
        outstanding: Standard deviations of the best passages' mean cosine above that of the
            corpus's passages with this question; 0 without a dense part.
        words: Share of the question's word weight (BM25) that the best passage holds, 0 to 1; a
            word that the corpus lacks counts as its rarest. 0 without a sparse part.
    """

    cosine: float
    outstanding: float
    words: float


FAR: Final = Nearness(0.0, 0.0, 0.0)
"""Nothing is near: there is no index, or it has neither part."""
