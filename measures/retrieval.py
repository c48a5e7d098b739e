"""Retrieval measures against the supporting documents, computed by `ir-measures` (TREC's)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

PRECISION: Final = "precision"
RECALL: Final = "recall"
F1: Final = "f1"
RECALL_AT_5: Final = "recall_at_5"


def recall_at(k: int) -> str:
    """The name of recall in the first k."""
    return f"recall_at_{k}"


def unique(document_ids: Iterable[str]) -> list[str]:
    """Remove repeated documents; each keeps the place of its first passage."""
    return list(dict.fromkeys(document_ids))


def retrieval_measures(
    found: Mapping[str, Sequence[str]],
    gold: Mapping[str, Sequence[str]],
    ks: Sequence[int] = (5,),
) -> dict[str, dict[str, float]]:
    """Set precision, recall and F1 (van Rijsbergen 1979), and recall in the first k.

    Args:
        found: Document ids by question, the best first.
        gold: Supporting document ids by question; questions without any are left out.

    Returns:
        By question: precision, recall, f1, recall_at_K; each 0 to 1.
    """
    wanted = {question: dict.fromkeys(names, 1) for question, names in gold.items() if names}
    ranked = {
        # ir-measures ranks by score: the place, counted down.
        question: {
            name: float(-place) for place, name in enumerate(unique(found.get(question, ())))
        }
        for question in wanted
    }
    values: dict[str, dict[str, float]] = {question: {} for question in wanted}
    if not wanted:
        return values
    ir_measures, measures = _ir_measures(), _measures(tuple(ks))
    for found_value in ir_measures.iter_calc(list(measures), wanted, ranked):
        values[found_value.query_id][measures[found_value.measure]] = float(found_value.value)
    return values


@lru_cache(maxsize=1)
def _ir_measures() -> Any:
    import ir_measures

    return ir_measures


@lru_cache(maxsize=8)
def _measures(ks: tuple[int, ...]) -> dict[Any, str]:
    """The library's measures with our names."""
    library = _ir_measures()
    named = {library.SetP: PRECISION, library.SetR: RECALL, library.SetF: F1}
    return named | {library.R @ k: recall_at(k) for k in ks}
