"""The gate before the router, with a tiny gate whose weights are set by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import build
from gates import write_gate
from langgraph.graph import START, StateGraph

from hopyard.classifiers import retrieval_gate
from hopyard.classifiers.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.measures.nearness import Nearness
from hopyard.models.embeddings import embedder
from hopyard.nodes.gate import decide_retrieval, measured_for
from hopyard.nodes.route import choose_strategy
from hopyard.state.agent import AgentState
from hopyard.state.errors import GateUnavailableError, ModelUnreachableError
from hopyard.state.settings.fields import Context, GateSettings

Make = Callable[[float], Path]
MINUTES = Document("2", "Minutes", "The board met on a Tuesday.")
UNANSWERABLE = (
    "Who was the first person to photograph the far side of Phobos?",
    "According to the article on Titan and the report on Venus, which engineer built both probes?",
    "How much did the Huygens landing cost, and who paid the last instalment?",
    "What did the team write about the sound of the wind on Mars?",
)
SMALL_TALK = ("Good evening! How was your day?", "Write a limerick about a lazy cat.", "12 * 12?")


async def gate_and_route(context: Context, question: str = "Who was it?") -> dict[str, Any]:
    graph = (
        StateGraph(AgentState, context_schema=Context)
        .add_node("gate", decide_retrieval)
        .add_node("route", choose_strategy)
        .add_edge(START, "gate")
        .add_edge("gate", "route")
        .compile()
    )
    state: Any = {"question": question, "run": "r"}
    output: dict[str, Any] = await graph.ainvoke(state, context=context)
    return output


async def decide(context: Context, question: str = "Who was it?") -> dict[str, Any]:
    """The decision of the gate; nothing else runs, so that the route asks no model."""
    graph = (
        StateGraph(AgentState, context_schema=Context)
        .add_node("gate", decide_retrieval)
        .add_edge(START, "gate")
        .compile()
    )
    state: Any = {"question": question, "run": "r"}
    output: dict[str, Any] = await graph.ainvoke(state, context=context)
    return dict(output["gate"])


@pytest.mark.parametrize(
    ("logit", "retrieve", "word"),
    [(-2.0, False, "below"), (0.0, True, "unsure"), (2.0, True, "above")],
)
async def test_probability_and_decision_are_in_the_state(
    gate_folder: Make, logit: float, retrieve: bool, word: str
) -> None:
    folder = str(gate_folder(logit))
    gate = await decide(Context(gate=folder))
    assert gate["gate"] == folder
    assert gate["retrieve"] is retrieve
    assert word in gate["reason"]
    wanted = {-2.0: 0.1192, 0.0: 0.5, 2.0: 0.8808}[logit]
    assert gate["probability"] == pytest.approx(wanted, abs=1e-3)
    assert type(gate["probability"]) is float
    json.dumps(gate)


async def test_two_settings_say_where_it_is_unsure(gate_folder: Make) -> None:
    gating = GateSettings(unsure_from=0.1, unsure_to=0.9)
    gate = await decide(Context(gate=str(gate_folder(-2.0)), gating=gating))
    assert gate["retrieve"]
    assert "unsure (0.10 to 0.90)" in gate["reason"]


async def test_a_question_about_the_documents_needs_them(gate_folder: Make) -> None:
    folder = str(gate_folder(-2.0))
    gate = await decide(Context(gate=folder), "What do these articles have in common?")
    assert (gate["gate"], gate["retrieve"], gate["probability"]) == (folder, True, None)
    assert gate["reason"] == "the question is about the documents"


async def test_a_question_that_names_a_document_needs_it(gate_folder: Make, tmp_path: Path) -> None:
    documents = [Document("1", "Pier Lease 2031", "The rent is forty crowns."), MINUTES]
    build(documents, directory=tmp_path / "index", embedder=embedder("builtin"))
    settings = Context(gate=str(gate_folder(-2.0)), index=str(tmp_path / "index"))
    gate = await decide(settings, "Does the Pier Lease 2031 allow dogs?")
    assert (gate["retrieve"], gate["probability"]) == (True, None)
    assert gate["reason"] == "it names 'Pier Lease 2031' of the documents"
    assert not (await decide(settings, "Write me the minutes of a tea party."))["retrieve"]


@pytest.mark.parametrize("name", retrieval_gate.SHIPPED)
@pytest.mark.parametrize("question", UNANSWERABLE)
async def test_the_shipped_gates_search_for_what_the_documents_do_not_say(
    planets: Path, name: str, question: str
) -> None:
    """The gate cannot know that no document answers: the question is about their subject."""
    gate = await decide(Context(gate=name, index=str(planets)), question)
    assert gate["retrieve"], gate["reason"]
    assert gate["probability"] is not None  # by the gate, not by a rule


@pytest.mark.parametrize("name", retrieval_gate.SHIPPED)
@pytest.mark.parametrize("question", SMALL_TALK)
async def test_the_shipped_gates_leave_small_talk_to_the_model(
    planets: Path, name: str, question: str
) -> None:
    assert not (await decide(Context(gate=name, index=str(planets)), question))["retrieve"]


async def test_a_gate_is_loaded_once_and_again_when_it_changes(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, loads = gate_folder(2.0), []
    load = retrieval_gate.RetrievalGate.load
    monkeypatch.setattr(
        retrieval_gate.RetrievalGate,
        "load",
        lambda path, embed: loads.append(path) or load(path, embed),
    )
    for _ in range(3):
        await decide(Context(gate=str(folder)))
    assert loads == [folder]
    manifest = folder / "gate.json"
    manifest.write_text(manifest.read_text().replace('"bias": 2.0', '"bias": -9.0'))
    gate = await decide(Context(gate=str(folder)))
    assert loads == [folder, folder]
    assert not gate["retrieve"]


async def test_it_says_so_where_it_was_made_for_another_model(
    gate_folder: Make, tmp_path: Path
) -> None:
    folder = str(gate_folder(2.0))
    assert (await decide(Context(gate=folder)))["reason"].endswith("; made for m")
    ours = str(write_gate(tmp_path / "ours", 2.0, model="ollama:m"))
    assert "made for" not in (await decide(Context(gate=ours, model="ollama:m")))["reason"]
    for name in retrieval_gate.SHIPPED:
        assert "made for" not in (await decide(Context(gate=name)))["reason"]


@pytest.mark.parametrize(
    ("made_for", "host", "same"),
    [
        ("ollama:m", "gpu.example.org:11434", True),
        ("ollama:m@gpu.example.org:11434", "", True),
        ("ollama:m@gpu.example.org:11434", "http://10.0.0.7/ollama", True),
        ("ollama:m:8b@gpu.example.org:11434", "", False),
        ("openai:m@gpu.example.org/v1", "", False),
    ],
)
async def test_a_gate_is_made_for_a_model_wherever_it_is_served(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made_for: str, host: str, same: bool
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    folder = str(write_gate(tmp_path / "gate", 2.0, model=made_for))
    asked = Context(gate=folder, model="ollama:m", profile="capable")  # asks no server for a size
    assert ("made for" not in (await decide(asked))["reason"]) is same


@pytest.mark.parametrize(("model", "profile"), [("builtin", "builtin"), ("ollama:m", "capable")])
async def test_auto_is_the_shipped_gate_of_the_models_profile(
    planets: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, profile: str
) -> None:
    monkeypatch.setattr(retrieval_gate, "_FOLDER", tmp_path)
    write_gate(tmp_path / profile, -2.0)
    output = await gate_and_route(Context(model=model, index=str(planets)))
    assert (output["gate"]["gate"], output["gate"]["retrieve"]) == (profile, False)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"gate": "off"}, "the route decides"),
        ({"strategy": "single"}, "the caller chose the strategy"),
        ({}, "there is no index"),
    ],
)
async def test_auto_asks_no_gate_that_could_change_nothing(
    settings: dict[str, str], why: str
) -> None:
    gate = await decide(Context(**{"strategy": "auto"} | settings))  # type: ignore[arg-type]
    assert (gate["gate"], gate["retrieve"]) == ("off", None)
    assert why in gate["reason"]


async def test_the_corpus_has_a_say(planets: Path, tmp_path: Path) -> None:
    """The same question, near to the corpus and far from it."""
    weights = {"cosine": (20.0, 0.4), "known": (4.0, 0.5)}
    folder = write_gate(tmp_path / "gate", -1.0, nearness=weights)
    settings = Context(gate=str(folder), index=str(planets))
    near = await decide(settings, "Which moons has Mars?")
    far = await decide(settings, "How do I knit a pullover?")
    assert near["probability"] > 0.9
    assert not far["retrieve"]
    alone = await decide(settings.model_copy(update={"index": None}), "Which moons has Mars?")
    assert alone["probability"] == pytest.approx(0.2689, abs=1e-3)  # the bias


def test_cosines_of_another_embedding_model_are_not_used() -> None:
    found = Nearness(0.9, 5.0, 0.4, 1.0)
    assert measured_for(found, "builtin:e5", "builtin:e5") == found
    assert measured_for(found, "ollama:m", "builtin:e5") == Nearness(None, None, 0.4, 1.0)


def test_a_gate_that_names_the_former_built_in_model_was_trained_with_minilm(
    tmp_path: Path,
) -> None:
    folder = write_gate(tmp_path / "gate", -1.0)
    file = folder / "gate.json"
    file.write_text(file.read_text().replace("builtin:e5", "builtin"))
    former = read_manifest(folder)
    assert (former.base, former.embedding) == ("builtin:minilm", "builtin:minilm")


@pytest.mark.parametrize("name", ["", "trained", "/no/such/folder"])
async def test_a_gate_that_is_not_there(name: str) -> None:
    with pytest.raises(GateUnavailableError, match=r"does not exist.*gate train.*--gate off"):
        await decide(Context(gate=name))


async def test_without_the_built_in_embedding_the_default_gate_is_off_and_says_why(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    index = str(tmp_path)  # which is not looked at
    gate = await decide(Context(index=index, model="openai:gpt-x", embedding="openai:x"))
    assert (gate["gate"], gate["probability"], gate["retrieve"]) == ("off", None, None)
    assert gate["reason"] == (
        "no gate was asked: it needs hopyard[builtin]: pip install 'hopyard[builtin]'; "
        "the route decides"
    )
    with pytest.raises(ModelUnreachableError, match=r"needs hopyard\[builtin\]"):
        await decide(Context(gate=str(gate_folder(2.0))))
