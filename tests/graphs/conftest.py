"""A scripted model, a small index, and a run's settings, for every test of the graphs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from building import build
from model_server import EMBEDDING_DIMENSION, word_vector

from hopyard.agent.session import Session, open_session
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.models import chat, embeddings
from hopyard.models.chat import ChatProvider
from hopyard.models.embedder import Vector, Vectors
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing import DOCUMENTS

from .script import IRON, QUESTION, STONE, Script, ScriptedChat, said, split

S = TypeVar("S", bound=Script)

EMBEDDING = "ollama:words"
"""In this process a registered embedder; in a subprocess the test server's own."""

SAMPLE = Path(__file__).parents[2] / "examples" / "solar_system"

CORPUS = {document.id: document.text for document in DOCUMENTS}


class Words:
    """The embedding model that `/api/embed` of the test server serves, without the server."""

    name = EMBEDDING
    dimension = EMBEDDING_DIMENSION
    window = 4096
    tokenizer = None

    def embed_documents(self, texts: list[str]) -> Vectors:
        import numpy as np

        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        return word_vector(text)


@pytest.fixture(autouse=True)
def attempts(one_attempt: None) -> None:
    """Every call has one attempt, unless a test sets `retries`."""


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight passages, one a document, under the ids of `CORPUS`."""
    directory = tmp_path_factory.mktemp("bridges") / "index"
    documents = [
        Document(id=name, title=name.replace("-", " ").title(), text=text)
        for name, text in CORPUS.items()
    ]
    build(documents, directory=directory, embedder=Words(), chunk_tokens=0)
    return directory


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus under the same embedding model."""
    directory = tmp_path_factory.mktemp("sample") / "index"
    build(sample_documents(), directory=directory, embedder=Words(), chunk_tokens=0)
    return directory


@pytest.fixture(scope="session")
def passages(index: Path) -> dict[str, str]:
    """The text of every passage by its id."""
    with Index.open(index) as opened:
        return {passage.id: passage.text for passage in opened.passages(list(CORPUS))}


@pytest.fixture
def script(request: pytest.FixtureRequest) -> Script:
    """What the model says; every request that comes is kept in `asked`."""
    return speak(Script(), request)


def speak(script: S, request: pytest.FixtureRequest) -> S:
    """Register a script as a model: behind a server in a test that has one, else ten times as fast.

    Only a server counts tokens, streams in pieces, refuses, and shows what was sent.
    """
    if "model_server" in request.fixturenames:
        request.getfixturevalue("model_server").answer = script
    else:
        model: Any = ScriptedChat(script)
        provider = ChatProvider("scripted", lambda _: model, 16, cure="")
        chat.register_chat_provider("scripted", provider)
    embeddings.register_embedder(EMBEDDING, Words())
    return script


@pytest.fixture
def context(index: Path, script: Script) -> Context:
    """Settings of a run: the scripted model over the small index."""
    return Context.model_validate(
        {
            "index": str(index),
            "model": "scripted",
            "profile": "builtin",
            "gate": "off",
            "embedding": EMBEDDING,
            "retrieval": {"k": 2},
        }
    )


@pytest.fixture
def tree(context: Context, script: Script) -> Context:
    """Settings for a tree of two halves: eight calls."""
    script.lines = {
        ("split", QUESTION): split(IRON, STONE),
        ("read", IRON): said("1781"),
        ("read", STONE): said("1146"),
        ("aggregate", QUESTION): said("Stone Bridge"),
    }
    return changed(context, strategy="tree")


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """The agent with the test's own thread store."""
    async with open_session() as opened:
        yield opened


def changed(context: Context, **settings: Any) -> Context:
    """A context with other settings; nested ones by `group__name`."""
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        group, _, inner = name.partition("__")
        if inner:
            changes.setdefault(group, {})[inner] = value
        else:
            changes[group] = value
    return change_context(context, changes)


def sample_documents() -> list[Document]:
    """The sample corpus that comes with Hopyard."""
    lines = (SAMPLE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Document(id=record["id"], title=record["title"], text=record["text"])
        for record in map(json.loads, lines)
    ]
