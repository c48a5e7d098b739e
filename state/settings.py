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
    BeforeValidator,
    Field,
    ValidationError,
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
from hopyard.state.setting_groups import (
    Budget,
    ChainSettings,
    Frozen,
    GateSettings,
    GraphSettings,
    HopSettings,
    RerankSettings,
    RetrievalSettings,
    TreeSettings,
)

__all__ = (
    "SETTINGS_FILE",
    "STRATEGIES",
    "Approval",
    "Budget",
    "ChainSettings",
    "Context",
    "GateSettings",
    "GraphSettings",
    "HopSettings",
    "RerankSettings",
    "RetrievalSettings",
    "Settings",
    "StrategyChoice",
    "StrategyName",
    "TreeSettings",
    "changed_context",
    "home",
    "read_context",
)

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


class Context(Frozen):
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
