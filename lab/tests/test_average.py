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


def change(one: Matrices) -> npt.NDArray[Any]:
    return np.asarray(one[B] @ one[A])


def test_the_ends_are_the_adapters_themselves() -> None:
    one, other = adapter(1), adapter(2)
    for share, wanted in ((0.0, one), (1.0, other)):
        mixed, kept = between(one, other, share)
        assert change(mixed) == pytest.approx(change(wanted))
        assert kept == pytest.approx(1)
        assert mixed[A].shape == one[A].shape
        assert mixed[B].shape == one[B].shape


def test_changes_that_fit_the_rank_are_averaged_exactly() -> None:
    one = adapter(3)
    other = {A: one[A], B: adapter(4)[B]}  # the same rows: their mean has the rank of each
    mixed, kept = between(one, other, 0.25)
    assert change(mixed) == pytest.approx(0.75 * change(one) + 0.25 * change(other))
    assert kept == pytest.approx(1)


def test_what_does_not_fit_is_the_nearest_of_the_rank_and_is_said() -> None:
    one, other = adapter(5), adapter(6)
    mixed, kept = between(one, other, 0.5)
    mean = (change(one) + change(other)) / 2
    values = np.linalg.svd(mean, compute_uv=False)
    assert kept == pytest.approx((values[:2] ** 2).sum() / (values**2).sum())
    lost = np.linalg.norm(mean - change(mixed))
    assert lost == pytest.approx(np.sqrt((values[2:] ** 2).sum()))


def test_adapters_of_other_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="different matrices"):
        between(adapter(1), {"layers.1.q_proj.lora_A.weight": np.zeros((2, 7))}, 0.5)
