"""The Con-RAG gate: retrieve or not."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.resources import context_of
from hopyard.state.errors import GateUnavailableError
from hopyard.state.schemas import AgentState, GateDecision
from hopyard.state.settings import Context

__all__ = ("decide_retrieval",)


async def decide_retrieval(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the gate whether the question needs retrieval.

    Raises:
        GateUnavailableError: A trained gate was asked for, and this version ships none.
    """
    del state
    gate = context_of(runtime).gate
    if gate != "off":
        raise GateUnavailableError(
            f"The gate {gate!r} is not there: this version ships no trained gate; use --gate off."
        )
    return {
        "gate": GateDecision(
            gate="off",
            probability=None,
            retrieve=True,
            reason="no gate was asked: every question may retrieve",
        )
    }
