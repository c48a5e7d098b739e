"""The Con-RAG gate: retrieve or not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from hopyard.classifiers.retrieval_gate import OFF, Decision
from hopyard.models.builtin import known_as
from hopyard.nodes.run import Run, run_of
from hopyard.state.agent import AgentState
from hopyard.state.schemas import GateDecision
from hopyard.state.settings import Context

__all__ = ("decide_retrieval",)


async def decide_retrieval(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the gate whether the question needs retrieval. Its decision binds the route.

    Raises:
        GateUnavailableError: A gate was asked for that is not there or cannot be loaded.
    """
    run = await run_of(state, runtime)
    gate = run.settings.gate
    if gate == OFF:
        reason = "no gate was asked; the route decides"
        return {"gate": GateDecision(gate=OFF, probability=None, retrieve=None, reason=reason)}
    decision = await asyncio.to_thread(_decide, run, state["question"])
    return {
        "gate": GateDecision(
            gate=gate,
            probability=decision.probability,
            retrieve=decision.retrieve,
            reason=decision.reason,
        )
    }


def _decide(run: Run, question: str) -> Decision:
    gate = run.resources.gate(run.settings.gate)
    decision = gate.decide(question, run.settings.gating)
    made_for = known_as(gate.manifest.model)
    if known_as(run.resources.caller(run.settings.model).provider.identity) == made_for:
        return decision
    return replace(decision, reason=f"{decision.reason}; made for {made_for}")
