"""The parts of an answer as users read them: in Python, over MCP and as JSON.

State keeps the same parts as plain dicts (`state.schemas`), each with the keys that it has. The
docstring of a field is its description everywhere, also in the schemas of the MCP tools.
"""

from __future__ import annotations

import ast
from inspect import cleandoc, getsource
from itertools import pairwise
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hopyard.state.metadata import MetadataValue


class Model(BaseModel):
    """A part of an answer. Keys that it does not know are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema with the docstrings of the fields.

        Only a schema needs them. `use_attribute_docstrings` would read the source at each start,
        for a fifth of a second.
        """
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in _docstrings(cls).items():
            properties[name].setdefault("description", text)
        return schema


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """The docstring below each field, also of the models that it is made from."""
    found: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if part is not Model and issubclass(part, Model):
            try:
                [made] = ast.parse(getsource(part)).body
            except OSError:  # a program that was packed without its source
                continue
            for field, below in pairwise(cast("ast.ClassDef", made).body):
                match field, below:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ):
                        found[name] = cleandoc(text)
    return found


class Source(Model):
    """The source of a passage."""

    passage_id: str
    reference: str = ""
    """Its name for readers, such as `handbook.docx › Contacts, p. 3`. It is unique within an
    answer."""
    document_id: str = ""
    title: str = ""
    """The document's title."""
    source: str = ""
    """The path or the address that the document was read from."""
    section: str = ""
    """The headings above the passage, such as `Handbook › Contacts`, or ""."""
    pages: str = ""
    """Its pages, such as `4` or `3-4`; "" if unknown."""
    position: int = 0
    """Its place among the passages of its document, from 0."""
    metadata: dict[str, MetadataValue] = {}
    """The document's metadata. Long values are cut."""
    text: str = ""
    """The passage's text, if requested; "" if it has left the index since."""


class Citation(Source):
    """Up to three sentences or rows of a passage that support the answer."""

    quote: str
    """The sentence, or the row, that supports it most, word for word."""
    quotes: tuple[str, ...] = ()
    """All that is quoted, in the order of the passage. A row of a table has the header of each cell
    in it: `City: London · Highest rate: 190`."""
    claim: str = ""
    """The part of the answer, or the finding, that cites the passage."""
    supported: bool = True
    """Whether the claim was found in the passages that it cites, and this one adds to it."""

    @model_validator(mode="before")
    @classmethod
    def _with_quotes(cls, given: Any) -> Any:
        """A citation that has only one quote may leave out `quotes`."""
        return given if given.get("quotes") else {**given, "quotes": (given["quote"],)}


class Evidence(Model):
    """A unit that a search found, such as a passage."""

    kind: str
    """Kind of the unit: passage, summary, report or segment."""
    id: str
    """Its id in the index; a passage's own id."""
    score: float
    """Score of the search: cosine, BM25, MMR, helpfulness. Higher is better."""
    texts: tuple[str, ...] = ()
    """Texts that are read in place of each whole passage, such as the sentences of a summary; none
    if the passages are read whole."""
    why: str = ""
    """Why the search found it, such as the names that led to it; "" if the method does not say."""
    sources: tuple[Source, ...] = ()
    """The source of each of its passages."""

    @property
    def text(self) -> str:
        """The texts of its passages."""
        return "\n\n".join(source.text for source in self.sources)


class Step(Model):
    """One step of the reasoning. Each strategy fills in the fields that it has."""

    id: str
    """Unique in the run. The model calls made for the step carry it."""
    kind: str
    """Kind of the step: rewrite, search, read, split, question, link, hop, prune, aggregate, …"""
    parent: str = ""
    """Id of the parent step; "" at the top."""
    title: str = ""
    """One line that names the step. The default is the kind and the question."""
    question: str = ""
    answer: str = ""
    verdict: str = ""
    """How it ended (`state.verdicts`), or a word that the strategy's legend explains."""
    reason: str = ""
    ending: str = ""
    """How a reply ended that its answer depends on: `cut`, or the kind of failure, such as
    `filtered`; "" if all are finished."""
    score: float | None = None
    """Score of the step, from 0 to 1."""
    judge: str = ""
    """The chat model that gave the score and the facts; "" if they were computed."""
    passages: tuple[dict[str, Any], ...] = ()
    """The evidence that it found: kind, id, score and passages of each unit, and `why`."""
    facts: dict[str, str] = {}
    """Further judgements by name, such as rubric 5/5."""
    replaced: tuple[dict[str, Any], ...] = ()
    """Rejected versions of this step."""
    tail: str = ""
    """The passage that a hop started from."""
    head: str = ""
    """The passage that a hop reached; "" if it stayed."""


class Usage(Model):
    """The cost of the question. Cached calls were answered by the ledger and cost nothing."""

    model_calls: int = 0
    cached_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_calls: int = 0
    """Calls whose tokens are estimated, because the server did not count them."""
    seconds: float = 0.0
    """Working time, without the time that the run waited for an approval."""


class PassageShare(Model):
    """A passage's share of an answer."""

    passage_id: str
    contribution: float = 0.0
    """Its Shapley value, with each passage as a player. It is negative for a misleading passage."""
    share: float
    """Share of the answer, from 0 to 1."""


class Explanation(Model):
    """The shares of an answer.

    The rest to 1 did not come back when the question was asked again.
    """

    passages: tuple[PassageShare, ...] = ()
    """In the order of the citations; the first five."""
    others: float = 0.0
    """The share of the passages after these."""
    without: float
    """The share of the model's own knowledge."""
    calls: int = 0
    """Times that the question was asked again, from the ledger or from the model."""


class Gate(Model):
    """The gate's decision whether to retrieve, before any model call."""

    gate: str
    """Name of the gate, or off."""
    probability: float | None = None
    """Calibrated probability that retrieval is needed; None without a gate."""
    retrieve: bool | None = None
    """The decision, which restricts the route; None without a gate."""
    reason: str = ""


class Route(Model):
    """The route's choice of a strategy, with the reason."""

    strategy: str
    by: str
    """Who chose: forced, gate, default, model, fallback, budget or approval."""
    probability: float | None = None
    """Probability that the strategy answers rightly; None if unknown."""
    reason: str = ""


class Result(Model):
    """The fields that every form of an answer has beside its text."""

    question: str = ""
    """The question as it was answered: a follow-up is made to stand alone."""
    citations: tuple[Citation, ...] = ()
    """[1] in the answer is the first."""
    evidence: tuple[Evidence, ...] = ()
    """The evidence that the model read."""
    unconfirmed: str = ""
    """One sentence about the part of the answer that the documents do not confirm; "" if they
    confirm all of it."""
    read_share: float | None = None
    """Share of the sentences of the documents that an answer about all documents was given from,
    from 0 to 1. Below 1, a maximum, a count or “all” holds for these alone. None if it was not
    measured."""
    notes: tuple[str, ...] = ()
    """Sentences that a reader of the answer has to know, such as which files of the index could
    not be read where the answer is Unknown."""
    truncated: bool = False
    """Whether something is missing: the budget ended the search early, or a reply was cut."""
    ending: str = "finished"
    """How the reply that gives the answer ended: `finished`, `cut`, or the kind of failure (such as
    unfinished, filtered, refused or empty) where the answer takes the place of a reply that
    failed."""
    explanation: Explanation | None = None
    """The share of each passage, if it was asked for."""
    usage: Usage = Field(default_factory=Usage)
