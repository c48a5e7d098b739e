"""The gate before the router, with a tiny gate whose weights are set by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gates import write_gate
from langgraph.graph import START, StateGraph

from hopyard.classifiers import retrieval_gate
from hopyard.models.builtin import builtin_identity, known_as
from hopyard.nodes.gate import decide_retrieval
from hopyard.nodes.route import choose_strategy
from hopyard.state.agent import AgentState
from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings import Context, GateSettings

Make = Callable[[float], Path]


async def gate_and_route(context: Context) -> dict[str, Any]:
    graph = (
        StateGraph(AgentState, context_schema=Context)
        .add_node("gate", decide_retrieval)
        .add_node("route", choose_strategy)
        .add_edge(START, "gate")
        .add_edge("gate", "route")
        .compile()
    )
    state: Any = {"question": "Who was it?", "run": "r"}
    output: dict[str, Any] = await graph.ainvoke(state, context=context)
    return output


async def decide(context: Context) -> dict[str, Any]:
    """What the gate says; a strategy is forced, so that the route asks no model."""
    output = await gate_and_route(context.model_copy(update={"strategy": "direct"}))
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
    # σ((z − 0.5) / 2): shift and temperature of the manifest
    wanted = {-2.0: 0.2227, 0.0: 0.4378, 2.0: 0.6792}[logit]
    assert gate["probability"] == pytest.approx(wanted, abs=1e-3)
    assert type(gate["probability"]) is float
    json.dumps(gate)


async def test_two_settings_say_where_it_is_unsure(gate_folder: Make) -> None:
    gating = GateSettings(unsure_from=0.2, unsure_to=0.9)
    gate = await decide(Context(gate=str(gate_folder(-2.0)), gating=gating))
    assert gate["retrieve"]
    assert "unsure (0.20 to 0.90)" in gate["reason"]


async def test_without_need_the_direct_strategy_answers(gate_folder: Make) -> None:
    output = await gate_and_route(Context(gate=str(gate_folder(-2.0))))
    assert output["strategy"] == "direct"
    assert output["route"]["by"] == "gate"


async def test_a_gate_is_loaded_once_and_again_when_it_changes(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, loads = gate_folder(2.0), []
    load = retrieval_gate.RetrievalGate.load
    monkeypatch.setattr(
        retrieval_gate.RetrievalGate, "load", lambda path: loads.append(path) or load(path)
    )
    for _ in range(3):
        await decide(Context(gate=str(folder)))
    assert loads == [folder]
    manifest = folder / "gate.json"
    manifest.write_text(manifest.read_text().replace('"prior_shift": 0.5', '"prior_shift": 9'))
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
    shipped = await decide(Context(gate="model"))
    ships = json.loads((retrieval_gate.SHIPPED / "gate.json").read_text())["model"]
    assert ("made for" in shipped["reason"]) == (known_as(ships) != known_as(builtin_identity()))


async def test_model_is_the_gate_that_ships(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(retrieval_gate, "SHIPPED", gate_folder(-2.0))
    assert (await decide(Context(gate="model")))["retrieve"] is False
    monkeypatch.setattr(retrieval_gate, "SHIPPED", tmp_path / "none")
    with pytest.raises(GateUnavailableError, match=r"ships no trained gate.*--gate off"):
        await decide(Context(gate="model"))


@pytest.mark.parametrize("name", ["", "trained", "/no/such/folder"])
async def test_a_gate_that_is_not_there(name: str) -> None:
    with pytest.raises(GateUnavailableError, match=r"not there.*gate train.*--gate off"):
        await decide(Context(gate=name))
