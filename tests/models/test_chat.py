"""Models by name, and how each provider wants to be used."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel

from hopyard.models import chat
from hopyard.models.builtin.chat import engine
from hopyard.models.builtin.weights import weights
from hopyard.models.chat import ChatProvider, Sampling, chat_provider, register_chat_provider
from hopyard.state.errors import ModelUnreachableError, UsageError

SAMPLING = Sampling(max_tokens=5, temperature=0.0, seed=1)


@pytest.mark.parametrize("spec", ["", "llama3.1", "ollama:", ":llama", ":"])
def test_a_name_without_provider_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="use builtin, ollama:NAME or provider:NAME"):
        chat_provider(spec)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("nonsense:x", "provider"),
        ("cohere:x", "langchain-cohere"),
        ("openai:x", "credentials"),
    ],
)
def test_a_provider_that_cannot_be_used_says_why_in_one_line(spec: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as raised:
        chat_provider(spec).connect(SAMPLING)
    assert repr(spec) in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_hosted_model_gets_the_seed_and_the_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    sampling = Sampling(max_tokens=5, temperature=0.0, seed=11, frequency_penalty=0.8)
    model = chat_provider("openai:gpt-x").connect(sampling)
    assert (model.seed, model.frequency_penalty) == (11, 0.8)  # type: ignore[attr-defined]


def test_the_built_in_model_is_known_by_its_version() -> None:
    assert chat_provider("builtin").identity.startswith("embedded/smollm2-135m@")


def test_a_model_of_ones_own_is_used_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "_registered", {})
    mine = ChatProvider("mine@1", lambda _: FakeListChatModel(responses=["x"]), 1, "ask me")
    register_chat_provider("mine", mine)
    assert chat_provider("mine") is mine
    assert chat_provider("mine").connect(SAMPLING).invoke("?").text == "x"


def test_the_latest_registration_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "_registered", {})
    assert chat_provider("openai:gpt-x").identity == "openai:gpt-x"
    for identity in ("mine@1", "mine@2"):
        model = FakeListChatModel(responses=[identity])
        mine = ChatProvider(identity, lambda _, model=model: model, 1, "ask me")
        register_chat_provider("openai:gpt-x", mine)
        assert chat_provider("openai:gpt-x") is mine
        assert chat_provider("openai:gpt-x").connect(SAMPLING).invoke("?").text == identity


def test_a_changed_adapter_is_another_model(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"one")
    before = chat_provider(f"builtin:{own}")
    assert chat_provider(f"builtin:{own}").identity == before.identity
    own.write_bytes(b"other")
    os.utime(own, ns=(1, 1))
    assert chat_provider(f"builtin:{own}").identity != before.identity


def test_a_broken_engine_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    cure = r"`pip install 'hopyard\[builtin\]'`\.$"
    with pytest.raises(ModelUnreachableError, match=cure) as raised:
        engine(weights(), None)
    assert len(str(raised.value).splitlines()) == 1
