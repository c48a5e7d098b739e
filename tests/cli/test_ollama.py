"""The command line with Ollama: the whole agent through its client and its protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import WordEmbedder
from ollama_server import Model, OllamaServer

from .conftest import CORPUS, QUESTION, Run, write_corpus

MODELS = ("--model", "ollama:smollm2", "--embedding", "ollama:minilm")


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch, closed_address: str) -> Iterator[OllamaServer]:
    """A server with a chat and an embedding model; a proxy is set, and would not find it."""

    def chat(payload: dict[str, Any]) -> Iterator[str | tuple[int, int]]:
        routed = "strategy" in payload["format"]["properties"]
        yield json.dumps({"strategy": "single"} if routed else {"answer": "two"})
        yield 200, 3

    def embed(texts: list[str]) -> list[list[float]]:
        return WordEmbedder().embed_documents(texts).tolist()

    models = {
        "smollm2:latest": Model(chat=chat),
        "minilm:latest": Model(embed=embed, parameter_size="23M"),
    }
    with OllamaServer(models) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.setenv("HTTP_PROXY", closed_address)
        yield server


def test_the_whole_agent_runs_on_ollama(hopyard: Run, folder: Path, ollama: OllamaServer) -> None:
    corpus = write_corpus(
        folder / "corpus.jsonl", *({"id": name, "text": text} for name, text in CORPUS.items())
    )
    built = hopyard("index", "build", corpus, "--out", "index", "--embedding", "ollama:minilm")
    assert built.code == 0, built.err
    assert ollama.payloads("/api/embed")
    ended = hopyard(
        *("ask", QUESTION, "--index", "index", *MODELS, "-k", "2", "--json"),
        *("--set", "tree.max_depth=1", "--set", "concurrency=1"),
    )
    assert ended.code == 0, ended.err
    result = ended.json
    assert result["answer"] == "two"
    assert result["route"]["by"] == "model"
    sent = ollama.payloads("/api/chat")
    assert result["usage"]["model_calls"] == len(sent) >= 2
    assert result["usage"]["input_tokens"] > 300
    assert all(isinstance(each["format"], dict) and each["think"] is False for each in sent)
    assert ollama.cut == []
    assert not [step for step in result["steps"] if step.get("verdict") == "failed"]

    again = hopyard("ask", QUESTION, "-i", "index", "-s", "single", "--embedding", "builtin")
    assert again.code == 3
    assert "ollama:minilm" in again.error


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    def chat(payload: object) -> Iterator[str | tuple[int, int]]:
        yield json.dumps({"answer": "Paris"})
        yield 9, 3

    models = {"llama:latest": Model(chat=chat, parameter_size="8.0B")}
    with OllamaServer(models) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        monkeypatch.setattr("hopyard.cli.doctor.installation.PACKAGES", ())
        yield server


def test_doctor_says_what_ollama_has(hopyard: Run, scripted: OllamaServer, words: object) -> None:
    ended = hopyard("doctor", "--model", "ollama:llama", "--embedding", "words", "--json")
    assert ended.code == 0
    found = {each["name"]: each for each in ended.json["findings"]}
    assert found["Ollama"]["detail"] == f"0.12.6 at {scripted.address}: llama:latest (8.0B)"
    assert "'Paris'" in found["chat model ollama:llama"]["detail"]


def test_doctor_names_the_model_that_ollama_lacks(
    hopyard: Run, scripted: OllamaServer, words: object
) -> None:
    arguments = ("doctor", "--model", "ollama:mistral", "--embedding", "words", "--json")
    ended = hopyard(*arguments)
    assert ended.code == 1
    found = {each["name"]: each for each in ended.json["findings"]}
    assert not found["Ollama"]["ok"]
    assert found["Ollama"]["needed"]
    assert found["Ollama"]["cure"] == "`ollama pull mistral`"
