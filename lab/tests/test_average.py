from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lab.average import between

Matrices = dict[str, npt.NDArray[Any]]

A, B = "layers.0.q_proj.lora_A.weight", "layers.0.q_proj.lora_B.weight"


def adapter(seed: int, rank: int = 2) -> Matrices:
    rng = np.random.default_rng(seed)
    return {A: rng.normal(size=(rank, 7)), B: rng.normal(size=(5, rank))}


def change(first: Matrices) -> npt.NDArray[Any]:
    return np.asarray(first[B] @ first[A])


def test_the_ends_are_the_adapters_themselves() -> None:
    first, second = adapter(1), adapter(2)
    for share, wanted in ((0.0, first), (1.0, second)):
        mixed, kept = between(first, second, share)
        assert change(mixed) == pytest.approx(change(wanted))
        assert kept == pytest.approx(1)
        assert mixed[A].shape == first[A].shape
        assert mixed[B].shape == first[B].shape


def test_changes_that_fit_the_rank_are_averaged_exactly() -> None:
    first = adapter(3)
    second = {A: first[A], B: adapter(4)[B]}  # the same rows: their mean has the rank of each
    mixed, kept = between(first, second, 0.25)
    assert change(mixed) == pytest.approx(0.75 * change(first) + 0.25 * change(second))
    assert kept == pytest.approx(1)


def test_what_does_not_fit_is_the_nearest_of_the_rank_and_is_said() -> None:
    first, second = adapter(5), adapter(6)
    mixed, kept = between(first, second, 0.5)
    mean = (change(first) + change(second)) / 2
    values = np.linalg.svd(mean, compute_uv=False)
    assert kept == pytest.approx((values[:2] ** 2).sum() / (values**2).sum())
    lost = np.linalg.norm(mean - change(mixed))
    assert lost == pytest.approx(np.sqrt((values[2:] ** 2).sum()))


def test_adapters_of_other_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="different matrices"):
        between(adapter(1), {"layers.1.q_proj.lora_A.weight": np.zeros((2, 7))}, 0.5)
