from __future__ import annotations

import json
from collections.abc import Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest

from hopyard.classifiers.labels import Label, LabelFile
from hopyard.classifiers.manifest import TrainSettings
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.builtin.e5 import E5Embedder
from hopyard.models.embedder import Vector
from lab.gate_compare import Trained, compare, kept_at_recall, main, majority, regression, trained
from lab.tests.gate_labels import separable


def colour(text: str) -> Vector:
    return np.array([float("red" in text), float("blue" in text)], dtype=np.float32)


def test_the_threshold_keeps_the_recall() -> None:
    probabilities, labels = [0.9, 0.7, 0.6, 0.2, 0.65, 0.5, 0.1], [1, 1, 1, 1, 0, 0, 0]
    assert kept_at_recall(probabilities, labels, 1.0) == pytest.approx(1 / 3)  # below 0.2
    assert kept_at_recall(probabilities, labels, 0.75) == pytest.approx(2 / 3)  # below 0.6
    assert kept_at_recall(probabilities, labels, 0.5) == 1.0
    assert kept_at_recall([0.5] * 4, [1, 1, 0, 0], 0.97) == 0.0


def test_no_question_is_judged_by_what_was_trained_on_it() -> None:
    judged: set[str] = set()

    def candidate(labels: Sequence[Label]) -> Trained:
        seen = {row.question for row in labels}
        assert sum(row.label or 0 for row in labels) == len(labels) / 2

        def probability(question: str, nearness: Nearness) -> float:
            assert question not in seen
            assert nearness is UNMEASURED
            judged.add(question)
            return 0.8 if "blue" in question else 0.4

        return Trained(probability, 0.3, 2_000_000)

    rows = separable()
    found = compare(rows, {"made": candidate}, folds=4, seed=1)["made"]
    assert judged == {row.question for row in rows}
    assert (found["auroc"], found["accuracy"], found["kept_at_recall"]) == (1.0, 1.0, 1.0)
    assert (found["kept"], found["retrieved"]) == (0.0, 1.0)
    assert found["log_loss"] == pytest.approx(-(log(0.8) + log(0.6)) / 2, abs=1e-4)
    assert found["ece"] == pytest.approx(0.3)  # 0.2 of one class, 0.4 of the other
    assert found["megabytes"] == 2.0
    assert "log_loss_difference" not in found


def test_the_larger_class() -> None:
    rows = [*separable(10), *(row for row in separable(20) if row.label)]
    assert majority(rows).probability("anything", UNMEASURED) == 30 / 40
    found = compare(rows, {"majority": majority}, folds=2, seed=1)["majority"]
    assert (found["accuracy"], found["kept"], found["retrieved"]) == (0.75, 0.0, 1.0)


def test_the_regression_reads_the_vector_alone() -> None:
    made = regression(separable(), embed=lambda text, _: colour(text))
    near, far = Nearness(cosine=0.9), Nearness(cosine=-0.9)
    assert made.probability("red 99", near) < 0.2
    assert made.probability("blue 99", far) > 0.8
    assert made.bytes == 8  # two numbers


def test_a_t5_is_trained_as_the_product_trains_it() -> None:
    settings = TrainSettings(base="scratch", rate=3e-3, epochs=10)
    made = trained(separable(24), settings=settings, embed=lambda *_: colour(""))
    red, blue = (made.probability(f"{word} 3", UNMEASURED) for word in ("red", "blue"))
    assert red < blue
    assert made.threshold == pytest.approx(1 / (1 + settings.cost_ratio))
    assert made.bytes > 10_000


@pytest.mark.parametrize("alone", [False, True])
def test_the_command_writes_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    """The questions say nothing here, the nearness all."""
    monkeypatch.setattr(E5Embedder, "embed_query", lambda _, text: colour(""))
    near = {0: Nearness(cosine=0.1), 1: Nearness(cosine=0.8)}
    LabelFile(tmp_path / "labels.jsonl").append(
        *(
            row.model_copy(update={"question": f"Ask {place}", "nearness": near[row.label or 0]})
            for place, row in enumerate(separable())
        )
    )
    out = tmp_path / "result.json"
    given = [str(tmp_path / "labels.jsonl"), "--out", str(out), "--folds", "2"]
    assert main([*given, *["--question-only"] * alone]) == 0
    report = json.loads(out.read_text())
    assert "--folds 2" in report["command"]
    assert report["labels"] == {"retrieve": 12, "all": 24}
    assert list(report["candidates"]) == ["majority", "logistic", "vector"]
    assert report["candidates"]["vector"]["auroc"] == (0.5 if alone else 1.0)
    assert report["candidates"]["logistic"]["auroc"] == 0.5
    assert report["candidates"]["vector"]["log_loss_difference"] == [0, 0, 0]


def test_a_t5_without_a_base_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["labels.jsonl", "--out", "r.json", "--t5", "no-base"])
    assert "NAME=BASE@RATE" in capsys.readouterr().err
