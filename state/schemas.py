"""The state of the agent and of its strategies: ids, scores and short strings.

Passage text stays in the corpus store: a checkpoint that held it would be fifty times as large.
Scores are plain floats, because a numpy scalar cannot be checkpointed.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from hopyard.state.usage import Usage

__all__ = (
    "AgentInput",
    "AgentOutput",
    "AgentState",
    "Citation",
    "Evidence",
    "GateDecision",
    "RouteDecision",
    "Step",
    "StrategyInput",
    "StrategyOutput",
    "StrategyState",
)


class Evidence(TypedDict):
    """One passage that an answer was read from."""

    passage_id: str
    score: float
    """Cosine, BM25 or MMR score or helpfulness, as the search that found it gives; higher is
    better."""


class Citation(TypedDict):
    """A sentence that stands word for word in the passage and supports the answer."""

    passage_id: str
    title: str
    quote: str


class GateDecision(TypedDict):
    """Whether to retrieve, decided before anything is spent."""

    gate: str
    """Which gate decided: off, or the trained one."""
    probability: float | None
    """Calibrated probability that retrieval is needed; None where no gate was asked."""
    retrieve: bool
    reason: str


class RouteDecision(TypedDict):
    """Which strategy answers, and why."""

    strategy: str
    by: Literal["forced", "gate", "model", "fallback", "budget", "approval"]
    probability: float | None
    """Probability of the choice, where the one who chose gives one."""
    reason: str


class Step(TypedDict, total=False):
    """One step of the reasoning, as it is read afterwards. Every strategy uses what it needs."""

    step: str
    """What was done: gate, route, search, read, tree-node, aggregate, hop, prune, …"""
    path: str
    """Place in a tree: "" is the question, "1.2" the second half of its first half."""
    question: str
    answer: str
    passages: list[Evidence]
    rubric: dict[str, int]
    """The five one-point rubrics of a decomposition."""
    scores: dict[str, int]
    """The four 0-5 scores of a branch."""
    score: float
    """The branch's normalised score, 0 to 1; of a hop, how similar its question is to the query."""
    verdict: str
    reason: str
    replaced: list[dict[str, Any]]
    """Sub-questions and decompositions that were thrown away, and why."""
    round: int
    """A hop's round; 0 is the entry into the graph."""
    tail: str
    """The passage whose edge a hop went along, or that stayed."""
    head: str
    """The passage that it reached; absent where it stayed."""
    visits: int
    """How often the head had been reached by then."""


class StrategyInput(TypedDict):
    """What every strategy takes."""

    question: str
    run: NotRequired[str]
    """Under which name usage is counted; made up where it is absent."""


class StrategyOutput(TypedDict):
    """What every strategy gives."""

    answer: str
    citations: list[Citation]
    evidence: list[Evidence]
    steps: list[Step]
    truncated: bool
    """Whether the budget ended the run before it was through."""
    usage: Usage


class StrategyState(StrategyInput, StrategyOutput):
    """The state of a strategy that needs no key of its own."""


class AgentInput(TypedDict):
    """What the agent takes: a question, or a conversation that ends with one."""

    question: NotRequired[str]
    messages: NotRequired[Annotated[list[AnyMessage], add_messages]]


class AgentOutput(StrategyOutput):
    """What the agent gives."""

    question: str
    strategy: str
    gate: GateDecision
    route: RouteDecision


class AgentState(AgentOutput):
    """The agent's state."""

    steps: Annotated[list[Step], operator.add]
    """The agent's own steps, then the strategy's."""
    messages: Annotated[list[AnyMessage], add_messages]
    run: str
