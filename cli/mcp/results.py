"""The typed results of the MCP tools. Clients read their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from hopyard.agent.answer import is_supported
from hopyard.agent.texts import with_texts
from hopyard.state import strategy as registry

__all__ = (
    "Strategies",
    "ToolAnswer",
    "answer_of",
    "strategies",
)


class PassageSource(BaseModel):
    """Where a passage is from."""

    passage_id: str
    reference: str = Field(
        "", description="How to name it to a reader, as in handbook.docx › Contacts, p. 3."
    )
    document_id: str = ""
    title: str = Field("", description="The document's title.")
    source: str = Field("", description="The path or the address of the document.")
    section: str = Field("", description="The headings above the passage; empty if there are none.")
    pages: str = Field(
        "", description="The pages that it is on, as in 4 or 3-4; empty if not known."
    )
    metadata: dict[str, str | int | float | bool] = {}
    text: str = Field("", description="The passage's text, where it was asked for.")


class Found(BaseModel):
    """One unit that a search found and the answer was read from."""

    kind: str = Field(description="passage, summary, report or segment.")
    id: str
    score: float
    why: str = Field("", description="Why the search found it; empty if the method does not say.")
    sources: list[PassageSource] = Field([], description="The passages behind it.")


class Quote(PassageSource):
    """Up to three sentences or rows of a passage that were cited for the answer."""

    quote: str = Field(description="The most important of them, word for word.")
    quotes: list[str] = Field(
        [],
        description="All of them; a row of a table with the header of each cell, as in "
        "City: London · Highest rate: 190.",
    )
    claim: str = Field("", description="The part of the answer that it was cited for.")
    supported: bool = Field(
        True, description="Whether that part was found in the passages that it cites."
    )


class Share(BaseModel):
    """How much of the answer rests on one passage."""

    passage_id: str
    share: float = Field(description="0 to 1.")


class Explained(BaseModel):
    """What the answer rests on. The rest to 1 did not come back when the question was repeated."""

    passages: list[Share] = Field(description="The first five.")
    others: float = Field(0.0, description="The share of the passages after these.")
    without: float = Field(description="The share that the model gives without any passage.")


class Spent(BaseModel):
    """The cost of the question."""

    model_calls: int = Field(description="Calls that were paid for.")
    cached_calls: int = Field(description="Calls that the ledger answered for nothing.")
    input_tokens: int
    output_tokens: int
    estimated_calls: int = Field(
        0, description="Calls whose tokens are estimated, as the server did not count them."
    )
    seconds: float


class ToolAnswer(BaseModel):
    """An answer, or the approvals that the run waits for."""

    question: str = Field(description="The question as it was answered: made to stand alone.")
    answer: str = Field(description="The answer, [1] the first citation; empty while it waits.")
    citations: list[Quote]
    evidence: list[Found] = Field(
        [], description="The passages that the answer was read from, where they were asked for."
    )
    unconfirmed: str = Field(
        "", description="What the documents do not confirm of the answer; empty where they do."
    )
    read_share: float | None = Field(
        None,
        description="Share of the sentences of the documents, 0 to 1, that an answer about all "
        "documents was given from: below 1, a maximum, a count or “all” holds for these alone. "
        "None where it was not measured.",
    )
    strategy: str = Field(description="How it was answered; empty while that is being asked about.")
    supported: bool = Field(
        description="Whether there is an answer, and the documents support all of it that was "
        "checked."
    )
    truncated: bool = Field(
        description="Whether something is missing: the budget ended the run before it was "
        "through, or a reply of the model was cut."
    )
    ending: str = Field(
        "finished",
        description="How the reply that gives the answer ended: finished, cut (at its limit of "
        "tokens), or the kind of failure (such as unfinished, filtered, refused, empty) where the "
        "answer takes the place of a reply that failed.",
    )
    explanation: Explained | None = Field(
        None, description="How much of the answer rests on each passage, if `explain` asked for it."
    )
    thread_id: str = Field(description="For continue_thread.")
    usage: Spent
    waiting: list[dict[str, Any]] = Field(
        description="What the run asks to be approved, each with its id, the action, and the "
        "decisions that continue_thread takes; empty if the run is finished."
    )


class StrategyInfo(BaseModel):
    """One way to answer."""

    name: str
    description: str


class Strategies(BaseModel):
    """All ways to answer."""

    strategies: list[StrategyInfo]


def answer_of(result: Mapping[str, Any], *, evidence: bool = False) -> ToolAnswer:
    """A thread's state as a tool gives it.

    Args:
        result: The state.
        evidence: Whether to give the passages that the answer was read from, and all texts. It
            blocks then.
    """
    result = with_texts(result) if evidence else {**result, "evidence": []}
    undecided = any(asked["action_requests"][0]["name"] == "route" for asked in result["waiting"])
    strategy = "" if undecided else result["strategy"]
    given = {**result, "strategy": strategy, "supported": is_supported(result)}
    return ToolAnswer.model_validate(given, extra="ignore")


def strategies() -> Strategies:
    """Every strategy with what it is for."""
    return Strategies(
        strategies=[
            StrategyInfo(name=known.name, description=known.about)
            for known in registry.strategies()
        ]
    )
