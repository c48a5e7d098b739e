"""The searches of the summary tree, and a strategy that reads summaries."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import build

import hopyard
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.searches.summaries import Node, within
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.schemas import passage_evidence
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import DOCUMENTS
from hopyard.testing.contract import EMBEDDING, MODEL
from hopyard.testing.models import ScriptedChat, WordEmbedder

QUESTION = "How long is the Danube, and which bridge crosses it?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("summaries") / "index"
    kinds = ("dense", "summary-tree")
    build(DOCUMENTS, directory=directory, embedder=WordEmbedder(), chunk_tokens=0, kinds=kinds)
    return directory


def test_nodes_are_taken_until_the_next_would_not_fit() -> None:
    nodes = [
        Node(passage_evidence(name, 1.0), size)
        for name, size in zip("abcd", (50, 30, 40, 5), strict=True)
    ]
    assert within(nodes, 9, 80) == nodes[:2]  # not d, which would fit, but is farther than c
    assert within(nodes, 1, 80) == nodes[:1]
    assert within(nodes, 9, 10) == nodes[:1]  # never nothing
    assert within([], 9, 10) == []


@pytest.mark.parametrize("search", ["summaries", "summary-walk"])
def test_a_summary_is_a_unit_that_leads_to_its_passages(index: Path, search: str) -> None:
    hop = hopyard.Hopyard(index, embedding=WordEmbedder(), search=search, k=20)
    [root] = [unit for unit in hop.search(QUESTION) if unit.kind == "summary"]
    texts = {document.id: str(document.text) for document in DOCUMENTS}
    assert len(root.texts) == len(root.sources) > 1
    for source, text in zip(root.sources, root.texts, strict=True):
        assert text in texts[source.passage_id]
    assert root.why == f"summary of {', '.join(sorted(texts))}"


def test_a_walk_with_a_filter_takes_the_way_to_the_passages_that_match(tmp_path: Path) -> None:
    documents = [
        Document(
            f"{port.lower()}-{number}", f"{port} {number}", f"The port of {port} rests. " * 300
        )
        for port in ("Nordby", "Sund", "Vik")
        for number in (1, 2)
    ]
    directory, kinds = tmp_path / "index", ("dense", "summary-tree")
    build(documents, directory=directory, embedder=WordEmbedder(), chunk_tokens=0, kinds=kinds)
    hop = hopyard.Hopyard(directory, embedding=WordEmbedder(), search="summary-walk", k=1)
    [unit] = hop.search("the port of Nordby", where="title=Vik 1")
    assert (unit.id, unit.why) == ("vik-1", "")  # found by the walk: nothing had to be added


async def test_single_reads_the_sentences_of_a_summary_and_quotes_the_passage(
    index: Path, tmp_path: Path
) -> None:
    chat = ScriptedChat({"Answer": {"answer": "the Danube"}})
    chat.register(MODEL)
    register_embedder(EMBEDDING, WordEmbedder())
    context = Context.model_validate({
        "index": str(index), "model": MODEL, "embedding": EMBEDDING, "profile": "builtin",
        "retrieval": {"method": "summaries", "k": 20}, "summaries": {"tokens": 60},
    })  # fmt: skip
    question = "stone bridge danube iron severn village coke cathedral city countries longest"
    with Resources(tmp_path / "home") as resources:
        config = config_with(resources)
        result = (
            await STRATEGIES["single"]
            .load_graph()
            .ainvoke({"question": question}, config, context=context)
        )
    [summary] = [unit for unit in result["evidence"] if unit["kind"] == "summary"]
    [request] = chat.requests
    whole = {unit["id"] for unit in result["evidence"] if unit["kind"] == "passage"}
    for name, text in zip(summary["passages"], summary["texts"], strict=True):
        assert text in request.turn
        full = next(str(each.text) for each in DOCUMENTS if each.id == name)
        assert (full in request.turn) == (name in whole or full == text)
    cited = {citation["passage_id"] for citation in result["citations"]}
    assert cited
    assert all("Danube" in citation["quote"] for citation in result["citations"])
