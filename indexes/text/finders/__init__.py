"""Finders of names in texts: the rules, and recognisers that packages bring.

A package with a trained recogniser offers a `NameFinder` as an entry point of the group
`hopyard.name_finders`. Its name is then a builder of the entity graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.text.names import Name
from hopyard.state.registry import Registry

FindNames = Callable[[str, str], list[Name]]
"""Gets a text and its language, a key of `LANGUAGES`; gives its names in order. No two overlap."""


@dataclass(frozen=True)
class NameFinder:
    """Something that finds names.

    Attributes:
        name: Its name for users, such as `rules`.
        names_in: Finds the names in a text. Threads may call it side by side.
        version: Counted up when it finds other names: then an index is read again.
    """

    name: str
    names_in: FindNames
    version: int = 1


FINDERS: Final = Registry[NameFinder](
    "name finder",
    package="hopyard.indexes.text.finders",
    attribute="FINDER",
    group="hopyard.name_finders",
)
