"""Settings: what a run may be told, where the values come from, and what Studio shows.

`Context` travels with a LangGraph run (`context_schema`); it holds plain values and no secret,
so it is stored with the thread and a resumed run needs no flag repeated. `Settings` reads the
same fields from flags, then the environment (`HOPYARD_…`, nested names with `__`), then
`hopyard.toml`, then the defaults below.
"""

from __future__ import annotations

import os
import reprlib
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Annotated, Any, Final, Literal

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from hopyard.state.errors import UsageError

SETTINGS_FILE: Final = "hopyard.toml"
STRATEGIES: Final = ("direct", "single", "chain", "tree", "hop", "decompose", "rerank")
StrategyName = Literal["direct", "single", "chain", "tree", "hop", "decompose", "rerank"]
StrategyChoice = Literal["auto", "direct", "single", "chain", "tree", "hop", "decompose", "rerank"]

Approval = Literal["route", "decomposition", "hops"]
"""What a person, or the agent that calls, may be asked about before money is spent on it."""


def _named_once(value: object) -> object:
    """`route,decomposition` as a list; each name once."""
    if isinstance(value, str):
        value = [one.strip() for one in value.split(",") if one.strip()]
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return list(dict.fromkeys(value))
    return value


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Budget(_Frozen):
    """The hard stop of one run; 0 means no limit. Cached calls cost nothing."""

    calls: int = Field(0, ge=0, description="Model calls at most; 0 is no limit.")
    tokens: int = Field(0, ge=0, description="Input and output tokens at most; 0 is no limit.")
    seconds: float = Field(0, ge=0, description="Seconds of working time at most; 0 is no limit.")


class RetrievalSettings(_Frozen):
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


class ChainSettings(_Frozen):
    """CoR-RAG: sequential sub-questions."""

    max_steps: int = Field(
        4, ge=1, le=20, description="Sub-questions at most; MuSiQue's longest questions need 4."
    )
    evidence_k: int = Field(5, ge=1, le=50, description="Snippets kept for the final answer.")


class RerankSettings(_Frozen):
    """Dense + reranking, a baseline: 2·k passages are found, the k best of them are read."""

    model: str = Field(
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        description="Cross-encoder by its Hugging Face name or folder; chat takes the chat model's "
        "judgement, which also stands in where the cross-encoder cannot be loaded.",
    )
    snippet_tokens: int = Field(
        80, ge=10, description="Tokens of one passage that the chat model judges it by, at most."
    )


class TreeSettings(_Frozen):
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


class GraphSettings(_Frozen):
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


class HopSettings(_Frozen):
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


class GateSettings(_Frozen):
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


class Context(_Frozen):
    """Everything that a run may be told. Plain values only: it is stored with the thread."""

    index: str = Field("", description="The index directory.")
    model: str = Field(
        "embedded", description="Chat model: embedded, ollama:NAME, or any provider:NAME."
    )
    embedding: str = Field(
        "embedded", description="Embedding model: embedded, ollama:NAME, or any provider:NAME."
    )
    strategy: StrategyChoice = Field("auto", description="auto lets the route choose.")
    approve: Annotated[tuple[Approval, ...], BeforeValidator(_named_once), NoDecode] = Field(
        (),
        description="What to ask about before money is spent on it: route, decomposition (of the "
        "tree), hops (of the passage graph); the run waits for the answer.",
    )
    gate: str = Field(
        "off",
        description="off always retrieves; model asks the gate that comes with Hopyard; or the "
        "folder of a gate of your own.",
    )
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature (paper: 0.2).")
    frequency_penalty: float = Field(
        0.0, ge=0, le=2, description="Penalty on words that an answer repeats, where it is known."
    )
    seed: int = Field(7, ge=0, description="Sampling seed, where the provider takes one.")
    retries: int = Field(2, ge=0, le=10, description="Times that a bad model output is asked anew.")
    timeout: float = Field(120.0, gt=0, description="Seconds that one model call may take.")
    concurrency: int = Field(
        0, ge=0, le=1024, description="Model calls at once; 0 takes the provider's own default."
    )
    retention_days: float = Field(
        0, ge=0, description="Threads not used for so many days are deleted; 0 keeps them all."
    )
    budget: Budget = Field(default_factory=Budget, description="The hard stop of one run.")
    retrieval: RetrievalSettings = Field(
        default_factory=RetrievalSettings, description="How passages are found."
    )
    chain: ChainSettings = Field(default_factory=ChainSettings, description="CoR-RAG.")
    rerank: RerankSettings = Field(
        default_factory=RerankSettings, description="Dense + reranking, a baseline."
    )
    tree: TreeSettings = Field(default_factory=TreeSettings, description="ToR-RAG.")
    hop: HopSettings = Field(default_factory=HopSettings, description="HopRAG.")
    graph: GraphSettings = Field(
        default_factory=GraphSettings, description="The passage graph, while it is built."
    )
    gating: GateSettings = Field(
        default_factory=GateSettings, description="How the gate's probability becomes a decision."
    )


class Settings(BaseSettings, Context):
    """`Context` as read from flags, the environment and `hopyard.toml`, in that order."""

    model_config = SettingsConfigDict(
        env_prefix="HOPYARD_",
        env_nested_delimiter="__",
        toml_file=SETTINGS_FILE,
        extra="forbid",
        frozen=True,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Name the sources and their order."""
        del dotenv_settings, file_secret_settings
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls))


def read_context(flags: dict[str, Any]) -> Context:
    """Read the run context.

    Args:
        flags: Values given by hand; nested settings as nested dicts. None values are left out by
            the caller.

    Raises:
        UsageError: A value is out of range, a name in `hopyard.toml` is unknown, or that file
            cannot be read.
    """
    try:
        settings = Settings(**flags)
    except ValidationError as error:
        raise _unusable(error) from error
    except SettingsError as error:
        raise UsageError(f"A variable HOPYARD_… is not usable: {error}.") from error
    except (TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"The file {SETTINGS_FILE!r} here cannot be read: {error}.") from error
    return Context.model_validate(settings.model_dump())


def changed_context(context: Context, changes: dict[str, Any]) -> Context:
    """The context with some settings changed.

    Args:
        context: The settings of a thread.
        changes: Settings by name; nested ones as nested dicts.

    Raises:
        UsageError: A name is unknown, or a value is not usable.
    """
    try:
        return Context.model_validate(_merged(context.model_dump(), changes))
    except ValidationError as error:
        raise _unusable(error) from error


def _merged(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for name, value in changes.items():
        nested = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = _merged(merged[name], value) if nested else value
    return merged


def _unusable(error: ValidationError) -> UsageError:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    return UsageError(
        f"The setting {name!r} is not usable: {first['msg']} "
        f"(given: {reprlib.repr(first.get('input'))}); see `hopyard settings`."
    )


def home() -> Path:
    """The user's data folder: threads, ledger and caches live here (`HOPYARD_HOME`).

    Raises:
        UsageError: The folder cannot be made.
    """
    path = Path(os.environ.get("HOPYARD_HOME") or platformdirs.user_data_path("hopyard"))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The data folder {str(path)!r} cannot be made ({error.strerror}); set HOPYARD_HOME to "
            "a folder that you may write to."
        ) from error
    return path
