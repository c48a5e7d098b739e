"""LangChain models given as objects: their names, and how they are called."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_openai import AzureChatOpenAI, ChatOpenAI, OpenAIEmbeddings

from hopyard.models.chat import Sampling
from hopyard.models.instances import embedder_of, instance_name, is_instance_name, provider_of

SAMPLING = Sampling(max_tokens=50, temperature=0.2, seed=7, frequency_penalty=0.5)


def openai(**options: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "gpt-4.1-mini", "api_key": "sk-first", **options})


class Length(Embeddings):
    """An embedding model that is no pydantic model."""

    def __init__(self, dimension: int, api_key: str = "") -> None:
        self.dimension = dimension
        self._api_key = api_key

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(len(text)), 0.0, 0.0, 0.0][: self.dimension]


class TestNames:
    def test_a_model_without_further_parameters_is_the_model_of_the_name(self) -> None:
        assert instance_name(openai()) == "openai:gpt-4.1-mini"
        embeddings: Any = OpenAIEmbeddings(model="text-embedding-3-small", api_key="sk-first")  # type: ignore[arg-type]
        assert instance_name(embeddings) == "openai:text-embedding-3-small"

    @pytest.mark.parametrize(
        "other",
        [
            {"api_key": "sk-second"},
            {"default_headers": {"Authorization": "Bearer sk-third"}},
            {"max_retries": 9, "timeout": 3, "streaming": True, "tags": ["x"]},
        ],
    )
    def test_secrets_and_transport_are_no_part_of_it(self, other: dict[str, Any]) -> None:
        assert instance_name(openai(**other)) == instance_name(openai())

    @pytest.mark.parametrize(
        "other",
        [
            {"temperature": 0.9},
            {"top_p": 0.5},
            {"base_url": "http://127.0.0.1:1/v1"},
            {"model_kwargs": {"x": 1}},
            {"reasoning_effort": "low"},
        ],
    )
    def test_every_parameter_is_a_part_of_it(self, other: dict[str, Any]) -> None:
        name = instance_name(openai(**other))
        assert name.startswith("openai:gpt-4.1-mini@")
        assert is_instance_name(name)
        assert name == instance_name(openai(**other))

    def test_secrets_in_addresses_and_mappings_are_no_part_of_it(self) -> None:
        names = {
            instance_name(
                openai(
                    base_url=f"http://user:{secret}@127.0.0.1:1/v1?sig={secret}",
                    extra_body={"api_key": secret, "top_k": 3},
                )
            )
            for secret in ("one", "two")
        }
        assert len(names) == 1
        assert names != {instance_name(openai(base_url="http://127.0.0.1:1/v1"))}

    def test_another_class_is_another_model(self) -> None:
        azure = AzureChatOpenAI(
            azure_endpoint="https://x.openai.azure.com",
            azure_deployment="gpt-4.1-mini",
            api_version="2024-06-01",
            api_key="sk-first",  # type: ignore[arg-type]
        )
        assert instance_name(azure).startswith("AzureChatOpenAI:")
        assert is_instance_name(instance_name(azure))

    def test_a_chat_model_of_ones_own_says_what_it_depends_on(self) -> None:
        one, two = FakeListChatModel(responses=["a"]), FakeListChatModel(responses=["b"])
        assert instance_name(one) == instance_name(FakeListChatModel(responses=["a"]))
        assert instance_name(one) != instance_name(two)

    def test_embeddings_without_pydantic(self) -> None:
        assert instance_name(Length(2, "one")) == instance_name(Length(2, "two"))
        assert instance_name(Length(2)) != instance_name(Length(3))

    def test_it_is_the_same_in_every_process(self) -> None:
        code = (
            "from langchain_core.embeddings import DeterministicFakeEmbedding as E\n"
            "from hopyard.models.instances import instance_name\n"
            "print(instance_name(E(size=8)))"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        assert run.stdout.strip() == instance_name(DeterministicFakeEmbedding(size=8))


class TestCalls:
    def test_hopyard_sets_what_the_object_leaves_open(self) -> None:
        provider = provider_of(openai())
        model: Any = provider.connect(SAMPLING)
        assert (model.max_tokens, model.temperature, model.seed) == (50, 0.2, 7)
        assert (model.frequency_penalty, model.max_retries) == (0.5, 0)
        assert "sk-first" not in json.dumps([provider.identity, provider.cure])

    def test_what_the_object_was_made_with_stays(self) -> None:
        mine = openai(temperature=0.9, max_tokens=9)
        model: Any = provider_of(mine).connect(SAMPLING)
        assert (model.max_tokens, model.temperature, model.seed) == (9, 0.9, 7)
        assert mine.seed is None

    def test_embeddings_have_length_one(self) -> None:
        embedder = embedder_of(Length(4))
        assert embedder.dimension == 4
        assert embedder.embed_query("abc").tolist() == [1.0, 0.0, 0.0, 0.0]
