"""The Con-RAG gate: retrieve or not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from hopyard.classifiers.retrieval_gate import OFF, Decision, load_gate
from hopyard.models.builtin import known_as
from hopyard.models.call import model_caller
from hopyard.nodes.resources import context_of
from hopyard.state.schemas import AgentState, GateDecision
from hopyard.state.settings import Context

__all__ = ("decide_retrieval",)


async def decide_retrieval(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the gate whether the question needs retrieval.

    Raises:
        GateUnavailableError: A gate was asked for that is not there or cannot be loaded.
    """
    context = context_of(runtime)
    if context.gate == OFF:
        return {
            "gate": GateDecision(
                gate=OFF,
                probability=None,
                retrieve=True,
                reason="no gate was asked: every question may retrieve",
            )
        }
    decision = await asyncio.to_thread(_decide, state["question"], context)
    return {
        "gate": GateDecision(
            gate=context.gate,
            probability=decision.probability,
            retrieve=decision.retrieve,
            reason=decision.reason,
        )
    }


def _decide(question: str, context: Context) -> Decision:
    gate = load_gate(context.gate)
    decision = gate.decide(question, context.gating)
    made_for = known_as(gate.manifest.model)
    if known_as(model_caller(context.model).provider.identity) == made_for:
        return decision
    return replace(decision, reason=f"{decision.reason}; made for {made_for}")
