"""The groups of settings: one class a strategy or a part of the program, every field described.

`hopyard.state.settings` puts them together into `Context`; import them from there.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = (
    "Budget",
    "ChainSettings",
    "Frozen",
    "GateSettings",
    "GraphSettings",
    "HopSettings",
    "RerankSettings",
    "RetrievalSettings",
    "TreeSettings",
)


class Frozen(BaseModel):
    """A group of settings: never changed, and no unknown name in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Budget(Frozen):
    """The hard stop of one run; 0 means no limit. Cached calls cost nothing."""

    calls: int = Field(0, ge=0, description="Model calls at most; 0 is no limit.")
    tokens: int = Field(0, ge=0, description="Input and output tokens at most; 0 is no limit.")
    seconds: float = Field(0, ge=0, description="Seconds of working time at most; 0 is no limit.")


class RetrievalSettings(Frozen):
    """How passages are found. The defaults are ToR-RAG's: MMR with λ=0.75, k=5."""

    method: Literal["mmr", "dense", "sparse", "hybrid"] = Field(
        "mmr", description="How `single` and `tree` search: mmr, dense, sparse (BM25), hybrid."
    )
    k: int = Field(5, ge=1, le=100, description="Passages given to the model for one question.")
    mmr_lambda: float = Field(
        0.75, ge=0, le=1, description="MMR: 1 is relevance alone, 0 is diversity alone."
    )
    fetch_k: int = Field(20, ge=1, le=1000, description="Candidates from which MMR chooses.")
    snippet_tokens: int = Field(
        300, ge=20, description="Tokens of one passage that the model is shown, at most."
    )


class ChainSettings(Frozen):
    """CoR-RAG: sequential sub-questions."""

    max_steps: int = Field(
        4, ge=1, le=20, description="Sub-questions at most; MuSiQue's longest questions need 4."
    )
    evidence_k: int = Field(5, ge=1, le=50, description="Snippets kept for the final answer.")


class RerankSettings(Frozen):
    """Dense + reranking, a baseline: 2·k passages are found, the k best of them are read."""

    model: str = Field(
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        description="Cross-encoder by its Hugging Face name or folder; chat takes the chat model's "
        "judgement, which also stands in where the cross-encoder cannot be loaded.",
    )
    snippet_tokens: int = Field(
        80, ge=10, description="Tokens of one passage that the chat model judges it by, at most."
    )


class TreeSettings(Frozen):
    """ToR-RAG. The defaults are the paper's."""

    max_depth: int = Field(3, ge=1, le=6, description="Levels of sub-questions (paper: 3).")
    theta: float = Field(
        0.4, ge=0, le=1, description="A branch is kept when its mean score, 0-1, reaches this."
    )
    min_rubric: int = Field(
        3, ge=0, le=5, description="A decomposition with fewer of the five rubric points is redone."
    )
    retries: int = Field(
        1, ge=0, le=5, description="Times that a bad decomposition or a weak branch is redone."
    )
    judge: bool = Field(True, description="Judge decompositions and branches; off keeps them all.")
    evidence_k: int = Field(5, ge=1, le=50, description="Snippets kept for the final answer.")


class GraphSettings(Frozen):
    """The passage graph, while it is built. An index keeps what its last build was given."""

    edge_factor: float = Field(
        1.0,
        gt=0,
        le=100,
        description="c: a graph of n passages keeps at most c·n·log2 n edges (paper: O(n·log n)).",
    )
    max_failure_rate: float = Field(
        0.2,
        ge=0,
        le=1,
        description="A build ends with an error when the model gives nothing usable for a larger "
        "share of the passages.",
    )
    temperature: float = Field(
        0.4,
        ge=0,
        le=2,
        description="Sampling temperature of the questions; at 0 a small model repeats itself.",
    )
    frequency_penalty: float = Field(
        0.8,
        ge=0,
        le=2,
        description="Penalty on what a list of questions has said already; without it a small "
        "model asks the same again. Sent to the embedded model and where LangChain's class of the "
        "provider has it.",
    )
    passage_characters: int = Field(
        2400, ge=200, description="Characters of one passage that the model is shown, at most."
    )


class HopSettings(Frozen):
    """HopRAG. The defaults are the paper's, or less where the small embedded model reasons."""

    n_hop: int = Field(
        0, ge=0, le=10, description="Rounds of hops; 0 takes 4 (paper), with the embedded model 2."
    )
    top_k: int = Field(
        0,
        ge=0,
        le=100,
        description="Edges that are entered by, and passages kept at the end; 0 takes 20 (paper), "
        "with the embedded model 6.",
    )
    evidence_k: int = Field(
        0,
        ge=0,
        le=100,
        description="Kept passages that the answer is read from; 0 takes all of them (paper), "
        "with the embedded model 5.",
    )
    reasoner: Literal["model", "similarity"] = Field(
        "model",
        description="Who chooses an edge: the model, or the similarity to the question, which "
        "takes no model call (paper, Table 5).",
    )
    entry: Literal["auto", "edges", "passages", "both"] = Field(
        "auto",
        description="Where the traversal begins: at the heads of the edges most similar to the "
        "question (paper), at the nearest passages, or half and half. auto takes edges, with the "
        "embedded model both: its questions alone are too poor to enter by (docs/hop.md).",
    )
    max_choices: int = Field(
        8, ge=1, le=32, description="Edges of one passage that are judged, the most similar ones."
    )
    temperature: float = Field(
        0.1, ge=0, le=2, description="Sampling temperature of the choices (paper: 0.1)."
    )

    def for_model(self, model: str) -> HopSettings:
        """These settings with every 0 filled in.

        Args:
            model: The run's model. The embedded one runs on the user's own processor: it is given
                fewer vertices to reason about, and fewer passages to read.
        """
        small = model.partition(":")[0] == "embedded"
        few_hops = small and self.reasoner == "model"
        top_k = self.top_k or (6 if few_hops else 20)
        return self.model_copy(
            update={
                "n_hop": self.n_hop or (2 if few_hops else 4),
                "top_k": top_k,
                "entry": ("both" if small else "edges") if self.entry == "auto" else self.entry,
                "evidence_k": self.evidence_k or (5 if small else top_k),
            }
        )


class GateSettings(Frozen):
    """How the probability of Con-RAG's gate becomes a decision. An unsure gate retrieves."""

    unsure_from: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Below this probability no document is needed, from here on the gate is "
        "unsure and retrieves; empty takes the threshold that the gate was trained with.",
    )
    unsure_to: float = Field(
        0.5, ge=0, le=1, description="Above this probability the gate is sure that it retrieves."
    )

    @model_validator(mode="after")
    def _in_order(self) -> GateSettings:
        if self.unsure_from is not None and self.unsure_from > self.unsure_to:
            raise ValueError("unsure_from is larger than unsure_to")
        return self
