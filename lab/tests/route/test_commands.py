"""`python -m lab.route`: what a perfect route would save, with a scripted model."""

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
from lab.route.__main__ import app
from tests.cli.conftest import Run, runner

SAMPLE = Path(__file__).parents[3] / "examples" / "solar_system"
SAMPLE_QUESTIONS = {
    row["question"]: row
    for row in map(json.loads, (SAMPLE / "questions.jsonl").read_text().splitlines())
}
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


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
        self.answer: Callable[[str, list[dict[str, Any]]], dict[str, Any]] = answer_sample

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


def test_headroom_over_the_sample_corpus(
    hopyard: Run, route: Run, asked: Asked, folder: Path
) -> None:
    index = folder / "index"
    assert hopyard("index", "build", SAMPLE / "corpus.jsonl", "--out", index).code == 0
    ended = hopyard(
        "eval", SAMPLE / "questions.jsonl", "--index", index,
        "--strategies", "single,chain", "--out", folder / "runs", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err

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


def test_a_folder_without_records_says_so(route: Run, folder: Path) -> None:
    ended = route("headroom", folder)
    assert ended.code == 2
    assert "is not one that `hopyard eval --out` wrote" in ended.error
