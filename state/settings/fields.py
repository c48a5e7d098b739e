"""Settings: what a run may be told, where the values come from, and what Studio shows.

`Context` travels with a LangGraph run (`context_schema`); it holds plain values and no secret,
so it is stored with the thread and a resumed run needs no flag repeated. Each strategy, index kind
and search method may have a group of settings of its own (`state.group.Group`): a group is declared
beside its method and found through the registries, so this module names none of them.
`state.settings.sources` reads all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails
from pydantic_settings import NoDecode

from hopyard.state.group import Amount, Frozen, Group, GroupT, Limit, Profile
from hopyard.state.registry import SEARCHES, registries, registry_at
from hopyard.state.settings.common import (
    AUTO,
    AnswerSettings,
    GateSettings,
    IndexingSettings,
    RetrievalSettings,
    WritingSettings,
    named_once,
)
from hopyard.state.settings.index_address import public_name
from hopyard.state.settings.model_size import is_small
from hopyard.state.settings.rights import group_names
from hopyard.state.strategy import STRATEGIES
from hopyard.state.usage import Budget
from hopyard.state.where import condition_texts, parse_condition

__all__ = (
    "AUTO",
    "UNKNOWN",
    "AnswerSettings",
    "Approval",
    "Budget",
    "Context",
    "Frozen",
    "GateSettings",
    "Group",
    "GroupT",
    "IndexingSettings",
    "Profile",
    "RetrievalSettings",
    "SettingError",
    "WritingSettings",
    "every_setting",
    "profile_of",
    "reason_of",
    "setting_groups",
)

Approval = Literal["route", "decomposition", "hops", "reading"]
"""Steps that can wait for the approval of a person or of a calling agent."""


class Context(Frozen):
    """Everything that a run may be told. Plain values only: it is stored with the thread.

    The groups of methods are given by name too, as in `Context(tree={"theta": 0.5})`, and read with
    `TreeSettings.of(context)`. One that has its defaults is not kept.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    index: Annotated[str, BeforeValidator(public_name)] = Field(
        "",
        description="The index directory, or postgresql://USER@HOST/DATABASE?index=NAME.",
    )
    model: str = Field(
        "builtin",
        description="Chat model: builtin, ollama:NAME, recorded:FOLDER, or any provider:NAME.",
    )
    embedding: str = Field(
        AUTO,
        description="Embedding model: builtin, ollama:NAME, or any provider:NAME; auto is the "
        "model that made the index, and builtin for a new index.",
    )
    profile: Literal["auto", "builtin", "small", "capable"] = Field(
        "auto",
        description="Wording of the prompts: builtin for the 135M model, small for models of up to "
        "8 billion parameters, capable for larger models; auto depends on the model's size, as "
        "Ollama or the model's name says.",
    )
    strategy: str = Field(AUTO, description="A strategy's name, or auto: the route chooses.")
    approve: Annotated[tuple[Approval, ...], BeforeValidator(named_once), NoDecode] = Field(
        (),
        description="Steps that wait for your approval: route, decomposition (of the tree), hops "
        "(of the passage graph), reading (of all documents).",
    )
    gate: str = Field(
        AUTO,
        description="The retrieval gate: auto (the shipped gate for the model's profile), off "
        "(the route decides), builtin, capable, or the folder of your own gate.",
    )
    route: Literal["auto", "model"] = Field(
        "auto",
        description="Who chooses the strategy: auto (the default of the model's profile, or the "
        "model if that has no default, the index has communities or tables, or the question asks "
        "for a list or a count) or model.",
    )
    check: Literal["auto", "on", "off"] = Field(
        "auto",
        description="on: if an answer of strategy auto is Unknown or unsupported, a stronger "
        "strategy tries again; auto: the same for capable models, except after their default.",
    )
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature (paper: 0.2).")
    seed: int = Field(7, ge=0, description="Sampling seed, if the provider supports it.")
    timeout: float = Field(120.0, gt=0, description="Maximum seconds of one model call.")
    concurrency: Limit = Field(
        None,
        le=1024,
        description="Maximum parallel model calls. By default it depends on the provider.",
    )
    retention_days: Amount = Field(
        None,
        description="Delete threads that were not used for this many days. By default all stay.",
    )
    budget: Budget = Field(default_factory=Budget, description="Hard limits of one run.")
    retrieval: RetrievalSettings = Field(
        default_factory=RetrievalSettings, description="Search for passages."
    )
    where: Annotated[tuple[str, ...], BeforeValidator(condition_texts), NoDecode] = Field(
        (),
        description="Search only passages with this metadata: FIELD=VALUE, with =, !=, <, <=, > "
        "or >=. Separate several values after = with commas.",
    )
    groups: Annotated[tuple[str, ...] | None, BeforeValidator(group_names), NoDecode] = Field(
        None,
        description="The caller's groups, comma-separated: only documents that these may read are "
        "used. By default all documents are; empty means those that everyone may read.",
    )
    indexing: IndexingSettings = Field(
        default_factory=IndexingSettings, description="Building an index."
    )
    writing: WritingSettings = Field(
        default_factory=WritingSettings, description="Writing texts for an index."
    )
    answer: AnswerSettings = Field(
        default_factory=AnswerSettings, description="Form and content of answers."
    )
    gating: GateSettings = Field(
        default_factory=GateSettings, description="Thresholds of the gate."
    )

    @model_validator(mode="before")
    @classmethod
    def _read_groups(cls, values: Any) -> Any:
        """Check the groups of methods, which are no fields of this class."""
        if not isinstance(values, Mapping):
            return values
        read = dict(values)
        for name in [name for name in read if name not in cls.model_fields]:
            group = setting_groups().get(name)
            if group is None:
                raise SettingError(name, UNKNOWN, values[name])
            given = read.pop(name)
            settings = given if isinstance(given, group) else _read_group(group, given)
            if settings != group():
                read[name] = settings
        return read

    @field_validator("strategy")
    @classmethod
    def _known_strategy(cls, name: str) -> str:
        if name != AUTO:
            if name not in STRATEGIES:
                known = ", ".join((AUTO, *STRATEGIES))
                raise SettingError("strategy", f"choose one of {known}", name)
            STRATEGIES[name]  # raises UsageError where its package is broken
        return name

    @field_validator("where")
    @classmethod
    def _readable_conditions(cls, where: tuple[str, ...]) -> tuple[str, ...]:
        for condition in where:
            parse_condition(condition)
        return where

    @field_validator("retrieval")
    @classmethod
    def _known_search(cls, retrieval: RetrievalSettings) -> RetrievalSettings:
        searches = registry_at(SEARCHES)
        if retrieval.method not in searches:
            raise SettingError(
                "retrieval.method", f"choose one of {', '.join(searches)}", retrieval.method
            )
        searches[retrieval.method]  # raises UsageError where its package is broken
        return retrieval

    def group(self, settings: type[GroupT]) -> GroupT:
        """The settings of one method, its defaults where none are given."""
        found = (self.model_extra or {}).get(settings.group)
        return found if isinstance(found, settings) else settings()

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema with the groups of every method: Studio draws its form from it."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        for name, group in setting_groups().items():
            schema["properties"][name] = group.model_json_schema()
        return schema


def profile_of(context: Context) -> Profile:
    """Return the prompt profile of a run, by the setting or by the model's size."""
    if context.profile != AUTO:
        return context.profile
    if context.model.partition(":")[0] in {"builtin", "embedded"}:
        return "builtin"
    return "small" if is_small(context.model) else "capable"


def setting_groups() -> dict[str, type[Group]]:
    """The settings class of every strategy, index kind and search method, by its group's name."""
    groups: dict[str, type[Group]] = {}
    for registry in registries():
        for part in registry.parts():
            if part.settings is not None:
                groups[part.settings.group] = part.settings
    return groups


def every_setting(context: Context) -> Iterator[tuple[str, Any, str]]:
    """Every setting by its dotted name, with its value in a run and its meaning."""
    yield from _settings_of(context, "")
    for name, group in sorted(setting_groups().items()):
        yield from _settings_of(context.group(group), f"{name}.")


def _settings_of(settings: BaseModel, prefix: str) -> Iterator[tuple[str, Any, str]]:
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from _settings_of(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value, field.description or ""


class SettingError(ValueError):
    """A setting is not usable: its dotted name, the message, the value given."""


def _read_group(group: type[Group], given: object) -> Group:
    """A group's settings; an error names the setting in it.

    Raises:
        ValueError: A value is not usable.
    """
    try:
        return group.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join([group.group, *map(str, first["loc"])])
        raise SettingError(place, reason_of(first), first.get("input")) from error


UNKNOWN: Final = "there is no such setting"
"""The reason of an error for a name that no setting has."""


def reason_of(problem: ErrorDetails) -> str:
    """Return the reason why a value is invalid, without pydantic's prefix."""
    if problem["type"] == "extra_forbidden":
        return UNKNOWN
    if problem["type"] == "model_type":
        return "it is a group of settings; name one that is in it"
    return problem["msg"].removeprefix("Value error, ")
