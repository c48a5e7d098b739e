"""The state of the whole agent."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from hopyard.state.schemas import (
    Citation,
    Explanation,
    GateDecision,
    RouteDecision,
    Step,
    StrategyOutput,
)


class AgentInput(TypedDict):
    """The input of the agent: a question, or a conversation that ends with a question."""

    question: NotRequired[str]
    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]


class LastAnswer(TypedDict):
    """The answer that a message such as "shorter" is about."""

    text: str
    citations: list[Citation]
    unconfirmed: str
    question: str
    """The message made to stand alone, in case that it takes a search after all."""


class AgentOutput(StrategyOutput):
    """The output of the agent."""

    question: str
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation. It ends with the answer, as an ordinary AI message."""
    strategy: str
    gate: GateDecision
    route: RouteDecision
    explanation: NotRequired[Explanation | None]
    """The shares of the passages, with `answer.explain`; None if unknown."""


class AgentState(AgentOutput):
    """The agent's state."""

    steps: Annotated[list[Step], operator.add]
    """The agent's own steps, then the strategy's."""
    last: LastAnswer | None
    """The last answer, if this turn is a request about it; None for a question."""
    run: str
    tried: list[str]
    """Strategies whose answer was handed to a stronger one."""
    stronger: str
    """The strategy that answers next; "" where the answer stays."""
    before: dict[str, Any]
    """The answer that was handed over although it was not Unknown, with what belongs to it."""
    unfit: NotRequired[str]
    """The model whose outputs did not fit the schemas of a strategy in this thread."""
    settings: dict[str, Any]
    """The settings of the turn, so that whoever resumes the thread takes the same."""
