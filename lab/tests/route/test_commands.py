"""`python -m lab.route`: from recorded answers to a route that chooses, with a scripted model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableLambda
from model_server import WordEmbedder

from hopyard.cli.app import run
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.recorded import CALLS_FILE
from lab.route.__main__ import app
from tests.cli.conftest import Run, runner, write_corpus

SAMPLE = Path(__file__).parents[3] / "examples" / "solar_system"
SAMPLE_QUESTIONS = {
    row["question"]: row
    for row in map(json.loads, (SAMPLE / "questions.jsonl").read_text().splitlines())
}
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)

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


def answer_sample(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers the sample's questions: those of several links only as a chain."""
    [asked] = _QUESTION.findall(str(messages[-1]["content"]))[:1]
    wanted = SAMPLE_QUESTIONS[asked]
    text = wanted["answers"][0]
    if title == "ChainStep":
        return {"kind": "answer", "answer": text, "findings": [{"fact": text, "passage": 1}]}
    linked = wanted["type"] in {"bridge", "comparison"}
    return {"answer": "Unknown" if linked else text, "passages": [1], "thought": ""}


class Asked:
    """A model without a server: `answer` says what it answers. A step of a chain costs more."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: Callable[[str, list[dict[str, Any]]], dict[str, Any]] = answer

    def with_structured_output(self, schema: dict[str, Any], **_: Any) -> RunnableLambda[Any, Any]:
        title = schema["title"]

        async def say(messages: list[BaseMessage]) -> AIMessage:
            self.asked.append(title)
            said = self.answer(title, [{"content": message.content} for message in messages])
            shown = 120 if title == "ChainStep" else 100
            usage = UsageMetadata(input_tokens=shown, output_tokens=10, total_tokens=shown + 10)
            return AIMessage(json.dumps(said), usage_metadata=usage)

        return RunnableLambda(say)


@pytest.fixture
def asked(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The capable model `scripted` with fast embeddings, as the environment's choice."""
    values = {"MODEL": "scripted", "EMBEDDING": "words", "PROFILE": "capable", "GATE": "off"}
    for name, value in values.items():
        monkeypatch.setenv(f"HOPYARD_{name}", value)
    script = Asked()
    model: Any = script
    provider = ChatProvider("scripted", lambda _: model, 16, cure="")
    register_chat_provider("scripted", provider)
    return script


@pytest.fixture
def route(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `python -m lab.route ARGUMENTS…`."""
    return runner(partial(run, app), monkeypatch, capsys)


def test_headroom_train_and_ask_over_the_sample_corpus(
    hopyard: Run, route: Run, asked: Asked, folder: Path
) -> None:
    asked.answer = answer_sample
    index = folder / "index"
    assert hopyard("index", "build", SAMPLE / "corpus.jsonl", "--out", index).code == 0
    ended = hopyard(
        "eval", SAMPLE / "questions.jsonl", "--index", index,
        "--strategies", "single,chain", "--out", folder / "runs", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    calls = len(asked.asked)

    found = route("headroom", folder / "runs", "--json").json
    policies = found["sets"]["solar_system"]["policies"]
    assert policies["always chain"]["f1"][0] == 1
    assert policies["always single"]["f1"][0] == pytest.approx(13 / 30, abs=1e-6)
    assert policies["oracle, reads documents"]["chosen"] == {"chain": 17, "single": 13}
    told = route("headroom", folder / "runs", "--out", folder / "h.json")
    assert "A perfect route among them would have F1 100.0" in " ".join(told.out.split())
    assert json.loads((folder / "h.json").read_text())["command"].startswith(
        "python -m lab.route head"
    )

    trained = route("train", folder / "runs", "--out", folder / "mine", "--json")
    assert trained.code == 0, trained.err
    assert trained.json["strategies"] == ["single", "chain"]
    assert trained.json["labels"] == {"single": 13, "chain": 17}
    assert trained.json["validation"]["route"]["f1"] >= 0.99
    assert len(asked.asked) == calls

    question = next(iter(SAMPLE_QUESTIONS))
    mine = f"route={folder / 'mine'}"
    output = hopyard("ask", question, "--index", index, "--set", mine, "--json").json
    assert output["route"]["by"] == "trained"
    assert output["route"]["strategy"] == output["strategy"]
    assert 0 < output["route"]["probability"] < 1


@pytest.fixture
def runs(hopyard: Run, asked: Asked, index: Path, folder: Path) -> dict[str, Path]:
    """Recorded runs of both splits of questions whose words tell which of them are hard."""
    questions = write_corpus(folder / "questions.jsonl", *QUESTIONS)
    for split in ("train", "dev"):
        ended = hopyard(
            "eval", questions, "--index", index, "--split", split, "--name", split,
            "--strategies", "direct,single,chain", "--out", folder / split, "--json",
        )  # fmt: skip
        assert ended.code == 0, ended.err
    return {split: folder / split for split in ("train", "dev")}


def test_compare_trains_on_some_and_reports_on_others(
    route: Run, runs: dict[str, Path], folder: Path, asked: Asked
) -> None:
    command = ("compare", runs["dev"], "--train", runs["train"])
    assert route(*command, "--dry-run", "--json").json["calls"] == 3 * 4
    calls = len(asked.asked)
    found = route(*command, "--json").json
    assert len(asked.asked) == calls
    policies = found["sets"]["dev"]
    assert policies["trained route"]["chosen"] == {"chain": 2, "single": 2}
    assert policies["Adaptive-RAG's labels, trained"]["chosen"] == {"chain": 2, "single": 2}
    assert found["adaptive_labels"] == {"B": 12, "C": 12}

    ended = route(
        *command, "--model", "scripted", "--record", folder / "rec", "--out", folder / "c.json"
    )
    assert ended.code == 0, ended.err
    assert (folder / "rec" / CALLS_FILE).exists()
    assert len(asked.asked) == calls + 12
    policies = json.loads((folder / "c.json").read_text())["sets"]["dev"]
    assert policies["model's route (prompt)"]["chosen"] == {"chain": 4}
    assert policies["model's route (prompt)"]["calls"] == 2
    assert "A default would have to lose" in " ".join(ended.out.split())

    ended = route("train", runs["dev"], "--out", folder / "few")
    assert ended.code == 2
    assert "There are 4 questions" in ended.error
    assert not (folder / "few").exists()


def test_a_folder_without_records_says_so(route: Run, folder: Path) -> None:
    ended = route("headroom", folder)
    assert ended.code == 2
    assert "is not one that `hopyard eval --out` wrote" in ended.error
