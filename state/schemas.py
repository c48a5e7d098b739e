"""The input and output of strategies: ids, scores and short strings.

Passage text stays in the corpus store: a checkpoint that held it would be fifty times as large.
Scores are plain floats, because a numpy scalar cannot be checkpointed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, Required

from typing_extensions import TypedDict

from hopyard.state.metadata import MetadataValue
from hopyard.state.usage import Usage

__all__ = (
    "CUT",
    "FINISHED",
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
    "quotes_of",
    "read_note",
    "share_read",
    "why_truncated",
)


class Source(TypedDict, total=False):
    """The source of a passage."""

    passage_id: Required[str]
    reference: str
    """Its name for readers, such as `handbook.docx › Contacts, p. 3`. It is unique within an
    answer."""
    document_id: str
    title: str
    """The document's title."""
    source: str
    """The path or the address that the document was read from."""
    section: str
    """The headings above the passage, such as `Handbook › Contacts`, or ""."""
    pages: str
    """Its pages, such as `4` or `3-4`, or "" if unknown."""
    position: int
    """Its place among the passages of its document, from 0."""
    metadata: dict[str, MetadataValue]
    """The document's metadata. Long values are cut."""
    text: str
    """The passage's text, if requested."""


class Evidence(TypedDict):
    """A unit that a search found, such as a passage."""

    kind: str
    """Kind of the unit: passage, summary, report or segment."""
    id: str
    """Its id in the index; a passage's own id."""
    score: float
    """Score of the search: cosine, BM25, MMR, helpfulness. Higher is better."""
    passages: list[str]
    """Ids of its passages, which citations refer to. A passage has its own id here."""
    why: NotRequired[str]
    """Why the search found it, such as the names that led to it."""
    sources: NotRequired[list[Source]]
    """The source of each passage. The evidence of a finished answer has it."""


def passage_evidence(passage_id: str, score: float) -> Evidence:
    """Evidence that consists of one passage."""
    return Evidence(kind="passage", id=passage_id, score=float(score), passages=[passage_id])


def passage_ids(evidence: Iterable[Evidence]) -> list[str]:
    """Ids of the evidence's passages, in order, without duplicates."""
    return list(dict.fromkeys(name for unit in evidence for name in unit["passages"]))


class Citation(Source):
    """Up to three sentences or rows of a passage that support the answer.

    The citations of a finished answer include the source of the passage, and `quotes`.
    """

    quote: Required[str]
    """The sentence, or the row, that supports it most, word for word."""
    quotes: NotRequired[list[str]]
    """All that is quoted, in the order of the passage. A row of a table has the header of each cell
    in it: `City: London · Highest rate: 190`."""
    claim: NotRequired[str]
    """The part of the answer, or the finding, that cites the passage."""
    supported: NotRequired[bool]
    """Whether the claim was found in the passages that it cites, and this one adds to it; True if
    absent."""


def quotes_of(citation: Citation) -> list[str]:
    """What a citation quotes, as a reader sees it."""
    return citation.get("quotes") or [citation["quote"]]


_OUT_OF_BUDGET: Final = "The budget of "
"""How the error of a used-up budget begins (`state.usage`)."""
FINISHED: Final = "finished"
CUT: Final = "cut"
"""Names of endings that are no failures (`models.calls.reply.Ending`)."""

NOT_SUPPORTED: Final = "not found in its passage"
"""Note on a citation whose `supported` is False."""

UNCONFIRMED: Final = "Not confirmed by the documents:"
"""Label in front of `unconfirmed`."""


def read_note(share: float | None) -> str:
    """The sentence below an answer that was given from a part of the documents.

    Args:
        share: The share of the sentences that were read, from 0 to 1; None if it was not measured.

    Returns:
        "" if all were read, or if it was not measured.
    """
    if share is None or share >= 1:
        return ""
    return (
        f"Read {share_read(share)} of the sentences of the documents: a maximum, a count or "
        "“all” in this answer holds for these."
    )


def share_read(share: float) -> str:
    """A share below 1 in per cent, rounded down: "61 %", or "less than 1 %"."""
    return f"{int(100 * share)} %" if share >= 0.01 else "less than 1 %"


class PassageShare(TypedDict):
    """A passage's share of an answer."""

    passage_id: str
    contribution: float
    """Its Shapley value, with each passage as a player. It is negative for a misleading passage."""
    share: float
    """Share of the answer, from 0 to 1."""


class Explanation(TypedDict):
    """What an answer rests on. The rest to 1 did not come back when the question was repeated."""

    passages: list[PassageShare]
    """In the order of the citations; the first five."""
    others: float
    """The share of the passages after these."""
    without: float
    """The share of the model's own knowledge."""
    calls: int
    """Times that the question was asked again, from the ledger or from the model."""


class GateDecision(TypedDict):
    """The gate's decision whether to retrieve, before any model call."""

    gate: str
    """Name of the gate, or off."""
    probability: float | None
    """Calibrated probability that retrieval is needed, or None without a gate."""
    retrieve: bool | None
    """The decision, which restricts the route, or None without a gate."""
    reason: str


class RouteDecision(TypedDict):
    """The route's choice of a strategy, with the reason."""

    strategy: str
    by: Literal["forced", "gate", "default", "trained", "model", "fallback", "budget", "approval"]
    probability: float | None
    """Probability that the strategy answers rightly, or None if unknown."""
    reason: str


class Thrown(TypedDict, total=False):
    """A rejected sub-question or decomposition."""

    question: str
    answer: str
    reason: Required[str]
    score: float


@dataclass(frozen=True)
class RouteLabel:
    """How the route describes a strategy.

    Attributes:
        reason: Completes "the question is for this strategy because …". It is part of the route's
            prompt and recorded as the reason of the choice.
        examples: More questions that it is best for, in addition to those in the prompt.
    """

    reason: str
    examples: tuple[str, ...] = ()


class Step(TypedDict, total=False):
    """One step of the reasoning. Each strategy fills in the fields that it has.

    Hopyard draws steps from these fields alone, so a strategy needs no drawing code. `parent` makes
    the tree, `title` names the step, and `facts` holds further values to show.
    """

    id: Required[str]
    """Unique in the run. The model calls made for the step carry it."""
    kind: Required[str]
    """Kind of the step: rewrite, search, read, split, question, link, hop, prune, aggregate, …"""
    parent: str
    """Id of the parent step; "" or absent at the top."""
    title: str
    """One line that names the step. The default is the kind and the question."""
    question: str
    answer: str
    passages: list[Evidence]
    verdict: str
    """How it ended (`state.verdicts`), or a word that the strategy's legend explains."""
    reason: str
    ending: str
    """How a reply ended that its answer depends on: `cut`, or the kind of failure, such as
    `filtered`; absent if all are finished."""
    score: float
    """Score of the step, from 0 to 1."""
    facts: dict[str, str]
    """Further judgements by name, such as rubric 5/5."""
    judge: str
    """The chat model that gave the score and the facts; absent if they were computed."""
    replaced: list[Thrown]
    """Rejected versions of this step."""
    tail: str
    """The passage that a hop started from."""
    head: str
    """The passage that a hop reached; absent if it stayed."""


def why_truncated(output: Mapping[str, Any]) -> list[str]:
    """Why a result is `truncated`, one sentence for each cause; none if it is whole."""
    if not output.get("truncated"):
        return []
    steps = output.get("steps", ())
    cut = any(step.get("ending") == CUT for step in steps)
    short = not cut or any(_OUT_OF_BUDGET in step.get("reason", "") for step in steps)
    return [
        *(["A reply of the model reached its limit and ends there."] if cut else []),
        *(["The run reached its budget before it was complete."] if short else []),
    ]


def add_reason(before: str, reason: str) -> str:
    """Append a reason to an earlier reason."""
    return reason if before in {"", reason} else f"{before.rstrip('.')}; {reason}"


class StrategyInput(TypedDict):
    """The input of every strategy."""

    question: str
    run: NotRequired[str]
    """The run's id for counting usage; generated if absent."""


class StrategyOutput(TypedDict):
    """The output of every strategy."""

    answer: str
    citations: list[Citation]
    evidence: list[Evidence]
    steps: list[Step]
    truncated: bool
    """Whether something is missing: the run reached its budget before it was complete, or a reply
    was cut."""
    ending: NotRequired[str]
    """How the reply that gives the answer ended: `finished`, `cut`, or the kind of failure where
    the answer takes the place of a reply that failed."""
    unconfirmed: NotRequired[str]
    """One sentence about the part of the answer that the documents do not confirm; "" or absent if
    they confirm all of it."""
    read_share: NotRequired[float | None]
    """Share of the sentences of the documents that an answer about all documents was given from,
    from 0 to 1; absent or None if it was not measured, as for an answer from one search."""
    usage: Usage


class StrategyState(StrategyInput, StrategyOutput):
    """The state of a strategy that needs no key of its own."""
