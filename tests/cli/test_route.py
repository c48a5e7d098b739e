"""`hopyard route`: from recorded answers to a route that chooses, with a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.models.recorded import CALLS_FILE

from .conftest import Run, write_corpus

EASY = "How many moons has Mars in year {}?"
HARD = "Which planet of the {}th star has a moon that is named after the brother of Deimos?"
QUESTIONS = [
    {
        "id": f"q{number}",
        "question": (EASY if number % 2 else HARD).format(number),
        "answers": ["two" if number % 2 else "Mars"],
        "split": "dev" if number < 4 else "train",
    }
    for number in range(28)
]


def answer(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers the easy questions in one call; the hard ones only as a chain."""
    turn = str(messages[-1]["content"])
    hard = "brother" in turn
    if title == "Route":
        return {"thought": "", "strategy": "chain", "confidence": 0.7}
    if title == "QuestionComplexity":
        return {"thought": "", "complexity": "C"}
    if title == "Reflection":
        return {"thought": "", "retrieve": "yes"}
    if title == "ChainStep":
        text = "Mars" if hard else "two"
        return {"kind": "answer", "answer": text, "findings": [{"fact": text, "passage": 1}]}
    return {"answer": "Unknown" if hard else "two", "passages": [1], "thought": ""}


@pytest.fixture
def asked(model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    monkeypatch.setenv("HOPYARD_PROFILE", "capable")
    model.answer = answer
    return model


@pytest.fixture
def runs(hopyard: Run, asked: ModelServer, index: Path, folder: Path) -> dict[str, Path]:
    """The recorded runs of both splits."""
    questions = write_corpus(folder / "questions.jsonl", *QUESTIONS)
    for split in ("train", "dev"):
        ended = hopyard(
            "eval", questions, "--index", index, "--split", split, "--name", split,
            "--strategies", "direct,single,chain", "--out", folder / split, "--json",
        )  # fmt: skip
        assert ended.code == 0, ended.err
    return {split: folder / split for split in ("train", "dev")}


def test_headroom_train_and_ask(
    hopyard: Run, runs: dict[str, Path], index: Path, folder: Path, asked: ModelServer
) -> None:
    calls = len(asked.calls)
    found = hopyard("route", "headroom", runs["train"], "--json").json
    policies = found["sets"]["train"]["policies"]
    assert policies["always chain"]["f1"][0] == 1
    assert policies["always single"]["f1"][0] == 0.5
    assert policies["oracle, reads documents"]["chosen"] == {"chain": 12, "single": 12}
    told = hopyard("route", "headroom", runs["train"], "--out", folder / "h.json")
    assert "A perfect route among them would have F1 100.0" in " ".join(told.out.split())
    assert json.loads((folder / "h.json").read_text())["command"].startswith("hopyard route head")

    trained = hopyard("route", "train", runs["train"], "--out", folder / "mine", "--json")
    assert trained.code == 0, trained.err
    assert trained.json["strategies"] == ["single", "chain"]
    assert trained.json["labels"] == {"single": 12, "chain": 12}
    assert trained.json["validation"]["route"]["f1"] == 1
    assert len(asked.calls) == calls

    for question, strategy in ((EASY.format(99), "single"), (HARD.format(99), "chain")):
        output = hopyard(
            "ask", question, "--index", index, "--route", folder / "mine", "--json"
        ).json
        assert output["strategy"] == strategy
        assert output["route"]["by"] == "trained"
        assert output["route"]["probability"] > 0.6

    ended = hopyard("route", "train", runs["dev"], "--out", folder / "few")
    assert ended.code == 2
    assert "There are 4 questions" in ended.error
    assert not (folder / "few").exists()


def test_compare_trains_on_some_and_reports_on_others(
    hopyard: Run, runs: dict[str, Path], folder: Path, asked: ModelServer
) -> None:
    command = ("route", "compare", runs["dev"], "--train", runs["train"])
    assert hopyard(*command, "--dry-run", "--json").json["calls"] == 3 * 4
    calls = len(asked.calls)
    found = hopyard(*command, "--json").json
    assert len(asked.calls) == calls
    policies = found["sets"]["dev"]
    assert policies["trained route"]["chosen"] == {"chain": 2, "single": 2}
    assert policies["Adaptive-RAG's labels, trained"]["chosen"] == {"chain": 2, "single": 2}
    assert found["adaptive_labels"] == {"B": 12, "C": 12}

    ended = hopyard(
        *command, "--model", "scripted", "--record", folder / "rec", "--out", folder / "c.json"
    )
    assert ended.code == 0, ended.err
    assert (folder / "rec" / CALLS_FILE).exists()
    assert len(asked.calls) == calls + 12
    policies = json.loads((folder / "c.json").read_text())["sets"]["dev"]
    assert policies["model's route (prompt)"]["chosen"] == {"chain": 4}
    assert policies["model's route (prompt)"]["calls"] == 2
    assert "A default would have to lose" in " ".join(ended.out.split())


def test_a_folder_without_records_says_so(hopyard: Run, folder: Path) -> None:
    ended = hopyard("route", "headroom", folder)
    assert ended.code == 2
    assert "is not one that `hopyard eval --out` wrote" in ended.error
