"""How large a model is, by its name."""

from __future__ import annotations

import pytest

from hopyard.state.settings import model_size
from hopyard.state.settings.model_size import billions_in, billions_of, is_small, remember_size


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("ollama:qwen2.5:1.5b", 1.5),
        ("ollama:llama3.2:3b-instruct-q4_K_M", 3.0),
        ("openai:Qwen2.5-0.5B-Instruct", 0.5),
        ("openai:google/gemma-3-4b-it@127.0.0.1:8080/v1", 4.0),
        ("ollama:smollm2:135m", 0.135),
        ("ollama:mixtral:8x7b", 56.0),
        ("ollama:qwen3:30b-a3b", 30.0),
        ("ollama:gemma3n:e4b", 4.0),
        ("openai:qwen2.5-7b-instruct-1m", 7.0),
        ("ChatOllama:llama3.2:3b@3b0c5d1e9a72", 3.0),
        ("openai:gpt-4.1-mini", None),
        ("anthropic:claude-3-5-haiku-latest", None),
        ("openai:gpt-4o-2024-08-06", None),
        ("ollama:llama3.2", None),
        ("openai:web-2b2", None),
    ],
)
def test_the_size_in_a_name(name: str, billions: float | None) -> None:
    assert billions_of(name) == billions


def test_ollamas_words_for_a_size() -> None:
    assert billions_in("7.6B") == 7.6
    assert billions_in("494.03M") == pytest.approx(0.49403)
    assert billions_in("") is None


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("ollama:llama3.1:8b", True),
        ("ollama:gemma2:9b", False),
        ("ollama:llama3.3:70b", False),
        ("openai:gpt-4.1-nano", False),
        ("ollama:deepseek-r1:1.5b", False),
        ("openai:qwen3-4b-thinking", False),
    ],
)
def test_small_models(name: str, small: bool) -> None:
    assert is_small(name) is small


def test_the_server_knows_better_than_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_size, "_told", {})
    assert not is_small("ollama:llama3.2")
    remember_size("ollama:llama3.2", 3.2)
    assert is_small("ollama:llama3.2")
    remember_size("ollama:tiny-3b", 32.0)
    assert not is_small("ollama:tiny-3b")
