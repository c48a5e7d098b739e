"""Models by name, and how each provider wants to be used."""

from __future__ import annotations

import sys

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


@pytest.mark.parametrize("spec", ["mine", "openai:gpt-x"])
def test_a_model_of_ones_own_is_used_by_its_name_and_the_latest_counts(
    monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.setattr(chat, "_registered", {})
    assert chat_provider("openai:gpt-x").identity == "openai:gpt-x"
    for identity in ("mine@1", "mine@2"):
        model = FakeListChatModel(responses=[identity])
        mine = ChatProvider(identity, lambda _, model=model: model, 1, "ask me")
        register_chat_provider(spec, mine)
        assert chat_provider(spec) is mine
        assert chat_provider(spec).connect(SAMPLING).invoke("?").text == identity


def test_a_broken_engine_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    cure = r"`pip install 'hopyard\[builtin\]'`\.$"
    with pytest.raises(ModelUnreachableError, match=cure) as raised:
        engine(weights(), None)
    assert len(str(raised.value).splitlines()) == 1
