"""An index, threads and a ledger in Postgres, used by several machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Zygote
from langchain_core.documents import Document
from model_server import ModelServer
from postgres_server import PostgresServer

import hopyard
from hopyard.indexes.corpus import mirror, shared
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.addresses import LEDGER_VARIABLE, THREADS_VARIABLE
from hopyard.testing import DOCUMENTS, WordEmbedder

from ...graphs.script import full_tree
from ..conftest import EMBEDDING, Everything

TAY = "The Tay Bridge fell in 1879."
MODELS = ("--model", "openai:scripted", "--embedding", EMBEDDING, "-k", "2", "--json")
TREE = ("-s", "tree", "--set", "tree.max_depth=2", "--set", "concurrency=4")
TREE_QUESTION = "All?"
QUESTION = "When was the Iron Bridge opened?"

Machine = Callable[[str], None]
Start = Callable[..., Command]


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    """The address of an index that does not exist yet."""
    hopyard.register_embedding("words", WordEmbedder())
    return f"{postgres.place()}&index=docs"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Makes this process one of another machine, with another data folder."""
    monkeypatch.setattr(mirror, "_FRESH", 0.0)

    def become(name: str) -> None:
        monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / name))
        shared._mirrors.clear()

    become("one")
    return become


@pytest.fixture
def built(address: str, machine: Machine) -> str:
    """The address of an index that the machine `one` has built."""
    del machine
    return build(address, "faiss")


@pytest.fixture
def place(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty database for threads and ledger."""
    address = postgres.place()
    for variable in (THREADS_VARIABLE, LEDGER_VARIABLE):
        monkeypatch.setenv(variable, address)
    return address


@pytest.fixture
def start(
    place: str, index: Path, zygote: Zygote, model_server: ModelServer, tmp_path: Path
) -> Start:
    """Starts a question, or another command, on a machine: each has its own data folder."""
    model_server.answer = everything = Everything()
    everything.lines = full_tree(TREE_QUESTION, 2)

    def started(machine: str, *arguments: str) -> Command:
        given = arguments or ("ask", TREE_QUESTION, "-t", "t", "-i", str(index), *TREE, *MODELS)
        environment = model_server.environment() | {"HOPYARD_HOME": str(tmp_path / machine)}
        return zygote.start(*given, environment=environment)

    return started


def build(address: str, store: str) -> str:
    hopyard.register_embedding("words", WordEmbedder())
    hopyard.build_index(address, DOCUMENTS, chunk_tokens=0, embedding="words", vectors=store)
    return address


def add(address: str, name: str, text: str) -> None:
    hopyard.add_documents(address, Document(text, id=name))


def best(address: str, query: str) -> str:
    with hopyard.Hopyard(address, embedding="words", k=1) as hop:
        return hop.search(query, search="dense")[0].id


def rows(address: str, query: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(index_address(address).database) as connection:
        return connection.execute(query).fetchall()
