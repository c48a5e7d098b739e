"""Temperature scaling (Guo et al., "On Calibration of Modern Neural Networks", 2017)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ("best_temperature", "negative_log_likelihood")

_BOUNDS: Final = (0.25, 20.0)
"""Without bounds, a few held-out questions that are all right would give 0."""


def negative_log_likelihood(logits: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The mean binary cross-entropy of logits [n] against labels [n]."""
    scores = np.asarray(logits, dtype=np.float64)
    return float((np.logaddexp(0, scores) - np.asarray(labels) * scores).mean())


def best_temperature(logits: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The T > 0 that makes z / T most likely (section 4.2).

    Args:
        logits: [n], of held-out questions.
        labels: [n], 0 or 1.

    Returns:
        0.25 to 20.
    """
    from scipy.optimize import minimize_scalar

    scores = np.asarray(logits, dtype=np.float64)
    found: Any = minimize_scalar(
        lambda log: negative_log_likelihood(scores / np.exp(log), labels),
        bounds=tuple(np.log(_BOUNDS)),
        method="bounded",
    )
    return float(np.exp(found.x))
