"""The frame of every strategy's graph."""

from __future__ import annotations

from typing import TypeVar

from langgraph.graph import StateGraph

from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context

StateT = TypeVar("StateT", bound=StrategyInput)


def strategy_graph(
    state: type[StateT],
) -> StateGraph[StateT, Context, StrategyInput, StrategyOutput]:
    """A graph without nodes, which takes and gives what every strategy does."""
    return StateGraph(
        state, input_schema=StrategyInput, output_schema=StrategyOutput, context_schema=Context
    )
