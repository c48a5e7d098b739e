"""How a kind of index plugs in beside dense and sparse.

The build gives each kind the corpus of the new generation and an empty folder. Whatever the kind
writes there is listed in the manifest and appears with the generation, whole or not at all; so a
kind needs neither temporary names nor locks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hopyard.indexes.snapshot import Snapshot

__all__ = ("Derived", "Progress", "UpdateContext", "silent")

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, the items done, and how many there are (0: not known yet)."""


def silent(stage: str, done: int, total: int) -> None:
    """The progress callback that says nothing."""
    del stage, done, total


@dataclass(frozen=True, slots=True)
class UpdateContext:
    """What a kind is given to bring itself up to date."""

    corpus: Snapshot
    """The corpus of the new generation."""
    index_directory: Path
    """The index directory, where a kind may keep one file, named after what is in it, that
    outlives a killed build. Its folders belong to the build."""
    directory: Path
    """The kind's own folder in the new generation: there, and empty."""
    previous: Path | None
    """The kind's own folder in the last generation, to be read only; None where it is new."""
    embedding: str
    """The embedding model whose vectors `corpus.vectors` gives."""
    dimension: int
    progress: Progress


class Derived(Protocol):
    """One kind of thing that is derived from the corpus."""

    @property
    def name(self) -> str:
        """Name of the kind and of its folder, such as `dense`."""

    @property
    def needs_vectors(self) -> bool:
        """Whether every passage must be embedded before `update`."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """Version of each prompt that takes part, by name; another one means an update."""

    def is_current(self, directory: Path) -> bool:
        """Whether `update` would write again what is in the kind's folder, the corpus the same.

        It would not where settings differ from those it was written with, or where a budget
        stopped it before the end.
        """

    def update(self, context: UpdateContext) -> Mapping[str, int]:
        """Write the kind's files for the new generation.

        A kind whose parts are dear carries over from `context.previous` what belongs to passages
        that are still there.

        Returns:
            Counts for the manifest, such as `{"edges": 812}`.
        """
