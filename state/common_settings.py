"""The groups of settings that no method owns: budget, search, index, answers, gate."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_settings import NoDecode

from hopyard.state.metadata import MATCHED_FIELDS

__all__ = (
    "AUTO",
    "AnswerSettings",
    "Budget",
    "Frozen",
    "GateSettings",
    "IndexingSettings",
    "RetrievalSettings",
    "named_once",
)

AUTO: Final = "auto"
"""The setting that leaves the choice to Hopyard."""


class Frozen(BaseModel):
    """Settings: never changed, and no unknown name among them."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def named_once(value: object) -> object:
    """`route,decomposition` as a list; each name once."""
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return list(dict.fromkeys(value))
    return value


class Budget(Frozen):
    """The hard stop of one run; 0 means no limit. Cached calls cost nothing."""

    calls: int = Field(0, ge=0, description="Model calls at most; 0 is no limit.")
    tokens: int = Field(0, ge=0, description="Input and output tokens at most; 0 is no limit.")
    seconds: float = Field(0, ge=0, description="Seconds of working time at most; 0 is no limit.")


class RetrievalSettings(Frozen):
    """How passages are found. ToR-RAG's own are `mmr` with λ=0.75 and k=5."""

    method: str = Field(
        "hybrid",
        description="The search method of every strategy; `hopyard search --help` lists them.",
    )
    k: int = Field(5, ge=1, le=100, description="Passages given to the model for one question.")
    mmr_lambda: float = Field(
        0.75, ge=0, le=1, description="MMR: 1 is relevance alone, 0 is diversity alone."
    )
    fetch_k: int = Field(20, ge=1, le=1000, description="Candidates from which MMR chooses.")
    snippet_tokens: int = Field(
        300, ge=20, description="Tokens of one passage that the model is shown, at most."
    )


class IndexingSettings(Frozen):
    """How an index is built, whatever its kinds are. The index keeps what it was built with."""

    metadata: Annotated[tuple[str, ...], BeforeValidator(named_once), NoDecode] = Field(
        MATCHED_FIELDS,
        description="Fields of a document's metadata that are matched and embedded with its "
        "text, comma-separated; empty for none.",
    )
    language: str = Field(
        AUTO,
        description="The corpus's language, as in en, de or ko: stop words and stems go by it; "
        "other has none; auto detects it.",
    )
    query_instruction: str = Field(
        AUTO,
        description="What is put before a question when it is embedded; auto takes what the "
        "embedding model's documentation says.",
    )


class AnswerSettings(Frozen):
    """How answers are written. The built-in model's are always short."""

    style: Literal["auto", "short", "sentence", "full"] = Field(
        "auto",
        description="Form of the answer: short (a few words), sentence, full (paragraphs and "
        "lists with the passages' numbers), or auto (as the question needs).",
    )
    knowledge: Literal["documents", "both"] = Field(
        "documents",
        description="documents: what they do not say is Unknown; both: the model may add what it "
        "knows, and such parts are marked.",
    )
    explain: bool = Field(
        False,
        description="Say how much of the answer rests on each passage: 2^n - 1 more model calls "
        "for n cited passages, 31 at most.",
    )


class GateSettings(Frozen):
    """How the probability of Con-RAG's gate becomes a decision. An unsure gate retrieves."""

    unsure_from: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Below this probability no document is needed, from here on the gate is "
        "unsure and retrieves; empty takes the threshold that the gate was trained with, at most "
        "unsure_to.",
    )
    unsure_to: float = Field(
        0.5, ge=0, le=1, description="Above this probability the gate is sure that it retrieves."
    )

    @model_validator(mode="after")
    def _in_order(self) -> GateSettings:
        if self.unsure_from is not None and self.unsure_from > self.unsure_to:
            raise ValueError("unsure_from is larger than unsure_to")
        return self
