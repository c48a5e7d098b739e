"""An index with an entity graph, how it changes, and a model whose answers are counted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from model_server import WordEmbedder

from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.sync import Scope
from hopyard.indexes.kind import Estimate
from hopyard.models.calls.call import ModelCaller
from hopyard.models.embedder import Vectors
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.testing.models import ScriptedChat

from ....built import Built

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


class Library(Built):
    """An index with an entity graph.

    Args:
        directory: The index directory.
        builder: `rules`, whose builds must not open the model, or `model`.
    """

    kind = "entity-graph"
    kinds = ("dense", "sparse", "entity-graph")

    def __init__(self, directory: Path, builder: str) -> None:
        super().__init__(directory, CountingEmbedder(), entity_graph={"builder": builder})
        self.chat = ScriptedChat(answer)
        self.chat.register("scripted")
        self._builder = builder

    def caller(self, resources: Resources, context: Context) -> ModelCaller:
        """Opens the chat model, which the rules must not do."""
        assert self._builder == "model", "the rules ask no model"
        return super().caller(resources, context)

    def estimate_add(
        self, *documents: Document, scope: Scope | None = None, **settings: Any
    ) -> tuple[int, Estimate]:
        """The passages after `add`, and what it would cost."""
        change = building.estimate_update
        passages, estimates = self.run(change, documents, settings, scope=scope)
        return passages, estimates[self.kind]

    @property
    def asked(self) -> Counter[str]:
        """How often the model was asked about each title."""
        return Counter(title_of(request.turn) for request in self.chat.requests)
