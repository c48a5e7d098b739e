"""What the MCP tools give: typed results, whose schemas a client reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from hopyard.graphs import registry
from hopyard.indexes.records import Passage

__all__ = ("PassageText", "Strategies", "ToolAnswer", "answer_of", "strategies")


class Quote(BaseModel):
    """A sentence that is in a passage word for word and was cited for the answer."""

    passage_id: str
    title: str
    quote: str
    claim: str = Field("", description="The part of the answer that it was cited for.")
    supported: bool = Field(True, description="Whether the quote supports that part.")


class Spent(BaseModel):
    """What the question has cost."""

    model_calls: int = Field(description="Calls that were paid for.")
    cached_calls: int = Field(description="Calls that the ledger answered for nothing.")
    input_tokens: int
    output_tokens: int
    seconds: float


class ToolAnswer(BaseModel):
    """An answer, or what the run waits for before it goes on."""

    question: str = Field(description="The question as it was answered: made to stand alone.")
    answer: str = Field(description="The answer, [1] the first citation; empty while it waits.")
    citations: list[Quote]
    unconfirmed: str = Field(
        "", description="What the documents do not confirm of the answer; empty where they do."
    )
    strategy: str = Field(description="How it was answered; empty while that is being asked about.")
    truncated: bool = Field(description="Whether the budget ended the run before it was through.")
    thread_id: str = Field(description="For continue_thread.")
    usage: Spent
    waiting: list[dict[str, Any]] = Field(
        description="What the run asks to be approved, each with its id and the answers that can "
        "be given through continue_thread; empty where it is through."
    )


class StrategyInfo(BaseModel):
    """One way to answer."""

    name: str
    description: str


class Strategies(BaseModel):
    """All ways to answer."""

    strategies: list[StrategyInfo]


class PassageText(BaseModel):
    """A passage as it stands in the corpus."""

    passage_id: str
    document_id: str
    title: str
    text: str
    pages: str = Field(description="The pages that it is on, as in 4 or 3-4; empty if not known.")
    metadata: dict[str, str | int | float | bool]

    @classmethod
    def of(cls, passage: Passage) -> PassageText:
        """A passage of the corpus store."""
        return cls(
            passage_id=passage.id,
            document_id=passage.document_id,
            title=passage.title,
            text=passage.text,
            pages=passage.pages,
            metadata=dict(passage.metadata),
        )


def answer_of(result: Mapping[str, Any]) -> ToolAnswer:
    """A thread's state as a tool gives it."""
    undecided = any(asked["approve"] == "route" for asked in result["waiting"])
    strategy = "" if undecided else result["strategy"]
    return ToolAnswer.model_validate({**result, "strategy": strategy}, extra="ignore")


def strategies() -> Strategies:
    """Every strategy with what it is for."""
    return Strategies(
        strategies=[
            StrategyInfo(name=strategy.name, description=strategy.about)
            for strategy in registry.strategies()
        ]
    )
