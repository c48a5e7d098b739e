"""The index of the tests of `global`, its readers, and questions to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from building import build

from hopyard.graphs.global_search import published
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing import DOCUMENTS, ScriptedChat
from hopyard.testing.contract import all_kinds
from hopyard.testing.models import WordEmbedder

from .scripted import QUESTION, answer


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("communities") / "index"
    build(
        DOCUMENTS,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=["dense", "sparse", *all_kinds(["communities"])],
        settings=Context.model_validate({"communities": {"max_size": 2}}),
    )
    return directory


@pytest.fixture
def reader(index: Path) -> Iterator[CommunityIndex]:
    with Index.open(index) as opened:
        yield opened.reader("communities")


@pytest.fixture
def chat() -> ScriptedChat:
    register_embedder(WordEmbedder.name, WordEmbedder())
    chat = ScriptedChat(answer)
    chat.register()
    return chat


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    with Resources(tmp_path / "home") as resources:
        yield resources


@pytest.fixture
def ask(index: Path, chat: ScriptedChat, resources: Resources) -> Callable[..., Any]:
    """Ask with settings of `global`, and others by name.

    All communities are short enough to be read without a report, so most tests ask the method as
    published, which reads reports alone.
    """
    base = Context.model_validate(
        {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    )

    async def asked(
        question: str = QUESTION, others: Any = None, graph: Any = published, **settings: Any
    ) -> Any:
        context = change_context(base, {"global": settings, **(others or {})})
        return await graph.ainvoke({"question": question}, config_with(resources), context=context)

    return asked
