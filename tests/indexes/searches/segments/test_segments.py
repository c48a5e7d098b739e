"""The search `segments`, alone and under the strategies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from long_reports import build_reports

import hopyard
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing.contract import EMBEDDING, MODEL
from hopyard.testing.models import ScriptedChat, WordEmbedder

QUESTION = "What did barges, ferries and tugs pay, and what did all tolls come to?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_reports(tmp_path_factory.mktemp("segments") / "index")


@pytest.fixture
def hop(index: Path) -> hopyard.Hopyard:
    return hopyard.Hopyard(index, embedding=WordEmbedder(), search="segments", k=6)


def test_adjacent_passages_are_one_unit(hop: hopyard.Hopyard) -> None:
    first, *others = hop.search(QUESTION)
    assert first.kind == "segment"
    pages = [source.pages for source in first.sources]
    positions = [source.position for source in first.sources]
    assert {"18", "19"} <= set(pages)
    assert positions == list(range(positions[0], positions[-1] + 1))
    assert len({source.document_id for source in first.sources}) == 1
    assert first.id == f"{first.sources[0].passage_id}…{first.sources[-1].passage_id}"
    assert all(first.score >= other.score for other in others)


@pytest.mark.parametrize("k", [1, 2, 6, 20])
def test_it_gives_k_passages_at_most_and_none_twice(hop: hopyard.Hopyard, k: int) -> None:
    found = [source.passage_id for unit in hop.search(QUESTION, k=k) for source in unit.sources]
    assert 1 <= len(found) <= k
    assert len(found) == len(set(found))


def test_a_single_passage_stays_a_passage(hop: hopyard.Hopyard) -> None:
    [unit] = hop.search("Which clause lets the harbour master close a pier?", k=1)
    assert (unit.kind, unit.id) == ("passage", unit.sources[0].passage_id)


def test_several_questions_take_turns(hop: hopyard.Hopyard) -> None:
    clause, toll = "Which clause lets the harbour master close pier 7?", "What did tugs pay?"
    found = hop.search(f"{clause} {toll}", k=4)
    texts = " ".join(unit.text for unit in found)
    assert "Clause 4.2.1" in texts
    assert "Tugs paid 90" in texts


def test_a_filter_holds_inside_a_segment(hop: hopyard.Hopyard) -> None:
    found = hop.search(QUESTION, where="page=18")
    assert {source.pages for unit in found for source in unit.sources} == {"18"}


def reply(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One usable output for every call of the strategies below."""
    if name == "Decomposition":
        return {"kind": "simple", "first": "", "second": ""}
    if name == "Split":
        return {"thought": "One fact.", "kind": "simple"}
    if name == "ChainStepInside":
        fact = {"fact": "Ferries paid 310 crowns.", "passage": 1}
        return {"findings": [fact], "kind": "answer", "answer": "310"}
    if name == "NextQuestion":
        return {"kind": "enough", "question": ""}
    return {"thought": "It says so.", "answer": "310", "passages": [1]}


@pytest.mark.parametrize("strategy", ["single", "chain", "plan", "tree", "cor"])
async def test_strategies_read_all_passages_of_a_segment(
    index: Path, tmp_path: Path, strategy: str
) -> None:
    register_embedder(EMBEDDING, WordEmbedder())
    chat = ScriptedChat(reply)
    chat.register(MODEL)
    context = Context.model_validate(
        {
            "index": str(index),
            "model": MODEL,
            "embedding": EMBEDDING,
            "retrieval": {"method": "segments", "k": 6},
        }
    )
    with Resources(tmp_path / "home") as resources:
        graph = STRATEGIES[strategy].load_graph()
        output = await graph.ainvoke(
            {"question": QUESTION}, config_with(resources), context=context
        )
    assert output["answer"] == "310"
    shown = "".join(request.turn for request in chat.requests)
    assert "Ferries paid" in shown
    assert "continues [" in shown
    assert any(unit["kind"] == "segment" for unit in output["evidence"]) or strategy == "chain"
    assert len(passage_ids(output["evidence"])) > 1
