"""The keywords of the Python API: settings, and models as objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from typing_extensions import TypedDict

from hopyard.models.embedder import Embedder
from hopyard.models.instances import embedder_of, provider_of
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Budget
from hopyard.state.settings.given import GivenSettings, python_settings

ChatModel = str | BaseChatModel
"""A chat model: a name such as `openai:gpt-4.1-mini`, or a LangChain object."""
EmbeddingModel = str | Embeddings | Embedder
"""An embedding model: a name such as `ollama:nomic-embed-text`, or a LangChain object."""
Where = str | Sequence[str] | Mapping[str, Any]
"""Conditions on metadata: `"date>=2024"`, several of them, or `{"source": ["BBC", "Wired"]}`."""


class Settings(TypedDict, total=False):
    """The settings that have a keyword, and `settings` for all others."""

    strategy: str
    """`auto`, or a strategy's name."""
    search: str
    """The search method."""
    style: str
    """The form of the answer: auto, short, sentence or full."""
    where: Where
    """Only passages whose metadata fits are found."""
    groups: str | Sequence[str]
    """The caller's groups: only documents that these may read are used."""
    k: int
    """The number of passages for one question."""
    explain: bool
    """Compute each passage's share of the answer, with up to 31 more model calls."""
    budget: int | Mapping[str, float] | Budget
    """The most model calls, or limits by name: `{"calls": 8, "seconds": 30}`."""
    gate: str
    """auto, off, builtin, capable, or a gate's folder."""
    route: str
    """auto, or model: the chat model chooses."""
    vectors: str
    """For a build: where the vectors are kept, `faiss` or a LangChain vector store's name."""
    approve: str | Sequence[str]
    """Steps that wait for approval: route, decomposition, hops, reading."""
    model: ChatModel
    """The chat model."""
    embedding: EmbeddingModel
    """The embedding model that the index was built with."""
    settings: GivenSettings | None
    """Any settings by dotted or nested name, as in `{"tree.theta": 0.8}`."""


def named_settings(resources: Resources, given: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Keywords as settings by dotted name.

    Args:
        resources: They keep the models that were given as objects, which get a name.
        given: Keywords as in `Settings`. A keyword wins over the same name in `settings`.
    """
    keywords = {name: value for name, value in given.items() if value is not None}
    settings = keywords.pop("settings", None)
    named: list[tuple[str, Any]] = []
    for name, value in python_settings(settings, keywords):
        if name == "model" and isinstance(value, BaseChatModel):
            named.append((name, resources.add_chat_model(provider_of(value))))
        elif name == "embedding" and isinstance(value, (Embeddings, Embedder)):
            named.append((name, resources.add_embedding_model(embedder_of(value))))
        else:
            named.append((name, value))
    return named
