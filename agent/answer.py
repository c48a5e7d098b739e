"""The result of a question: the answer with its citations, evidence, steps and cost.

All parts are frozen pydantic models: read them as attributes, write them with `model_dump_json`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hopyard.agent.texts import with_texts
from hopyard.nodes.citations import is_unknown
from hopyard.state.references import name_sources
from hopyard.state.schemas import NOT_SUPPORTED, UNCONFIRMED, Source, read_note

__all__ = (
    "Answer",
    "Citation",
    "Evidence",
    "Explanation",
    "Gate",
    "PassageShare",
    "PassageSource",
    "Route",
    "Step",
    "Usage",
    "Waiting",
    "evidence_of",
    "is_supported",
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class PassageSource(_Part):
    """Where a passage is from."""

    passage_id: str
    reference: str = ""
    """How to name it to a reader, as in `handbook.docx › Contacts, p. 3`."""
    document_id: str = ""
    title: str = ""
    """The document's title."""
    source: str = ""
    """The path or the address of the document."""
    section: str = ""
    """The headings above the passage; "" if there are none."""
    pages: str = ""
    """The pages that it is on, as in `4` or `3-4`; "" if they are not known."""
    position: int = 0
    """Its place among the passages of its document, from 0."""
    metadata: dict[str, str | int | float | bool] = {}
    """The document's metadata."""
    text: str = ""
    """The passage's text; "" if it has left the index since."""


class Citation(PassageSource):
    """Up to three sentences or rows of a passage that were cited for the answer."""

    quote: str
    """The most important of them, word for word."""
    quotes: tuple[str, ...] = ()
    """All of them, in the order of the passage. A row of a table has the header of each cell in it:
    `City: London · Highest rate: 190`."""
    claim: str = ""
    """The part of the answer that it was cited for."""
    supported: bool = True
    """Whether that part was found in the passages that it cites."""

    @model_validator(mode="before")
    @classmethod
    def _with_quotes(cls, given: Any) -> Any:
        """A citation that has one quote only need not say so."""
        return given if given.get("quotes") else {**given, "quotes": (given["quote"],)}


class Evidence(_Part):
    """One unit that a search found and the answer was read from."""

    kind: str
    """passage, summary, report or segment."""
    id: str
    score: float
    """As the search method gives it; higher is better."""
    why: str = ""
    """Why the search found it, such as the names that led to it; "" if the method does not say."""
    sources: tuple[PassageSource, ...] = ()
    """The passages behind it."""

    @property
    def text(self) -> str:
        """The texts of the passages behind it."""
        return "\n\n".join(source.text for source in self.sources)


class Step(_Part):
    """One step of the reasoning. A field that a step does not have is empty."""

    id: str
    kind: str
    """Kind of the step: rewrite, search, read, split, question, hop, …"""
    parent: str = ""
    """Id of the step above it; "" at the top."""
    title: str = ""
    question: str = ""
    answer: str = ""
    verdict: str = ""
    """How it ended: leaf, split, pruned, failed, fallback, budget, …"""
    reason: str = ""
    ending: str = ""
    """How a reply ended that is not finished: cut, or the kind of failure, such as filtered."""
    score: float | None = None
    passages: tuple[dict[str, Any], ...] = ()
    """The evidence that it found: kind, id, score and passages of each unit, and `why`."""
    facts: dict[str, str] = {}
    """Further judgements by name."""
    replaced: tuple[dict[str, Any], ...] = ()
    """Rejected versions of this step."""
    tail: str = ""
    """The passage that a hop started from."""
    head: str = ""
    """The passage that a hop reached."""


class Usage(_Part):
    """The cost of the question. The ledger answers a cached call, which costs nothing."""

    model_calls: int = 0
    cached_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_calls: int = 0
    """Calls whose tokens are estimated, because the server did not count them."""
    seconds: float = 0.0


class Gate(_Part):
    """Whether the question needs retrieval, as the gate decided."""

    gate: str
    probability: float | None = None
    retrieve: bool | None = None
    """None if no gate was asked."""
    reason: str = ""


class Route(_Part):
    """Which strategy answered, and why."""

    strategy: str
    by: str
    probability: float | None = None
    reason: str = ""


class PassageShare(_Part):
    """How much of the answer rests on one passage."""

    passage_id: str
    contribution: float
    share: float


class Explanation(_Part):
    """What the answer rests on. The rest to 1 did not come back when the question was repeated."""

    passages: tuple[PassageShare, ...] = ()
    others: float = 0.0
    """The share of the passages after the first five."""
    without: float
    """The share that the model gives without any passage."""
    calls: int = 0
    """Times that the question was asked again."""


class Waiting(_Part):
    """One question that the run asks before it continues. Answer it with `Hopyard.resume`."""

    id: str
    action: str
    """The step to approve: route, decomposition or hops."""
    args: dict[str, Any] = {}
    """The proposed action. An edit gives those that change."""
    description: str = ""
    decisions: tuple[str, ...] = ()
    """The decisions that can be given: approve, edit, reject."""

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> Self:
        """The question of a LangChain `HITLRequest`, with the interrupt's id."""
        [action], [review] = asked["action_requests"], asked["review_configs"]
        return cls(
            id=asked["id"],
            action=action["name"],
            args=action["args"],
            description=action.get("description", ""),
            decisions=tuple(review["allowed_decisions"]),
        )


class Answer(_Part):
    """The answer to one question, or what its run waits for. `str(answer)` is the text."""

    text: str
    """The answer; [1] is the first citation. Empty while the run waits or is unfinished."""
    question: str = ""
    """The question as it was answered: a follow-up is made to stand alone."""
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """The evidence that the model read, with the passages' texts."""
    steps: tuple[Step, ...] = ()
    unconfirmed: str = ""
    """The part of the answer that the documents do not confirm, or ""."""
    read_share: float | None = None
    """The share of the sentences of the documents that an answer about all documents was given
    from, from 0 to 1; None if it was not measured."""
    truncated: bool = False
    """Whether something is missing: the budget ended the search early, or a reply was cut."""
    ending: str = "finished"
    """How the reply that gives the answer ended: `finished`, `cut`, or the kind of failure where
    the answer takes the place of a reply that failed."""
    explanation: Explanation | None = None
    """The share of each passage, with `explain=True`."""
    strategy: str = ""
    model: str = ""
    gate: Gate | None = None
    route: Route | None = None
    usage: Usage = Field(default_factory=Usage)
    thread: str = ""
    """The thread's name: pass it to `ask` for a follow-up, or to `resume`."""
    finished: bool = True
    """Whether the run ended with an answer. An error that ends a run leaves it unfinished."""
    waiting: tuple[Waiting, ...] = ()
    """The approvals that the run waits for."""

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Self:
        """The answer of a thread's state, as `Session.result` gives it. It reads the index."""
        known = with_texts(result)
        named = {
            **known,
            "text": known.get("answer", ""),
            "thread": known.get("thread_id", ""),
            "waiting": [Waiting.of(asked) for asked in known.get("waiting", ())],
        }
        return cls.model_validate(
            {name: value for name, value in named.items() if value is not None}
        )

    @property
    def supported(self) -> bool:
        """Whether there is an answer, and the documents support all of it that was checked."""
        return is_supported(
            {
                "finished": self.finished,
                "answer": self.text,
                "citations": [{"supported": citation.supported} for citation in self.citations],
                "unconfirmed": self.unconfirmed,
            }
        )

    @property
    def unsupported(self) -> tuple[Citation, ...]:
        """The citations of what was not found in their passages."""
        return tuple(citation for citation in self.citations if not citation.supported)

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        """The answer with its quotes, for a notebook."""
        lines = [html.escape(self.text, quote=False), *_quotes(self.citations)]
        if self.unconfirmed:
            lines.append(f"*{UNCONFIRMED}* {html.escape(self.unconfirmed, quote=False)}")
        lines.append(f"*{note}*" if (note := read_note(self.read_share)) else "")
        asked = ", ".join(waiting.action for waiting in self.waiting)
        lines.append(f"*Waiting for approval: {html.escape(asked)}*" if asked else "")
        return "\n\n".join(filter(None, lines))


def is_supported(result: Mapping[str, Any]) -> bool:
    """Whether a result has an answer, and the documents support all of it that was checked.

    Args:
        result: The state of a thread, as `Session.result` gives it.
    """
    answered = result.get("finished", True) and not is_unknown(result.get("answer", ""))
    cited = all(citation.get("supported", True) for citation in result.get("citations", ()))
    return bool(answered and cited and not result.get("unconfirmed"))


def evidence_of(units: Iterable[Mapping[str, Any]]) -> tuple[Evidence, ...]:
    """Evidence as searches and answers give it, typed."""
    return tuple(Evidence.model_validate(unit) for unit in units)


def _quotes(citations: Iterable[Citation]) -> list[str]:
    shown = list(citations)
    names = name_sources(
        Source(**citation.model_dump(include=set(PassageSource.model_fields)))  # type: ignore[typeddict-item]
        for citation in shown
    )
    lines = []
    for number, citation in enumerate(shown, 1):
        quotes = [html.escape(" ".join(quote.split()), quote=False) for quote in citation.quotes]
        name = html.escape(names[citation.passage_id], quote=False)
        doubt = "" if citation.supported else f" ({NOT_SUPPORTED})"
        quoted = " ".join(f"“{quote}”" for quote in quotes)
        lines.append(f"[{number}] {quoted} — {name}{doubt}")
    return lines
