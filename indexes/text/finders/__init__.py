"""Finders of names in texts: the rules, and recognisers that packages bring.

A package with a trained recogniser offers a `NameFinder` as an entry point of the group
`hopyard.name_finders`. Its name is then a builder of the entity graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from hopyard.indexes.text.names import Name
from hopyard.state.registry import Registry


class FindNames(Protocol):
    """Finds the names in a text."""

    def __call__(self, text: str, language: str) -> list[Name]:
        """All names in a text, in order; no two overlap.

        Args:
            language: A key of `language.LANGUAGES`.
        """


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
