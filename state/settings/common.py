"""The groups of settings that no method owns: search, index, answers, gate."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import NoDecode

from hopyard.state.group import Frozen
from hopyard.state.metadata import MATCHED_FIELDS
from hopyard.state.settings.rights import group_rules

AUTO: Final = "auto"
"""The setting that leaves the choice to Hopyard."""


def named_once(value: object) -> object:
    """`route,decomposition` as a list; each name once."""
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return list(dict.fromkeys(value))
    return value


class RetrievalSettings(Frozen):
    """Search for passages. ToR-RAG uses `mmr` with λ=0.75 and k=5."""

    method: str = Field(
        "hybrid",
        description="The search method of every strategy; `hopyard search --help` lists them.",
    )
    k: int = Field(5, ge=1, le=100, description="Passages that a search finds.")
    tokens: int | None = Field(
        None,
        ge=0,
        description="Tokens of passages that the model reads for one search: if the passages found "
        "have fewer, more of their documents follows. By default it depends on the model's size.",
    )
    mmr_lambda: float = Field(
        0.75,
        ge=0,
        le=1,
        description="MMR: weight of relevance, from 0 (only diversity) to 1 (only relevance).",
    )
    # A passage of 300 tokens of the embedding model may count as 400 by the estimate.
    snippet_tokens: int = Field(
        450, ge=20, description="Maximum tokens of each passage in a prompt."
    )


class IndexingSettings(Frozen):
    """How an index is built, whatever its kinds are. The index keeps what it was built with."""

    metadata: Annotated[tuple[str, ...], BeforeValidator(named_once), NoDecode] = Field(
        MATCHED_FIELDS,
        description="Metadata fields that are matched and embedded with the text, "
        "comma-separated; empty means no fields.",
    )
    language: str = Field(
        AUTO,
        description="Language of the corpus, such as en, de or ko, for stop words and stems; "
        "other uses no stop words and no stems; auto detects it.",
    )
    query_instruction: str = Field(
        AUTO,
        description="Prefix of an embedded question; auto takes the prefix from the embedding "
        "model's documentation.",
    )
    rights: Annotated[dict[str, tuple[str, ...]], BeforeValidator(group_rules)] = Field(
        {},
        description="The groups that may read each folder or file below the indexed folder, as in "
        '{"hr": "hr,board", ".": "everyone"}; the nearest folder counts.',
    )


class WritingSettings(Frozen):
    """Texts that a chat model writes while an index is built, whatever its kinds are."""

    max_failure_rate: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Maximum share of passages or reports that the model may fail on before a "
        "build fails.",
    )


class AnswerSettings(Frozen):
    """How answers are written. The built-in model's are always short."""

    style: Literal["auto", "short", "sentence", "full"] = Field(
        "auto",
        description="Form of the answer: short (a few words), sentence, full (paragraphs and "
        "lists with citations), or auto (depends on the question).",
    )
    knowledge: Literal["documents", "both"] = Field(
        "documents",
        description="documents: answer only from the documents, else Unknown; both: the model "
        "may add general knowledge, which is marked.",
    )
    check: Literal["auto", "rules", "doubt", "model"] = Field(
        "auto",
        description="Who checks that the cited passages state the answer: rules (numbers, names, "
        "words), model (one more call), doubt (the rules, and one call about what they mark), or "
        "auto (doubt for capable models, else rules).",
    )
    explain: bool = Field(
        False,
        description="Compute each passage's share of the answer, with 2^n more model calls for n "
        "cited passages (at most 33).",
    )


class GateSettings(Frozen):
    """How the probability of Con-RAG's gate becomes a decision. An unsure gate retrieves."""

    unsure_from: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Below this probability, answer without retrieval; from here to unsure_to, "
        "the gate is unsure and retrieves. By default it is the gate's trained threshold, at most "
        "unsure_to.",
    )
    unsure_to: float = Field(
        0.5, ge=0, le=1, description="Above this probability, the gate is sure and retrieves."
    )

    @model_validator(mode="after")
    def _in_order(self) -> GateSettings:
        if self.unsure_from is not None and self.unsure_from > self.unsure_to:
            raise ValueError("unsure_from is larger than unsure_to")
        return self
