"""The gate before the router, with a tiny gate whose weights are set by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gates import write_gate
from langgraph.runtime import Runtime

from hopyard.classifiers import retrieval_gate
from hopyard.models.builtin import embedded_identity, known_as
from hopyard.nodes.gate import decide_retrieval
from hopyard.nodes.route import choose_strategy
from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings import Context, GateSettings

Make = Callable[[float], Path]


def state(question: str = "Who was it?") -> Any:
    return {"question": question, "run": "r", "steps": []}


async def decided(context: Context) -> dict[str, Any]:
    update = await decide_retrieval(state(), Runtime(context=context))
    return dict(update["gate"])


@pytest.mark.parametrize(
    ("logit", "retrieve", "word"),
    [(-2.0, False, "below"), (0.0, True, "unsure"), (2.0, True, "above")],
)
async def test_probability_and_decision_are_in_the_state(
    gate_folder: Make, logit: float, retrieve: bool, word: str
) -> None:
    folder = str(gate_folder(logit))
    gate = await decided(Context(gate=folder))
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
    gate = await decided(Context(gate=str(gate_folder(-2.0)), gating=gating))
    assert gate["retrieve"]
    assert "unsure (0.20 to 0.90)" in gate["reason"]


async def test_without_need_the_direct_strategy_answers(gate_folder: Make) -> None:
    context = Context(gate=str(gate_folder(-2.0)))
    update = await decide_retrieval(state(), Runtime(context=context))
    route = await choose_strategy({**state(), **update}, Runtime(context=context))
    assert route["strategy"] == "direct"
    assert route["route"]["by"] == "gate"


async def test_a_gate_is_loaded_once_and_anew_when_it_changes(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, loads = gate_folder(2.0), []
    load = retrieval_gate.RetrievalGate.load
    monkeypatch.setattr(
        retrieval_gate.RetrievalGate, "load", lambda path: loads.append(path) or load(path)
    )
    for _ in range(3):
        await decided(Context(gate=str(folder)))
    assert loads == [folder]
    manifest = folder / "gate.json"
    manifest.write_text(manifest.read_text().replace('"threshold": 0.3', '"threshold": 0.9'))
    gate = await decided(Context(gate=str(folder)))
    assert loads == [folder, folder]
    assert not gate["retrieve"]


async def test_it_says_so_where_it_was_made_for_another_model(
    gate_folder: Make, tmp_path: Path
) -> None:
    folder = str(gate_folder(2.0))
    assert (await decided(Context(gate=folder)))["reason"].endswith("; made for m")
    ours = str(write_gate(tmp_path / "ours", 2.0, model="ollama:m"))
    assert "made for" not in (await decided(Context(gate=ours, model="ollama:m")))["reason"]
    shipped = await decided(Context(gate="model"))
    ships = json.loads((retrieval_gate.SHIPPED / "gate.json").read_text())["model"]
    assert ("made for" in shipped["reason"]) == (known_as(ships) != embedded_identity())


async def test_model_is_the_gate_that_ships(
    gate_folder: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(retrieval_gate, "SHIPPED", gate_folder(-2.0))
    assert (await decided(Context(gate="model")))["retrieve"] is False
    monkeypatch.setattr(retrieval_gate, "SHIPPED", tmp_path / "none")
    with pytest.raises(GateUnavailableError, match=r"ships no trained gate.*--gate off"):
        await decided(Context(gate="model"))


@pytest.mark.parametrize("name", ["", "trained", "/no/such/folder"])
async def test_a_gate_that_is_not_there(name: str) -> None:
    with pytest.raises(GateUnavailableError, match=r"not there.*gate train.*--gate off"):
        await decided(Context(gate=name))
