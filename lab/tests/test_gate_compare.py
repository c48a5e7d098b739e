from __future__ import annotations

import json
from collections.abc import Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest

from hopyard.classifiers.labels import Label, LabelFile
from hopyard.classifiers.t5 import SCRATCH
from hopyard.models.embedder import Vectors
from hopyard.models.embeddings import MiniLMEmbedder
from lab.gate_compare import Fitted, compare, kept_at_recall, main, majority, regression, t5
from lab.tests.gate_labels import separable


def colours(texts: list[str]) -> Vectors:
    return np.array([[float("red" in text), 1.0] for text in texts], dtype=np.float32)


def test_the_threshold_keeps_the_recall() -> None:
    probabilities, labels = [0.9, 0.7, 0.6, 0.2, 0.65, 0.5, 0.1], [1, 1, 1, 1, 0, 0, 0]
    assert kept_at_recall(probabilities, labels, 1.0) == pytest.approx(1 / 3)  # below 0.2
    assert kept_at_recall(probabilities, labels, 0.75) == pytest.approx(2 / 3)  # below 0.6
    assert kept_at_recall(probabilities, labels, 0.5) == 1.0
    assert kept_at_recall([0.5] * 4, [1, 1, 0, 0], 0.97) == 0.0


def test_no_question_is_judged_by_what_was_trained_on_it() -> None:
    judged: list[str] = []

    def candidate(labels: Sequence[Label]) -> Fitted:
        seen = {row.question for row in labels}
        assert sum(row.label or 0 for row in labels) == len(labels) / 2

        def probability(question: str) -> float:
            if question not in seen:
                judged.append(question)
            return 0.8 if "blue" in question else 0.4

        return Fitted(probability, 2_000_000)

    rows = separable()
    found = compare(rows, {"made": candidate}, folds=4, seed=1)["made"]
    assert set(judged) == {row.question for row in rows}
    assert (found["auroc"], found["accuracy"], found["kept_at_recall"]) == (1.0, 1.0, 1.0)
    assert found["log_loss"] == pytest.approx(-(log(0.8) + log(0.6)) / 2, abs=1e-4)
    assert found["ece"] == pytest.approx(0.3)  # 0.2 of one class, 0.4 of the other
    assert found["megabytes"] == 2.0
    assert "log_loss_difference" not in found


def test_the_larger_class_and_the_regression() -> None:
    rows = [*separable(10), *(row for row in separable(20) if row.label)][:40]
    assert majority(rows).probability("anything") == 30 / 40
    candidates = {
        "minilm-logistic": regression(colours, 1),
        "majority": majority,
    }
    found = compare(rows, candidates, folds=2, seed=1)
    assert found["minilm-logistic"]["auroc"] == 1.0
    assert found["minilm-logistic"]["log_loss"] < 0.1
    assert found["minilm-logistic"]["log_loss_difference"] == [0, 0, 0]
    assert found["majority"]["accuracy"] == 0.75
    mean, low, high = found["majority"]["log_loss_difference"]
    assert 0 < low < mean < high


def test_a_t5_is_trained_as_the_product_trains_it() -> None:
    fitted = t5(SCRATCH, 3e-3, [], 1)(separable())
    assert fitted.probability("red 3") < fitted.probability("blue 3")
    assert fitted.bytes > 1e5


def test_the_command_writes_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(MiniLMEmbedder, "embed_documents", lambda _, texts: colours(texts))
    LabelFile(tmp_path / "labels.jsonl").append(separable())
    out = tmp_path / "result.json"
    given = [str(tmp_path / "labels.jsonl"), "--out", str(out), "--folds", "2"]
    assert main(given) == 0
    report = json.loads(out.read_text())
    assert report["command"].endswith("--folds 2")
    assert report["labels"] == {"retrieve": 12, "all": 24}
    assert list(report["candidates"]) == ["majority", "minilm-logistic"]
    assert report["candidates"]["minilm-logistic"]["accuracy"] == 1.0
    with pytest.raises(SystemExit):
        main([*given, "--t5", "no-base"])
    assert "NAME=BASE@RATE" in capsys.readouterr().err
