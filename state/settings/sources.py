"""Where settings come from: flags, then the environment, then `hopyard.toml`, then the defaults."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, Final

import platformdirs
from pydantic import Field, ValidationError, create_model
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import (
    UNKNOWN,
    Context,
    Group,
    SettingError,
    every_setting,
    reason_of,
    setting_groups,
)

SETTINGS_FILE: Final = "hopyard.toml"

_PREFIX: Final = "HOPYARD_"
_VARIABLES: Final = frozenset(
    {
        "HOPYARD_HOME",
        "HOPYARD_CACHE",
        "HOPYARD_CHECKPOINT_KEY",
        "HOPYARD_THREADS",
        "HOPYARD_LEDGER",
        "HOPYARD_BUILTIN_THREADS",
        "HOPYARD_LARGEST_FILE",
        "HOPYARD_PEOPLE",
    }
)
"""The variables that are no settings."""
_SIMILAR: Final = 0.75
"""How much of two names must agree for one to be a slip of the other (`difflib`)."""
_MOST_MEANT: Final = 3


def read_context(flags: dict[str, Any]) -> Context:
    """Read the run context.

    Args:
        flags: Values given by hand; nested settings as nested dicts. None values are left out by
            the caller.

    Raises:
        UsageError: A value is out of range, a name in `hopyard.toml` is unknown, or that file
            cannot be read.
    """
    _check_variables()
    try:
        settings = _reader(tuple(setting_groups().items()))(**flags)
        return Context.model_validate(settings.model_dump())
    except ValidationError as error:
        raise _unusable(error) from error
    except SettingsError as error:
        raise UsageError(f"A variable HOPYARD_… is not usable: {error}.") from error
    except (TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"The file {SETTINGS_FILE!r} here cannot be read: {error}.") from error


def change_context(context: Context, changes: dict[str, Any]) -> Context:
    """The context with some settings changed.

    Args:
        changes: Settings by name. Nested settings are nested dicts.

    Raises:
        UsageError: A name is unknown, or a value is not usable.
    """
    try:
        return Context.model_validate(_merge(context.model_dump(), changes))
    except ValidationError as error:
        raise _unusable(error) from error


def setting_changes(before: Context, after: Context) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, by dotted name, with the value of each context."""
    old = {name: value for name, value, _ in every_setting(before)}
    new = {name: value for name, value, _ in every_setting(after)}
    return {name: (old[name], new[name]) for name in old if old[name] != new[name]}


def _merge(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for name, value in changes.items():
        nested = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = _merge(merged[name], value) if nested else value
    return merged


class _Reader(BaseSettings):
    """Where settings are read from, and in which order."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
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


@lru_cache(maxsize=1)
def _reader(groups: tuple[tuple[str, type[Group]], ...]) -> type[_Reader]:
    """The fields of `Context` and of every group, each read from the sources."""
    fields: dict[str, Any] = {
        name: (field.annotation, field) for name, field in Context.model_fields.items()
    }
    for name, group in groups:
        fields[name] = (group, Field(default_factory=group, description=group.__doc__))
    return create_model("Settings", __base__=_Reader, **fields)


_GONE: Final = {
    **dict.fromkeys(
        ("entity_graph.claims", "entity_graph.gleanings", "entity_graph.types"),
        "entity_graph.descriptions=true asks once for entities and facts with descriptions.",
    ),
    "entity_graph.extractions": "a package can bring names of its own as an "
    "entity_graph.builder (docs/graphs.md).",
}
"""The reasons for settings that left, by their names."""


def _unusable(error: ValidationError) -> UsageError:
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, SettingError):
        name, message, given = cause.args
    else:
        name = ".".join(map(str, first["loc"]))
        message, given = reason_of(first), first.get("input")
    if name in _GONE:
        return UsageError(f"There is no setting {name!r}: {_GONE[name]}")
    if message == UNKNOWN:
        return UsageError(
            f"There is no setting {name!r}; {_meant(_similar(name))}`hopyard settings` lists them."
        )
    return UsageError(
        f"The setting {name!r} is not usable: {message} (given: {reprlib.repr(given)}); see "
        "`hopyard settings`."
    )


def _check_variables() -> None:
    """Refuse a variable `HOPYARD_…` that is nearly a setting's: it would be read by nobody.

    Raises:
        UsageError: There is one.
    """
    known = {_variable(name) for name in _names()}
    known |= {variable.partition("__")[0] for variable in known}
    for variable in os.environ:
        if variable.upper() in known | _VARIABLES or not variable.startswith(_PREFIX):
            continue
        group, nested, _ = variable.upper().partition("__")
        if nested and group in known:
            continue  # the group itself says that it has no such setting
        name = variable.removeprefix(_PREFIX).replace("__", ".").lower()
        if meant := _similar(name):
            raise UsageError(
                f"The variable {variable} names no setting; {_meant(map(_variable, meant))}"
                "`hopyard settings` lists them."
            )


def _similar(name: str) -> list[str]:
    """The settings whose names are nearly that one, or whose last parts are; or a group."""
    names = _names()
    groups = [own.partition(".")[0] for own in names if "." in own]
    if found := get_close_matches(name, [*names, *groups], n=1, cutoff=_SIMILAR):
        return found
    last = name.rpartition(".")[2]
    near = get_close_matches(last, {own.rpartition(".")[2] for own in names}, n=1, cutoff=_SIMILAR)
    return sorted(own for own in names if own.rpartition(".")[2] in near)[:_MOST_MEANT]


def _names() -> list[str]:
    return [name for name, _, _ in every_setting(Context())]


def _meant(names: Iterable[str]) -> str:
    listed = " or ".join(map(repr, names))
    return f"did you mean {listed}? " if listed else ""


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.replace('.', '__').upper()}"


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
            f"The data folder {str(path)!r} cannot be made ({error.strerror}); set HOPYARD_HOME "
            f"to a writable folder."
        ) from error
    return path
