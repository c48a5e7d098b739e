"""What strategies take and give: ids, scores and short strings.

Passage text stays in the corpus store: a checkpoint that held it would be fifty times as large.
Scores are plain floats, because a numpy scalar cannot be checkpointed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, Required

from typing_extensions import TypedDict

from hopyard.state.metadata import MetadataValue
from hopyard.state.usage import Usage

__all__ = (
    "NOT_SUPPORTED",
    "UNCONFIRMED",
    "Citation",
    "Evidence",
    "Explanation",
    "GateDecision",
    "PassageShare",
    "RouteDecision",
    "RouteLabel",
    "Source",
    "Step",
    "StrategyInput",
    "StrategyOutput",
    "StrategyState",
    "Thrown",
    "add_reason",
    "passage_evidence",
    "passage_ids",
)


class Source(TypedDict, total=False):
    """Where a passage is from."""

    passage_id: Required[str]
    reference: str
    """How it is named to a reader, as in `handbook.docx › Contacts, p. 3`. No two passages of an
    answer have the same."""
    document_id: str
    title: str
    """The document's title."""
    source: str
    """The path or the address that the document was read from."""
    section: str
    """The headings above the passage, as in `Handbook › Contacts`; "" where there are none."""
    pages: str
    """The pages that it is on, as in `4` or `3-4`; "" where they are not known."""
    position: int
    """Its place among the passages of its document, from 0."""
    metadata: dict[str, MetadataValue]
    """The document's metadata; a long value is cut."""
    text: str
    """The passage's text, where it was asked for."""


class Evidence(TypedDict):
    """One unit that a search found and an answer may be read from."""

    kind: str
    """What the unit is: passage, summary, report or segment."""
    id: str
    """Its id in the index; a passage's own id."""
    score: float
    """As the search that found it gives it: cosine, BM25, MMR, helpfulness. Higher is better."""
    passages: list[str]
    """Ids of the passages behind it. Citations lead to them; a passage stands for itself."""
    sources: NotRequired[list[Source]]
    """Where each of them is from. The evidence of a finished answer has it."""


def passage_evidence(passage_id: str, score: float) -> Evidence:
    """The evidence of a passage itself."""
    return Evidence(kind="passage", id=passage_id, score=float(score), passages=[passage_id])


def passage_ids(evidence: Iterable[Evidence]) -> list[str]:
    """The passages behind some evidence, each once, in order."""
    return list(dict.fromkeys(name for unit in evidence for name in unit["passages"]))


class Citation(Source):
    """A sentence that stands word for word in the passage and supports the answer.

    A finished answer's citation says where the passage is from.
    """

    quote: Required[str]
    claim: NotRequired[str]
    """The part of the answer, or the finding behind it, that the passage was cited for."""
    supported: NotRequired[bool]
    """Whether the quote supports the claim; absent means that it does."""


NOT_SUPPORTED: Final = "not supported by its passage"
"""How a citation is shown whose `supported` is False."""

UNCONFIRMED: Final = "Not confirmed by the documents:"
"""What stands before `unconfirmed` where it is shown."""


class PassageShare(TypedDict):
    """How much of an answer rests on one passage."""

    passage_id: str
    contribution: float
    """Its Shapley value, one player a passage; below 0 for a passage that misleads."""
    share: float
    """Of the answer, 0 to 1."""


class Explanation(TypedDict):
    """What an answer rests on. The shares add up to 1."""

    passages: list[PassageShare]
    """In the order of the citations."""
    without: float
    """The share that the model says without any of them."""


class GateDecision(TypedDict):
    """Whether to retrieve, decided before anything is spent."""

    gate: str
    """Which gate decided: off, or the trained one."""
    probability: float | None
    """Calibrated probability that retrieval is needed; None where no gate was asked."""
    retrieve: bool | None
    """What it decided, which binds the route; None where no gate was asked."""
    reason: str


class RouteDecision(TypedDict):
    """Which strategy answers, and why."""

    strategy: str
    by: Literal["forced", "gate", "default", "trained", "model", "fallback", "budget", "approval"]
    probability: float | None
    """Probability that the strategy answers rightly, where whoever chose gives one."""
    reason: str


class Thrown(TypedDict, total=False):
    """A sub-question or decomposition that was thrown away."""

    question: str
    answer: str
    reason: Required[str]
    score: float


@dataclass(frozen=True)
class RouteLabel:
    """How the route describes a strategy.

    Attributes:
        reason: Completes "the question is for this strategy because …": told to the model, and
            recorded as the reason of its choice.
        examples: Questions that it is best for, beside those that the prompt has.
    """

    reason: str
    examples: tuple[str, ...] = ()


class Step(TypedDict, total=False):
    """One step of the reasoning. Every strategy fills in what it has.

    Steps are drawn from these fields alone, so a strategy's steps need no drawing code: `parent`
    makes the tree, `title` names the step, and `facts` holds whatever else is to be shown.
    """

    id: Required[str]
    """Unique in the run. The model calls made for the step carry it."""
    kind: Required[str]
    """What was done: rewrite, search, read, split, question, link, hop, prune, aggregate, …"""
    parent: str
    """Id of the step that this one hangs from; "" or absent at the top."""
    title: str
    """One line that names the step; absent, the kind and the question do."""
    question: str
    answer: str
    passages: list[Evidence]
    verdict: str
    """How it ended: leaf, split, pruned, failed, fallback, budget, necessary, open, …"""
    reason: str
    score: float
    """What the step was judged by, 0 to 1."""
    facts: dict[str, str]
    """Further judgements by name, such as rubric 5/5."""
    judge: str
    """The chat model that gave the score and the facts; absent where they were computed."""
    replaced: list[Thrown]
    """What was thrown away for this step."""
    tail: str
    """The passage that a hop started from."""
    head: str
    """The passage that a hop reached; absent where it stayed."""


def add_reason(before: str, reason: str) -> str:
    """A reason after the one that is there already."""
    return reason if before in {"", reason} else f"{before.rstrip('.')}; {reason}"


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
    unconfirmed: NotRequired[str]
    """What the documents do not confirm of the answer, as one sentence; "" or absent where they
    confirm it all."""
    usage: Usage


class StrategyState(StrategyInput, StrategyOutput):
    """The state of a strategy that needs no key of its own."""
