"""Compare networks for the gate on the same labels, each question by a gate that has not seen it.

    python -m lab.gate_compare LABELS... --out RESULT.json --t5 scratch=scratch \
        --t5 minilm=minilm --t5 distilled=FOLDER@2e-4

The labels are cut into folds with equal shares of both classes. The product's own trainer makes a
gate from the other folds, which then judges the fold. `--t5 NAME=BASE@RATE` names what
`hopyard gate train --base` takes, or `scratch` or `minilm` (`lab.small_t5`), and a learning rate.
Three candidates are always there: the share of the larger class, a logistic regression over the
sentence vector alone, and the product's head. With `--question-only` no gate sees the nearness.
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
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from hopyard.classifiers.evaluate import accuracy, auroc, expected_calibration_error
from hopyard.classifiers.labels import Label, check_classes, read_labels
from hopyard.classifiers.manifest import VECTOR, TrainSettings
from hopyard.classifiers.retrieval_gate import EmbedWith, RetrievalGate
from hopyard.classifiers.train import EMBEDDING, LEAST, fit, train_gate
from hopyard.measures.bootstrap import difference
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.nodes.resources import shared_resources
from lab.small_t5 import MINILM, SCRATCH, make_network, save_base

__all__ = (
    "Candidate",
    "Trained",
    "compare",
    "kept_at_recall",
    "main",
    "majority",
    "regression",
    "trained",
)

Floats = npt.NDArray[np.float64]
RECALL: Final = 0.97
"""Of the questions that need retrieval, how many the gate has to retrieve for."""
TIMED: Final = 60
"""Questions of the timing, after five that warm up."""
_SCALE: Final = 4.0
"""As the product's head scales unit vectors."""
_SMALLEST: Final = 1e-6
"""A probability of 0 for what happens would cost infinitely much."""


class Trained(NamedTuple):
    """A trained candidate.

    Attributes:
        probability: That a question needs retrieval, by its text and the corpus's nearness.
        threshold: The lowest probability at which it retrieves.
        bytes: Of its files.
    """

    probability: Callable[[str, Nearness], float]
    threshold: float
    bytes: int


Candidate = Callable[[Sequence[Label]], Trained]
"""Trains on labels."""


def majority(labels: Sequence[Label]) -> Trained:
    """The share of questions that need retrieval, for every question."""
    share = statistics.fmean(float(row.label or 0) for row in labels)
    return Trained(lambda question, nearness: share, 0.5, 0)


def regression(labels: Sequence[Label], *, embed: EmbedWith) -> Trained:
    """An L2-regularised logistic regression over the sentence vector."""
    vectors = np.array([embed(row.question, EMBEDDING) for row in labels], dtype=np.float64)
    found = fit(
        _SCALE * vectors,
        [UNMEASURED for _ in labels],
        [int(row.label or 0) for row in labels],
    )

    def probability(question: str, nearness: Nearness) -> float:
        return float(expit(found.bias + _SCALE * found.weights @ embed(question, EMBEDDING)))

    return Trained(probability, 0.5, found.weights.astype(np.float32).nbytes)


def trained(
    labels: Sequence[Label], *, settings: TrainSettings, embed: EmbedWith, texts: Sequence[str] = ()
) -> Trained:
    """A gate of the product, as `hopyard gate train` makes it."""
    with tempfile.TemporaryDirectory() as made:
        folder, base = Path(made, "gate"), Path(made, "base")
        if settings.base in {SCRATCH, MINILM}:
            read = [*texts, *(row.question for row in labels)]
            network = make_network(read, base=settings.base, dropout=0.1, seed=settings.seed)
            save_base(network, base)
            settings = settings.model_copy(update={"base": str(base)})
        train_gate(labels, settings, folder, embed=embed, progress=lambda *_: None)
        gate = RetrievalGate.load(folder, embed)
        size = sum(file.stat().st_size for file in folder.iterdir())
    return Trained(gate.probability, gate.manifest.threshold, size)


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
        folds: Of the cross-validation, two at least.
        seed: Of the folds.
        done: Called with each result.

    Returns:
        By name. `accuracy` is at a probability of one half; `kept` of the questions that need no
        retrieval and `retrieved` of those that do are shares at the candidate's own threshold;
        `log_loss_difference` is to the head, with its 95 % interval.
    """
    wanted = np.array([row.label for row in labels])
    results: dict[str, dict[str, Any]] = {}
    losses: dict[str, list[float]] = {}
    for name, candidate in candidates.items():
        probabilities, decisions, costs = _cross_validate(labels, wanted, candidate, folds, seed)
        losses[name] = _losses(probabilities, wanted).tolist()
        results[name] = {
            "auroc": round(auroc(probabilities, wanted), 4),
            "accuracy": round(accuracy(probabilities, wanted, 0.5), 4),
            "log_loss": round(statistics.fmean(losses[name]), 4),
            "ece": round(expected_calibration_error(probabilities, wanted), 4),
            "kept": round(float((~decisions[wanted == 0]).mean()), 4),
            "retrieved": round(float(decisions[wanted == 1].mean()), 4),
            "kept_at_recall": round(kept_at_recall(probabilities, wanted, RECALL), 4),
            **costs,
        }
        if VECTOR in losses:
            change = difference(losses[name], losses[VECTOR])
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
) -> tuple[Floats, npt.NDArray[np.bool_], dict[str, float]]:
    """Probability and decision of each question by a gate without it, and what the gates cost."""
    from sklearn.model_selection import StratifiedKFold

    probabilities, decisions = np.zeros(len(labels)), np.zeros(len(labels), dtype=np.bool_)
    seconds, sizes, times = [], [], []
    cut = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, test in cut.split(wanted, wanted):
        started = time.process_time()
        made = candidate([labels[place] for place in train])
        seconds.append(time.process_time() - started)
        sizes.append(made.bytes)
        rows = [labels[place] for place in test]
        probabilities[test] = [made.probability(row.question, row.nearness) for row in rows]
        decisions[test] = probabilities[test] >= made.threshold
        times.append(_milliseconds(made, rows))
    return (
        probabilities,
        decisions,
        {
            "cpu_ms": round(min(times), 2),
            "megabytes": round(statistics.fmean(sizes) / 1e6, 2),
            "training_cpu_seconds": round(statistics.fmean(seconds), 1),
        },
    )


def _milliseconds(made: Trained, rows: Sequence[Label]) -> float:
    """The median processor time of a decision."""
    times = []
    for row in rows[: TIMED + 5]:
        started = time.process_time()
        made.probability(row.question, row.nearness)
        times.append((time.process_time() - started) * 1000)
    return statistics.median(times[5:] or times)


def _losses(probabilities: Floats, wanted: npt.NDArray[Any]) -> Floats:
    """The negative log-likelihood of each label."""
    given = np.where(wanted == 1, probabilities, 1 - probabilities)
    return np.asarray(-np.log(np.maximum(given, _SMALLEST)))


def _t5_of(text: str) -> tuple[str, str, float]:
    """Name, base and rate of NAME=BASE or NAME=BASE@RATE."""
    name, _, base = text.partition("=")
    base, _, rate = base.partition("@")
    if not base:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=BASE or NAME=BASE@RATE")
    return name, base, float(rate or TrainSettings().rate)


def _texts(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["text"]) for line in lines if line.strip()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, compare, and write one JSON file."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", type=Path, nargs="+", help="labels of the train split (.jsonl)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--t5", type=_t5_of, action="append", default=[], metavar="NAME=BASE@RATE")
    parser.add_argument("--text", type=Path, help="for the vocabulary of scratch (.jsonl)")
    parser.add_argument("--question-only", action="store_true", help="hide the corpus's nearness")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(given)
    import torch

    torch.set_num_threads(1)
    labels = [row for path in options.labels for row in read_labels(path) if row.label is not None]
    if options.question_only:
        labels = [row.model_copy(update={"nearness": UNMEASURED}) for row in labels]
    check_classes(labels, 2 * LEAST)
    embed = shared_resources().embed_question
    train = partial(
        trained,
        embed=embed,
        texts=_texts(options.text) if options.text else [],
    )
    candidates: dict[str, Candidate] = {
        "majority": majority,
        "logistic": partial(regression, embed=embed),
    }
    for name, base, rate in [(VECTOR, VECTOR, TrainSettings().rate), *options.t5]:
        settings = TrainSettings(base=base, rate=rate, seed=options.seed)
        candidates[name] = partial(train, settings=settings)
    report: dict[str, Any] = {
        "command": "python -m lab.gate_compare " + shlex.join(given),
        "labels": {"retrieve": sum(row.label or 0 for row in labels), "all": len(labels)},
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
