"""Who may read a document: the rules of its folder, and the groups that it names itself."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from hopyard.state.metadata import MetadataValue
from hopyard.state.references import SECTION_MARK, in_folder

EVERYONE: Final = "everyone"
"""The group that every caller is in."""
GROUPS: Final = "groups"
"""The key of a document's metadata that names the groups which may read it."""

Rules = Mapping[str, Sequence[str]]
"""Folders or files below the indexed folder, and the groups that may read them; `.` for all."""
NO_RULES: Final[Rules] = MappingProxyType({})


def group_names(value: object) -> Any:
    """`hr, board` as a tuple without duplicates, in order, so that equal groups are equal."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(sorted({str(name).strip() for name in value} - {""}))
    return value


def group_rules(value: object) -> object:
    """Rules with tidy paths and groups.

    Raises:
        ValueError: A rule names no group, or a text is no JSON.
    """
    if isinstance(value, str):  # as on the command line
        value = json.loads(value)
    if not isinstance(value, Mapping):
        return value
    rules = {_path(str(name)) or ".": group_names(groups) for name, groups in value.items()}
    if empty := [name for name, groups in rules.items() if not groups]:
        raise ValueError(f"the rule of {empty[0]!r} names no group; {EVERYONE} is all callers")
    return rules


def may_read(
    metadata: Mapping[str, MetadataValue], source: str, rules: Rules, groups: Collection[str]
) -> bool:
    """Whether a caller may read a document.

    The rule of the nearest folder and the document's own groups must both allow it. A document with
    neither is closed to every caller that has groups.

    Args:
        source: Its file, as the index has it.
    """
    named, held = readers_of(metadata, source, rules), {EVERYONE, *groups}
    return bool(named) and all(not held.isdisjoint(allowed) for allowed in named)


def readers_of(
    metadata: Mapping[str, MetadataValue], source: str, rules: Rules
) -> list[tuple[str, ...]]:
    """The groups of a document's rule and its own: a caller needs one of each list.

    Args:
        source: Its file, as the index has it.

    Returns:
        None of them if the document is closed.
    """
    named = [tuple(rules[rule])] if (rule := rule_of(source, rules)) else []
    own = [group_names(str(metadata[key])) for key in metadata if key.casefold() == GROUPS]
    return [*named, *own]


def rule_of(source: str, rules: Rules) -> str:
    """The rule of the nearest folder of a document; "" for none."""
    paths = [(_path(in_folder(source)), 2), (_path(source), 1)]  # with the levels above a rule

    def level(rule: str) -> int:
        inside = (f"{rule}/", f"{rule}{SECTION_MARK}")
        fits = [start for path, start in paths if path == rule or path.startswith(inside)]
        return fits[0] + rule.count("/") if fits else 0

    fitting = [rule for rule in rules if rule == "." or level(rule)]
    return max(fitting, key=lambda rule: (level(rule), len(rule)), default="")


def _path(name: str) -> str:
    path = unicodedata.normalize("NFC", name).replace("\\", "/").strip().removeprefix("./")
    return path.rstrip("/")
