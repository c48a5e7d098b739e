"""The base of the three contracts: a corpus, scripted models, and an index built from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kind import KINDS
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing.corpus import DOCUMENTS
from hopyard.testing.models import Answers, ScriptedChat, WordEmbedder

__all__ = ("Contract", "all_kinds")

MODEL = "scripted"
EMBEDDING = WordEmbedder.name


class Contract:
    """The base of the contracts: class attributes to set, and fixtures to override."""

    documents: ClassVar[Sequence[Document]] = DOCUMENTS
    """The corpus. Each document is one passage."""
    kinds: ClassVar[Sequence[str]] = ()
    """Index kinds to build beside those that are needed."""
    answers: ClassVar[Answers] = {}
    """The replies of the chat model: see `ScriptedChat`."""
    settings: ClassVar[Mapping[str, Any]] = {}
    """Settings of the run that differ from the defaults. Nested settings are mappings."""

    @pytest.fixture(autouse=True)
    def embedder(self) -> WordEmbedder:
        """The embedding model."""
        embedder = WordEmbedder()
        register_embedder(EMBEDDING, embedder)
        return embedder

    @pytest.fixture
    def chat(self) -> ScriptedChat:
        """The chat model."""
        chat = ScriptedChat(type(self).answers)
        chat.register(MODEL)
        return chat

    @pytest.fixture
    def resources(self, tmp_path: Path) -> Iterator[Resources]:
        """The resources of the runs, with a ledger of the test's own."""
        with Resources(tmp_path / "home") as resources:
            yield resources

    @classmethod
    def make_context(cls, index: Path | str = "") -> Context:
        """The settings of a run: the scripted models over an index."""
        base = Context.model_validate({"index": str(index), "model": MODEL, "embedding": EMBEDDING})
        return change_context(base, dict(cls.settings))

    @classmethod
    async def build_index(
        cls, directory: Path, kinds: Sequence[str], more: Sequence[Document] = ()
    ) -> Path:
        """Build an index with all kinds that these build on.

        Args:
            more: Documents beside those of the contract.
        """
        chat = ScriptedChat(cls.answers)
        chat.register(MODEL)
        with Resources(directory.with_name(f"{directory.name}-home")) as resources:
            await build(
                [*cls.documents, *more],
                directory=directory,
                embedder=WordEmbedder(),
                chunk_tokens=0,
                kinds=all_kinds(kinds),
                settings=cls.make_context(),
                caller=lambda: resources.caller(MODEL),
            )
        return directory


def all_kinds(names: Sequence[str]) -> list[str]:
    """Some index kinds and all that they build on."""
    kinds = dict.fromkeys(names)
    for name in names:
        kinds |= dict.fromkeys(all_kinds(KINDS[name].needs))
    return list(kinds)
