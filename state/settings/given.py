"""The settings that a caller gives: by flags, or by keywords in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Budget, Context, setting_groups
from hopyard.state.settings.sources import read_context

GivenSettings = Mapping[str, Any] | Context
"""Any settings: by dotted or nested name, as in `{"tree.theta": 0.8}`, or all of them."""

SHORT_NAMES: Final[Mapping[str, str]] = {
    "search": "retrieval.method",
    "k": "retrieval.k",
    "style": "answer.style",
    "explain": "answer.explain",
    "vectors": "dense.store",
}
"""Names of flags and keywords that are shorter than the names of the settings."""

_SIMILAR: Final = 0.75
"""How much of two names must agree for one to be a slip of the other (`difflib`)."""


@dataclass(frozen=True)
class Given:
    """The arguments of a caller.

    Attributes:
        context: All settings: those given, the environment's, the file's, and the defaults.
        flags: Those given alone, nested.
        names: Their dotted names.
    """

    context: Context
    flags: dict[str, Any]
    names: frozenset[str]


def read_given(values: Iterable[tuple[str, Any]]) -> Given:
    """Settings from values by dotted name; the environment and `hopyard.toml` fill the rest."""
    pairs = list(values)
    flags = nest(pairs)
    return Given(read_context(flags), flags, frozenset(name for name, _ in pairs))


def nest(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Settings by dotted name as nested dicts."""
    flags: dict[str, Any] = {}
    for name, value in pairs:
        _put(flags, name, value)
    return flags


def python_settings(*given: GivenSettings | None) -> list[tuple[str, Any]]:
    """Settings as Python programs write them, by dotted name; a later one replaces an earlier.

    Args:
        given: Settings by dotted name (`{"tree.theta": 0.8}`), nested (`{"tree": {"theta": 0.8}}`),
            or by a short name (`{"search": "mmr"}`). `{"budget": 5}` means five model calls. A
            `Context` gives all settings.
    """
    pairs: dict[str, Any] = {}
    for settings in given:
        values = settings.model_dump() if isinstance(settings, Context) else settings or {}
        for name, value in values.items():
            _check_short(name)
            pairs.update(_flat(SHORT_NAMES.get(name, name), value))
    return list(pairs.items())


def _check_short(name: str) -> None:
    if "." in name or name in {*SHORT_NAMES, *Context.model_fields, *setting_groups()}:
        return
    if meant := get_close_matches(name, SHORT_NAMES, n=1, cutoff=_SIMILAR):
        raise UsageError(f"There is no setting {name!r}; did you mean {meant[0]!r}?")


_WHOLE: Final = frozenset({"where", "indexing.rights"})
"""Settings whose value is a mapping: its keys are no names of settings."""


def _flat(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if name == "budget" and isinstance(value, int):
        return [("budget.calls", value)]
    if isinstance(value, Budget):
        value = value.model_dump(exclude_unset=True)
    if isinstance(value, Mapping) and name not in _WHOLE:
        return [pair for own, inner in value.items() for pair in _flat(f"{name}.{own}", inner)]
    return [(name, value)]


def _put(flags: dict[str, Any], name: str, value: Any) -> None:
    *groups, last = name.split(".")
    for group in groups:
        flags = flags.setdefault(group, {})
        if not isinstance(flags, dict):
            raise UsageError(f"The setting {name!r} is inside of one that has a plain value.")
    flags[last] = value
