"""A folder of contracts: six of one firm, five of others, and a menu; and a model that reads it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import build
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs.every import graph
from hopyard.indexes.corpus.records import Document
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.settings.fields import Context
from hopyard.testing import ScriptedChat
from hopyard.testing.models import WordEmbedder

QUESTION = "Which contracts does Norrland have, with which partners, and who signed each?"
COUNT = "How many contracts does Norrland have?"
SIGNERS = ("Ada Berg", "Otto Lind", "Ines Falk", "Jon Ek", "Mia Ros", "Kai Moe")
PARTNERS = ("Brandt", "Delta Oy", "Elbe Pipes", "Fjord Ice", "Gamma Steel", "Hamra")
MENU = Document(id="menu", title="Menu", text="Soup, bread and tea. " * 11)


def contract(number: int, firm: str, partner: str, signer: str) -> Document:
    text = f"Contract C-2024-{number:02} between {firm} and {partner}. Signed by {signer}."
    rights = {"groups": "sales"}
    return Document(id=f"c-{number:02}", title=f"Contract {number}", text=text, metadata=rights)


OWN = [
    contract(2 * row + 1, "Norrland", partner, signer)
    for row, (partner, signer) in enumerate(zip(PARTNERS, SIGNERS, strict=True))
]
OTHERS = [contract(2 * row, "Sundsvall", "Brandt", "Ada Berg") for row in range(1, 6)]
ALL = [*OWN, *OTHERS, MENU]
ROWS = [
    f"| C-2024-{2 * row + 1:02} | {partner} | {signer} [{row + 1}] |"
    for row, (partner, signer) in enumerate(zip(PARTNERS, SIGNERS, strict=True))
]
TABLE = "\n".join(["| Contract | Partner | Signed by |", "| --- | --- | --- |", *ROWS])
_CONTRACT = re.compile(
    r"^\[(\d+)\] .*?Contract (\S+) between Norrland and (.*?)\. Signed by (.*)\.$"
)


def read(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A row for each contract of Norrland in the passages."""
    turn = str(messages[-1]["content"])
    found = [match for line in turn.splitlines() if (match := _CONTRACT.match(line))]
    rows = [{"cells": list(line.groups()[1:]), "passages": [int(line[1])] * 3} for line in found]
    form = {
        "kind": "count" if "How many" in turn else "list",
        "item": "A contract of Norrland.",
        "columns": ["Contract", "Partner", "Signed by"],
        "sentence": "Norrland has # contracts:",
    }
    return {**(form if name == "Opened" else {}), "rows": rows, "complete": True}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("contracts") / "index"
    build(ALL, directory=directory, embedder=WordEmbedder(), chunk_tokens=0)
    return directory


@pytest.fixture
def chat() -> ScriptedChat:
    chat = ScriptedChat(read)
    chat.register()
    register_embedder(WordEmbedder.name, WordEmbedder())
    return chat


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(index: Path, chat: ScriptedChat, tmp_path: Path) -> Ask:
    """Ask in a process of its own; all of them share the ledger and the thread."""
    saver = InMemorySaver()

    def ask(question: str | None = QUESTION, given: Path = index, **settings: Any) -> Any:
        values = {"index": str(given), "model": "scripted", "embedding": WordEmbedder.name}
        context = Context.model_validate({**values, "global": {"window": 60}, **settings})
        chat.requests.clear()
        with Resources(tmp_path / "home") as resources:
            config = config_with(resources, {"configurable": {"thread_id": "t"}})
            threaded = graph.copy({"checkpointer": saver})
            asked = None if question is None else {"question": question}
            return asyncio.run(threaded.ainvoke(asked, config, context=context))

    return ask
