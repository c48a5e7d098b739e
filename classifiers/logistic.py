"""A regularised logistic regression over a network's output and the corpus's nearness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.measures.nearness import Nearness

__all__ = ("Fit", "fit")

Floats = npt.NDArray[np.float64]
_FOLDS: Final = 5
_PENALTIES: Final = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""C of scikit-learn, the inverse of the L2 penalty."""


class Fit(NamedTuple):
    """The fitted model: logit = bias + weights · columns + Σ weight · (value − mean).

    Attributes:
        weights: [d], of the columns.
        bias: The constant.
        nearness: Weight and mean of each field of `Nearness`. A value that is missing counts as
            the mean.
        penalty: The C that cross-validation chose.
        probabilities: [n], each from a fit that did not see its question.
    """

    weights: Floats
    bias: float
    nearness: dict[str, tuple[float, float]]
    penalty: float
    probabilities: Floats


def fit(
    columns: Floats, nearness: Sequence[Nearness], labels: Sequence[int], *, seed: int = 0
) -> Fit:
    """Fit P(label = 1), with the penalty of least cross-validated log loss.

    Args:
        columns: [n, d], of about unit variance.
        nearness: [n].
        labels: [n], 0 or 1, at least five of each.
        seed: Of the five folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    given = np.array([[np.nan if v is None else v for v in row] for row in nearness], dtype=float)
    known = ~np.isnan(given).all(axis=0)  # an index without a part has no such numbers
    mean, deviation = np.zeros(given.shape[1]), np.ones(given.shape[1])
    mean[known] = np.nanmean(given[:, known], axis=0)
    deviation[known] = np.nanstd(given[:, known], axis=0)
    deviation[deviation == 0] = 1.0
    scaled = np.nan_to_num((given - mean) / deviation)
    matrix, classes = np.hstack([columns, scaled]), np.asarray(labels)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)

    def held_out(penalty: float) -> Floats:
        model = LogisticRegression(C=penalty, max_iter=5000)
        found = cross_val_predict(model, matrix, classes, cv=folds, method="predict_proba")
        return np.asarray(found[:, 1])

    tried = {penalty: held_out(penalty) for penalty in _PENALTIES}
    penalty = min(tried, key=lambda each: float(log_loss(classes, tried[each])))
    model = LogisticRegression(C=penalty, max_iter=5000).fit(matrix, classes)
    coefficients, width = model.coef_[0], columns.shape[1]
    near = zip(Nearness._fields, coefficients[width:] / deviation, mean, known, strict=True)
    return Fit(
        coefficients[:width],
        float(model.intercept_[0]),
        {name: (float(weight), float(at)) for name, weight, at, there in near if there},
        penalty,
        tried[penalty],
    )
