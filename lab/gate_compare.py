"""Compare classifiers for the gate on the same labels, each question by a classifier without it.

    python -m lab.gate_compare LABELS --out RESULT.json --t5 scratch=scratch --t5 minilm=minilm \
        --t5 distilled=FOLDER@2e-4

Cross-validation: the labels are cut into folds with equal shares of both classes; what is trained
on the other folds answers a fold. A T5 is trained by the product's own trainer, which holds out a
fifth of the other folds for early stopping and calibration. `--t5 NAME=BASE@RATE` names what
`hopyard gate train --base` takes, and a learning rate if not the trainer's own. Two classifiers are
always compared with them: the share of the larger class, and a logistic regression over MiniLM's
sentence vector.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.classifiers.labels import Label, check_classes, read_labels
from hopyard.classifiers.measures import accuracy, auroc, expected_calibration_error
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.classifiers.train import LEAST, TrainSettings, train_gate
from hopyard.cli.gate_agent import read_texts
from hopyard.measures.bootstrap import difference
from hopyard.models.embedder import Vectors
from hopyard.models.embeddings import MiniLMEmbedder

__all__ = (
    "Candidate",
    "Fitted",
    "compare",
    "kept_at_recall",
    "main",
    "majority",
    "regression",
    "t5",
)

Floats = npt.NDArray[np.float64]
RECALL: Final = 0.97
"""Of the questions that need retrieval, how many the gate has to retrieve for."""
TIMED: Final = 60
"""Questions of the timing, after five that warm up."""
_BASELINE: Final = "minilm-logistic"
_SMALLEST: Final = 1e-6
"""A probability of 0 for what happens would cost infinitely much."""


class Fitted(NamedTuple):
    """A trained classifier.

    Attributes:
        probability: That a question needs retrieval, calibrated.
        bytes: What the classifier adds to an installation that has MiniLM.
    """

    probability: Callable[[str], float]
    bytes: int


Candidate = Callable[[Sequence[Label]], Fitted]
"""Trains on labels."""


def majority(labels: Sequence[Label]) -> Fitted:
    """The share of questions that need retrieval, for every question."""
    share = statistics.fmean(float(row.label or 0) for row in labels)
    return Fitted(lambda question: share, 0)


def regression(embed: Callable[[list[str]], Vectors], seed: int) -> Candidate:
    """A logistic regression over a sentence vector, its L2 penalty chosen by cross-validation."""

    def fit(labels: Sequence[Label]) -> Fitted:
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

        search = GridSearchCV(
            LogisticRegression(max_iter=1000),
            {"C": [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]},
            scoring="neg_log_loss",
            cv=StratifiedKFold(LEAST - 1, shuffle=True, random_state=seed),
        )
        search.fit(embed([row.question for row in labels]), [row.label for row in labels])
        model = search.best_estimator_
        size = model.coef_.astype(np.float32).nbytes

        def probability(question: str) -> float:
            return float(model.predict_proba(embed([question]))[0, 1])

        return Fitted(probability, size)

    return fit


def t5(base: str, rate: float, texts: Sequence[str], seed: int) -> Candidate:
    """A gate of the product, as `hopyard gate train` makes it."""

    def fit(labels: Sequence[Label]) -> Fitted:
        settings = TrainSettings(base=base, rate=rate, seed=seed)
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            train_gate(labels, settings, folder, texts=texts, progress=lambda *_: None)
            gate = RetrievalGate.load(folder)
            size = sum(file.stat().st_size for file in folder.iterdir())
        return Fitted(gate.probability, size)

    return fit


def compare(
    labels: Sequence[Label],
    candidates: dict[str, Candidate],
    *,
    folds: int,
    seed: int,
    done: Callable[[str, dict[str, Any]], None] = lambda *_: None,
) -> dict[str, dict[str, Any]]:
    """Train and measure each candidate.

    Args:
        labels: Labelled questions.
        candidates: By name.
        folds: Of the cross-validation.
        seed: Of the folds.
        done: Called with each result.

    Returns:
        By name. `log_loss_difference` is to the logistic regression, with its 95 % interval.
    """
    wanted = np.array([row.label for row in labels])
    results: dict[str, dict[str, Any]] = {}
    losses: dict[str, list[float]] = {}
    for name, candidate in candidates.items():
        probabilities, measured = _cross_validate(labels, wanted, candidate, folds, seed)
        losses[name] = _losses(probabilities, wanted).tolist()
        results[name] = {
            "auroc": round(auroc(probabilities, wanted), 4),
            "accuracy": round(accuracy(probabilities, wanted, 0.5), 4),
            "log_loss": round(statistics.fmean(losses[name]), 4),
            "ece": round(expected_calibration_error(probabilities, wanted), 4),
            "kept_at_recall": round(kept_at_recall(probabilities, wanted, RECALL), 4),
            **measured,
        }
        if _BASELINE in losses:
            change = difference(losses[name], losses[_BASELINE])
            results[name]["log_loss_difference"] = [round(value, 4) for value in change]
        done(name, results[name])
    return results


def kept_at_recall(probabilities: npt.ArrayLike, labels: npt.ArrayLike, recall: float) -> float:
    """The share of class 0 below the highest threshold that retrieves that share of class 1.

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.
        recall: The share of class 1 that reaches the threshold at least.
    """
    scores, classes = np.asarray(probabilities), np.asarray(labels)
    needs = np.sort(scores[classes == 1])[::-1]
    threshold = needs[int(np.ceil(recall * len(needs))) - 1]
    return float((scores[classes == 0] < threshold).mean())


def _cross_validate(
    labels: Sequence[Label], wanted: npt.NDArray[Any], candidate: Candidate, folds: int, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Each question's probability by a classifier that has not seen it, and what it costs."""
    from sklearn.model_selection import StratifiedKFold

    probabilities = np.zeros(len(labels))
    seconds, sizes, fitted = [], [], None
    cut = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in cut.split(wanted, wanted):
        started = time.monotonic()
        fitted = candidate([labels[place] for place in train])
        seconds.append(time.monotonic() - started)
        sizes.append(fitted.bytes)
        probabilities[test] = [fitted.probability(labels[place].question) for place in test]
    if fitted is None:
        raise ValueError("A cross-validation has two folds at least.")
    return probabilities, {
        "milliseconds": round(_milliseconds(fitted, [row.question for row in labels]), 2),
        "megabytes": round(statistics.fmean(sizes) / 1e6, 2),
        "training_seconds": round(statistics.fmean(seconds), 1),
    }


def _milliseconds(fitted: Fitted, questions: Sequence[str]) -> float:
    """The median processor time of a decision."""
    times = []
    for question in questions[: TIMED + 5]:
        started = time.process_time()
        fitted.probability(question)
        times.append((time.process_time() - started) * 1000)
    return statistics.median(times[5:] or times)


def _losses(probabilities: Floats, wanted: npt.NDArray[Any]) -> Floats:
    """The negative log-likelihood of each label."""
    given = np.where(wanted == 1, probabilities, 1 - probabilities)
    return np.asarray(-np.log(np.maximum(given, _SMALLEST)))


def _t5_of(text: str) -> tuple[str, str, float]:
    """Name, base and rate of NAME=BASE or NAME=BASE@RATE."""
    name, separator, base = text.partition("=")
    base, _, rate = base.partition("@")
    if not separator or not base:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=BASE or NAME=BASE@RATE")
    return name, base, float(rate or 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, compare, and write one JSON file."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", type=Path, nargs="+", help="labels of the train split (.jsonl)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--t5", type=_t5_of, action="append", default=[], metavar="NAME=BASE@RATE")
    parser.add_argument("--text", type=Path, help="for the vocabulary of scratch (.jsonl)")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(given)
    import torch

    torch.set_num_threads(1)
    labels = [row for path in options.labels for row in read_labels(path) if row.label is not None]
    check_classes(labels, 2 * LEAST)
    texts = read_texts(options.text) if options.text else []
    candidates = {
        "majority": majority,
        _BASELINE: regression(MiniLMEmbedder().embed_documents, options.seed),
    }
    for name, base, rate in options.t5:
        candidates[name] = t5(base, rate, texts, options.seed)

    report: dict[str, Any] = {
        "command": "python -m lab.gate_compare " + shlex.join(given),
        "labels": {"retrieve": sum(row.label or 0 for row in labels), "all": len(labels)},
        "folds": options.folds,
        "seed": options.seed,
        "candidates": {},
    }

    def done(name: str, result: dict[str, Any]) -> None:
        print(name, json.dumps(result), flush=True)
        report["candidates"][name] = result
        options.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")

    compare(labels, candidates, folds=options.folds, seed=options.seed, done=done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
