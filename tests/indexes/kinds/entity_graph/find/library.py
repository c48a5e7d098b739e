"""An index with an entity graph, how it changes, and a model whose answers are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from building import wait
from model_server import WordEmbedder

from hopyard.indexes.building import build as building
from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus.manifest import generation_directory, read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.sync import Scope
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.entity_graph.stats import EntityStats
from hopyard.models.embedder import Vectors
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.testing.models import ScriptedChat

PEOPLE = ("Alba", "Bert", "Cora", "Dirk", "Elsa", "Finn", "Gina", "Hugo", "Inga", "Jens")

SUMMIT = (
    Document("a", "Talks", "Kim Jong-un met Donald Trump in Singapore."),
    Document("b", "Summit", "Kim Jong Un met Donald Trump in Singapore again."),
    Document("c", "Hanoi", "Kim Jong Un met Donald Trump in Hanoi."),
)
"""`Kim Jong-un` is the rarer spelling, so it is merged into `Kim Jong Un`."""


def people(count: int) -> list[Document]:
    """The first so many people, who each know the next."""
    return [
        Document(name.lower(), name, f"{name} grows plant {number}. {name} knows {other}.")
        for number, (name, other) in enumerate(
            zip(PEOPLE[:count], [*PEOPLE[1:], PEOPLE[0]], strict=False)
        )
    ]


def title_of(turn: str) -> str:
    """The title of the passage that a request is about."""
    return turn.splitlines()[0].removeprefix("Title: ")


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Names are words with a capital letter. The first and the last of a sentence are a fact."""
    assert name == "PassageFacts"
    turn = str(messages[-1]["content"])
    found = [
        (int(number), re.findall(r"[A-Z]\w+", text))
        for number, text in re.findall(r"^\[(\d+)\] (.*)$", turn, re.MULTILINE)
    ]
    return {
        "entities": [each for _, names in found for each in names],
        "facts": [
            {"sentence": number, "subject": names[0], "relation": "is with", "object": names[-1]}
            for number, names in found
            if len(set(names)) > 1
        ],
    }


class CountingEmbedder(WordEmbedder):
    """Keeps the texts that it embeds."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> Vectors:
        self.embedded += texts
        return super().embed_documents(texts)


class Library:
    """An index directory under test.

    Args:
        directory: The index directory.
        builder: `rules`, whose builds must not open the model, or `model`.
    """

    def __init__(self, directory: Path, builder: str) -> None:
        self.directory = directory
        self.embedder = CountingEmbedder()
        self.chat = ScriptedChat(answer)
        self.chat.register("scripted")
        self._builder = builder

    def build(
        self,
        documents: Sequence[Document],
        *,
        chunk_tokens: int = 0,
        progress: Callable[[str, int, int], None] = lambda *_: None,
        **settings: Any,
    ) -> BuildReport:
        """Build with `dense`, `sparse` and `entity-graph`."""
        options = {"chunk_tokens": chunk_tokens, "progress": progress}
        kinds = ("dense", "sparse", "entity-graph")
        return self._run(building.build, documents, settings, kinds=kinds, **options)

    def add(self, *documents: Document, **settings: Any) -> BuildReport:
        """Add documents."""
        return self._run(building.add, documents, settings)

    def estimate_add(
        self, *documents: Document, scope: Scope | None = None, **settings: Any
    ) -> tuple[int, Estimate]:
        """What `add` would cost, or `sync` with a scope."""
        passages, estimates = self._run(building.estimate_update, documents, settings, scope=scope)
        return passages, estimates["entity-graph"]

    def remove(self, *ids: str) -> BuildReport:
        """Remove documents."""
        return wait(building.remove(ids, directory=self.directory))

    def _run(
        self,
        change: Callable[..., Any],
        documents: Sequence[Document],
        settings: dict[str, Any],
        **options: Any,
    ) -> Any:
        given = {"model": "scripted", "entity_graph": {"builder": self._builder}}
        context = Context.model_validate(given | settings)
        with Resources() as resources:

            def open_caller() -> Any:
                assert self._builder == "model", "the rules ask no model"
                return resources.caller(context.model)

            return wait(
                change(
                    documents,
                    directory=self.directory,
                    embedder=self.embedder,
                    settings=context,
                    caller=open_caller,
                    **options,
                )
            )

    @property
    def asked(self) -> Counter[str]:
        """How often the model was asked about each title."""
        return Counter(title_of(request.turn) for request in self.chat.requests)

    @property
    def folder(self) -> Path:
        """The graph's folder in the current generation."""
        generation = read_manifest(self.directory).generation
        return generation_directory(self.directory, generation) / "entity-graph"

    @property
    def stats(self) -> EntityStats:
        """The stats of the current generation."""
        return EntityStats.load(self.folder)

    @property
    def files(self) -> dict[str, bytes]:
        """Every file of the graph but the stats."""
        return {
            file.name: file.read_bytes()
            for file in sorted(self.folder.iterdir())
            if file.name != "stats.json"
        }
