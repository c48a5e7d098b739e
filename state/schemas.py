"""The input and output of strategies: ids, scores and short strings.

Passage text stays in the corpus store: a checkpoint that held it would be fifty times as large.
Scores are plain floats, because a numpy scalar cannot be checkpointed.

A part of an answer is a plain dict with the keys that it has. `state.answer` describes the keys and
has the defaults of those that are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, Required

from typing_extensions import TypedDict

from hopyard.state.metadata import MetadataValue
from hopyard.state.usage import Usage


class Source(TypedDict, total=False):
    """A `state.answer.Source`."""

    passage_id: Required[str]
    reference: str
    document_id: str
    title: str
    source: str
    section: str
    pages: str
    position: int
    metadata: dict[str, MetadataValue]
    text: str


class Evidence(TypedDict):
    """A `state.answer.Evidence`. That of a finished answer has `sources`."""

    kind: str
    id: str
    score: float
    passages: list[str]
    """Ids of its passages, which citations refer to. A passage has its own id here."""
    texts: NotRequired[list[str]]
    """Texts that are read in place of each whole passage, such as the sentences of a summary; "" if
    the passages before it in the unit say it too."""
    why: NotRequired[str]
    sources: NotRequired[list[Source]]


def passage_evidence(passage_id: str, score: float) -> Evidence:
    """Evidence that consists of one passage."""
    return Evidence(kind="passage", id=passage_id, score=float(score), passages=[passage_id])


def passage_ids(evidence: Iterable[Evidence]) -> list[str]:
    """Ids of the evidence's passages, in order, without duplicates."""
    return list(dict.fromkeys(name for unit in evidence for name in unit["passages"]))


class Citation(Source):
    """A `state.answer.Citation`. That of a finished answer has its source and `quotes`."""

    quote: Required[str]
    quotes: NotRequired[list[str]]
    claim: NotRequired[str]
    supported: NotRequired[bool]


def quotes_of(citation: Citation) -> list[str]:
    """The quotes of a citation, as a reader sees them."""
    return citation.get("quotes") or [citation["quote"]]


_OUT_OF_BUDGET: Final = "The budget of "
"""How the error of a used-up budget begins (`state.usage`)."""
FINISHED: Final = "finished"
CUT: Final = "cut"
NOTE: Final = "note"
"""The kind of a step that is a sentence on the run."""
"""Names of endings that are no failures (`models.calls.reply.Ending`)."""

NOT_SUPPORTED: Final = "not found in its passage"
"""Note on a citation whose `supported` is False."""

UNCONFIRMED: Final = "Not confirmed by the documents:"
"""Label in front of `unconfirmed`."""

UNCITED: Final = "No passage was found that states this answer."
"""Note on an answer that was read from passages and cites none."""


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
    """A `state.answer.PassageShare`."""

    passage_id: str
    contribution: float
    share: float


class Explanation(TypedDict):
    """A `state.answer.Explanation`."""

    passages: list[PassageShare]
    others: float
    without: float
    calls: int


class GateDecision(TypedDict):
    """A `state.answer.Gate`."""

    gate: str
    probability: float | None
    retrieve: bool | None
    reason: str


class RouteDecision(TypedDict):
    """A `state.answer.Route`."""

    strategy: str
    by: Literal["forced", "gate", "default", "model", "fallback", "budget", "approval"]
    probability: float | None
    reason: str


class Look(TypedDict):
    """Words to find in a document, pages to open, or the search that takes the place of a name."""

    kind: Literal["find", "open", "search"]
    text: str
    """As steps and prompts show it."""
    id: NotRequired[str]
    """The document to find words in, or the passage whose pages are opened."""
    words: NotRequired[str]
    reason: NotRequired[str]
    """The replacement for a name that no document has."""


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
    """A `state.answer.Step`.

    Hopyard draws steps from these fields alone, so a strategy needs no drawing code. `parent` makes
    the tree, `title` names the step, and `facts` holds further values to show.
    """

    id: Required[str]
    kind: Required[str]
    parent: str
    title: str
    question: str
    answer: str
    passages: list[Evidence]
    verdict: str
    reason: str
    ending: str
    score: float
    facts: dict[str, str]
    judge: str
    replaced: list[Thrown]
    tail: str
    head: str


def noted_steps(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a run that is under way and keeps them as `notes`, or of a node's update."""
    notes: Any = state.get("notes") or ()
    # A node that clears the notes gives an `Overwrite` of them.
    return list(state.get("steps") or getattr(notes, "value", notes))


def notes_of(output: Mapping[str, Any]) -> list[str]:
    """Sentences on a run that a reader of its answer has to know."""
    return [step["reason"] for step in output.get("steps", ()) if step["kind"] == NOTE]


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
    """The output of every strategy. `state.answer.Result` describes the keys."""

    answer: str
    citations: list[Citation]
    evidence: list[Evidence]
    steps: list[Step]
    truncated: bool
    ending: NotRequired[str]
    unconfirmed: NotRequired[str]
    read_share: NotRequired[float | None]
    usage: Usage


class StrategyState(StrategyInput, StrategyOutput):
    """The state of a strategy that needs no key of its own."""
