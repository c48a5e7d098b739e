"""How often the 95 % intervals of few questions hold the true mean.

    python benchmarks/interval_coverage.py

Draws samples of 8 to 30 scores from distributions whose mean is known, and counts the intervals
that hold it: the BCa bootstrap of `hopyard.measures`, and the percentile bootstrap beside it. A
thousand samples each: a coverage of 95 % is known to 1.4 points. Writes
`benchmarks/results/interval_coverage.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import bootstrap

from hopyard.measures.bootstrap import LEVEL, SEED, difference
from hopyard.measures.exact import score_interval

RESULTS: Final = Path(__file__).parent / "results" / "interval_coverage.json"
SAMPLES: Final = 1_000
SIZES: Final = (8, 12, 15, 30)
SCORES: Final = {
    "wins, mean 50 %": ((0.0, 0.5, 1.0), (0.4, 0.2, 0.4)),
    "wins, mean 70 %": ((0.0, 0.5, 1.0), (0.2, 0.2, 0.6)),
    "wins, mean 85 %": ((0.0, 0.5, 1.0), (0.1, 0.1, 0.8)),
    "right answers, 70 %": ((0.0, 1.0), (0.3, 0.7)),
    "right answers, 90 %": ((0.0, 1.0), (0.1, 0.9)),
    "F1, mean 63 %": ((0.0, 0.4, 0.67, 0.8, 1.0), (0.25, 0.1, 0.1, 0.15, 0.4)),
}
"""Values of a question's score, and how likely they are."""
DIFFERENCES: Final = {
    "difference, 35 % of the questions differ": ((-1.0, 0.0, 1.0), (0.05, 0.65, 0.3)),
    "difference, 10 % of the questions differ": ((-1.0, 0.0, 1.0), (0.02, 0.9, 0.08)),
}


def percentile(values: Sequence[float], measured: Callable[..., Any]) -> tuple[float, float]:
    """The percentile bootstrap; of equal values the measured interval, which takes no bootstrap."""
    if min(values) == max(values):
        low, high = measured(values)
        return low, high
    found = bootstrap((values,), np.mean, confidence_level=LEVEL, method="percentile", rng=SEED)
    return found.confidence_interval


def of_difference(values: Sequence[float]) -> tuple[float, float]:
    """The interval of a difference to a baseline."""
    return difference(values, [0.0] * len(values))[1:]


def coverage(
    drawn: Sequence[Sequence[float]], mean: float, method: Callable[..., Any]
) -> dict[str, float]:
    """The share of intervals that hold the mean, in percent, and their mean width in points."""
    bounds = np.array([method(values) for values in drawn], dtype=float)
    held = (bounds[:, 0] <= mean + 1e-9) & (mean - 1e-9 <= bounds[:, 1])
    width = (bounds[:, 1] - bounds[:, 0]).mean()
    return {"coverage": round(100 * held.mean(), 1), "width": round(100 * width, 1)}


def main() -> None:
    """Simulate every distribution and size."""
    rng, rows = np.random.default_rng(SEED), []
    for name, (values, shares) in {**SCORES, **DIFFERENCES}.items():
        measured = of_difference if name in DIFFERENCES else lambda each: score_interval(each)[1:]
        mean = float(np.dot(values, shares))
        for size in SIZES:
            drawn = rng.choice(values, p=shares, size=(SAMPLES, size)).tolist()
            row = {"bca": coverage(drawn, mean, measured)}
            row["percentile"] = coverage(drawn, mean, partial(percentile, measured=measured))
            rows.append({"scores": name, "questions": size, **row})
            print(rows[-1], flush=True)
    text = json.dumps({"samples": SAMPLES, "rows": rows}, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
