"""What an index is made with. The manifest keeps it, and another recipe means a new generation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from hopyard.indexes.derived import Derived
from hopyard.indexes.manifest import Manifest
from hopyard.models.embedder import Embedder
from hopyard.state.errors import UsageError

__all__ = ("Recipe", "select_kinds")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an index is made with, besides its documents."""

    embedding: str
    dimension: int
    chunk_tokens: int
    kinds: tuple[Derived, ...]

    @classmethod
    def of(cls, embedder: Embedder, chunk_tokens: int, kinds: tuple[Derived, ...]) -> Self:
        """The recipe of a build with this model."""
        return cls(embedder.name, embedder.dimension, chunk_tokens, kinds)

    @classmethod
    def made(cls, manifest: Manifest, known: Mapping[str, Derived]) -> Self:
        """The recipe that an index was made with.

        Raises:
            UsageError: One of its kinds is not known.
        """
        kinds = select_kinds(manifest.kinds, known)
        return cls(manifest.embedding, manifest.dimension, manifest.chunk_tokens, kinds)

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that takes part, by name."""
        return {name: version for kind in self.kinds for name, version in kind.prompts.items()}

    def is_that_of(self, manifest: Manifest) -> bool:
        """Whether an index was made with it."""
        return (
            self.embedding,
            self.dimension,
            self.chunk_tokens,
            self.kind_names,
            self.prompts,
        ) == (
            manifest.embedding,
            manifest.dimension,
            manifest.chunk_tokens,
            manifest.kinds,
            manifest.prompts,
        )

    @property
    def kind_names(self) -> tuple[str, ...]:
        """Names of the kinds, in the order in which they are derived."""
        return tuple(kind.name for kind in self.kinds)


def select_kinds(names: Iterable[str], known: Mapping[str, Derived]) -> tuple[Derived, ...]:
    """Look kinds up by name, each once.

    Raises:
        UsageError: One is not known.
    """
    wanted = list(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(
            f"There is no kind of index {unknown[0]!r} here: choose among {', '.join(known)}."
        )
    return tuple(known[name] for name in wanted)
