"""`hopyard gate`: from questions to a gate that decides, with a scripted model."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from gates import write_gate
from model_server import ModelServer

from hopyard.classifiers.labels import Label, read_labels

from ..conftest import Run, write_corpus

MOONS = {
    "id": "q1",
    "question": "Which moons has Mars?",
    "answers": ["Phobos"],
    "type": "fact",
    "split": "dev",
}
HELLO = {"id": "q2", "question": "Hello!", "answers": ["hello"], "type": "greeting", "split": "dev"}


def answer(title: str, messages: list[dict[str, Any]]) -> dict[str, str]:
    """Knows Mars from its passage alone, and greets when it is not given any."""
    turn = messages[-1]["content"]
    if turn == "Hello!":
        return {"answer": "Hello, you"}
    if "Hello" not in turn and "Phobos and Deimos" in turn:
        return {"answer": "Phobos and Deimos"}
    return {"answer": "Unknown"}


@pytest.fixture
def questions(folder: Path) -> Path:
    return write_corpus(folder / "questions.jsonl", MOONS, HELLO)


@pytest.fixture
def asked(model: ModelServer) -> ModelServer:
    model.answer = answer
    return model


def labels(
    path: Path, count: int, model: str = "scripted", classes: tuple[int, ...] = (0, 1)
) -> Path:
    rows = [
        Label(
            id=f"{value}{number}",
            question=f"Hello {number}" if value == 0 else f"When was street {number} opened?",
            answers=("a",),
            model=model,
            value="answer-f1",
            k=5,
            rule="contribution",
            label=value,  # type: ignore[arg-type]
        )
        for value in classes
        for number in range(count)
    ]
    path.write_text("".join(row.model_dump_json() + "\n" for row in rows))
    return path


def test_label_by_answers_then_go_on(
    hopyard: Run, asked: ModelServer, index: Path, questions: Path, folder: Path
) -> None:
    command = (
        "gate", "label", questions, "--index", index, "--out", folder / "l.jsonl",
        "--value", "answer-f1", "--keep-dropped", "--json",
    )  # fmt: skip
    first = hopyard(*command)
    assert first.code == 0
    found = first.json
    assert found["model"] == "scripted"
    assert (found["retrieve"], found["no_retrieval"]) == (1, 1)
    assert found["dropped"] == {"unanswered": 1}
    assert found["rules"] == {
        "contribution": {"retrieve": 1, "no_retrieval": 0},
        "outcome": {"retrieve": 0, "no_retrieval": 1},
    }
    moons, hello = read_labels(folder / "l.jsonl")
    assert moons.values == (0.0, 0.0, 1.0, 1.0)
    assert (moons.phi_question, moons.phi_passages) == (0.0, 1.0)
    assert hello.direct_answer == "Hello, you"
    calls = len(asked.calls)
    assert hopyard(*command).json == found
    assert len(asked.calls) == calls


def test_label_refuses_a_file_of_another_model(
    hopyard: Run, asked: ModelServer, index: Path, questions: Path, folder: Path
) -> None:
    file = labels(folder / "l.jsonl", 1, model="another")
    ended = hopyard(
        "gate", "label", questions, "--index", index, "--out", file, "--value", "answer-f1"
    )
    assert ended.code == 2
    assert "are of another by answer-f1, not of scripted by answer-f1" in ended.error


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--model", "ollama:llama3.1:8b"], 2, "--value answer-f1"),
        (["--model", "scripted"], 2, "gives no token probabilities"),
        (["--index", "gone", "--value", "answer-f1"], 3, "gone"),
    ],
)
def test_label_says_what_is_wrong(
    hopyard: Run,
    asked: ModelServer,
    index: Path,
    questions: Path,
    folder: Path,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    ended = hopyard(
        "gate", "label", questions, "--index", index, "--out", folder / "l.jsonl", *arguments
    )
    assert ended.code == code
    assert said in ended.error
    assert not (folder / "l.jsonl").exists()


def test_train_then_predict(hopyard: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = labels(folder / "l.jsonl", 8)
    ended = hopyard(
        "gate", "train", file, "--out", folder / "gate", "--epochs", "1", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.json["labels"] == {"retrieve": 8, "no retrieval": 8}
    assert "Warning" not in ended.err
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hello 3\n\nWho is it?\n"))
    ended = hopyard("gate", "predict", "--gate", folder / "gate", "--json")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["question"] for line in lines] == ["Hello 3", "Who is it?"]
    assert all(set(line) == {"question", "probability", "retrieve", "reason"} for line in lines)
    assert all(0 <= line["probability"] <= 1 for line in lines)


def test_train_warns_of_labels_of_another_model(hopyard: Run, folder: Path) -> None:
    file = labels(folder / "l.jsonl", 8, model="another")
    ended = hopyard(
        "gate", "train", file, "--out", folder / "gate", "--epochs", "1",
        "--model", "ollama:llama3.1:8b",
    )  # fmt: skip
    assert ended.code == 0
    assert "the labels are of another, and the gate is for ollama:llama3.1:8b" in ended.err


@pytest.mark.parametrize(("value", "missing"), [(1, "no retrieval"), (0, "retrieval")])
def test_train_needs_both_classes(hopyard: Run, folder: Path, value: int, missing: str) -> None:
    file = labels(folder / "l.jsonl", 8, classes=(value,))
    ended = hopyard("gate", "train", file, "--out", folder / "gate")
    assert ended.code == 2
    assert f"There are 0 labelled questions that need {missing}" in ended.error
    assert not (folder / "gate").exists()


def test_evaluate_on_labels(hopyard: Run, folder: Path) -> None:
    gate = write_gate(folder / "gate", -2.0, model="another")
    ended = hopyard("gate", "evaluate", labels(folder / "l.jsonl", 3), "--gate", gate, "--json")
    assert ended.code == 0, ended.err
    assert "the labels are of scripted, and the gate is for another" in ended.err
    found = ended.json
    assert found["labels_model"] == "scripted"
    assert (found["labels"]["questions"], found["labels"]["auroc"]) == (6, 0.5)
    assert found["command"] == "hopyard gate evaluate l.jsonl"
    assert json.loads((gate / "evaluation.json").read_text()) == found


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_gate_that_is_not_there(hopyard: Run, folder: Path, command: str) -> None:
    ended = hopyard("gate", command, labels(folder / "l.jsonl", 1), "--gate", "nowhere")
    assert ended.code == 2
    assert "'nowhere' does not exist" in ended.error
