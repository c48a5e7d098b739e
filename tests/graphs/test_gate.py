"""What `--gate` does to a run: off, it leaves the choice to the route; else its decision binds."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates import write_gate

from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings.fields import Context

from .script import Script
from .test_router import QUESTION, ask_agent

SMALL_TALK = "How are you today?"


async def test_off_is_recorded(context: Context, script: Script) -> None:
    output = await ask_agent(context, strategy="single", gate="off")
    assert output["gate"] == {
        "gate": "off",
        "probability": None,
        "retrieve": None,
        "reason": "no gate; the route decides",
    }


@pytest.mark.parametrize("logit", [0.0, 2.0])
async def test_retrieve_binds_the_route(
    context: Context, script: Script, tmp_path: Path, logit: float
) -> None:
    """The route is not offered `direct`, so its choice of that is none."""
    gate = str(write_gate(tmp_path / "gate", logit))  # unsure, and sure
    script.lines = {("route", QUESTION): {"strategy": "direct"}}
    output = await ask_agent(context, gate=gate)
    assert output["gate"]["retrieve"] is True
    assert (output["strategy"], output["route"]["by"]) == ("single", "fallback")
    assert output["evidence"]
    script.lines = {("route", QUESTION): {"strategy": "tree"}}
    output = await ask_agent(context, gate=gate, seed=8)
    assert (output["strategy"], output["route"]["by"]) == ("tree", "model")


async def test_no_need_is_answered_directly_without_asking_the_route(
    context: Context, script: Script, tmp_path: Path
) -> None:
    asked = {"gate": str(write_gate(tmp_path / "gate", -2.0))}
    output = await ask_agent(context, SMALL_TALK, **asked)
    assert output["gate"]["retrieve"] is False
    assert (output["strategy"], output["route"]["by"]) == ("direct", "gate")
    assert script.asked == [("direct", SMALL_TALK)]
    output = await ask_agent(context, **asked)  # which names a document
    assert output["gate"]["retrieve"] is True


@pytest.mark.parametrize(("logit", "strategy"), [(2.0, "direct"), (-2.0, "single")])
async def test_a_forced_strategy_overrules_the_gate(
    context: Context, script: Script, tmp_path: Path, logit: float, strategy: str
) -> None:
    gate = str(write_gate(tmp_path / "gate", logit))
    output = await ask_agent(context, gate=gate, strategy=strategy)
    assert (output["strategy"], output["route"]["by"]) == (strategy, "forced")


@pytest.mark.parametrize("gate", ["on", ""])
async def test_any_other_is_not_there(context: Context, script: Script, gate: str) -> None:
    with pytest.raises(GateUnavailableError, match="--gate off"):
        await ask_agent(context, gate=gate)
    assert script.asked == []
