"""What an index is made with, besides its documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.corpus.manifest import FORMAT_VERSION, Manifest
from hopyard.indexes.kind import IndexKind, select_kinds
from hopyard.models.instructions import Instructions
from hopyard.state.settings.fields import AUTO, Context

if TYPE_CHECKING:
    from hopyard.models.calls.call import ModelCaller

__all__ = ("Recipe", "vectors_name")


@dataclass(frozen=True)
class Recipe:
    """What an index is made with, besides its documents. Another recipe means a new generation."""

    options: BuildOptions
    embedding: str
    """The name of the embedding model."""
    instructions: Instructions
    language: str
    """The corpus's language; `auto` where the build is to detect it."""
    chunk_tokens: int
    fields: tuple[str, ...]
    kinds: tuple[IndexKind, ...]

    @classmethod
    def of_manifest(
        cls, manifest: Manifest, settings: Context, caller: Callable[[], ModelCaller] | None
    ) -> Self:
        """The recipe that an index was made with, for an update.

        Raises:
            UsageError: One of its kinds is not installed.
        """
        instructions = Instructions(manifest.query_instruction, manifest.passage_instruction)
        options = BuildOptions(
            settings,
            vectors_name(manifest.embedding, instructions),
            manifest.dimension,
            keep=True,
            open_caller=caller,
        )
        return cls(
            options,
            manifest.embedding,
            instructions,
            manifest.language,
            manifest.chunk_tokens,
            manifest.fields,
            select_kinds(manifest.kinds),
        )

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that takes part, by name."""
        return {name: version for kind in self.kinds for name, version in kind.prompts.items()}

    @property
    def kind_names(self) -> tuple[str, ...]:
        """Names of the kinds, in the order in which they are built."""
        return tuple(kind.name for kind in self.kinds)

    def is_that_of(self, manifest: Manifest) -> bool:
        """Whether an index was made with it, by a Hopyard that writes the same files."""
        return (
            FORMAT_VERSION,
            self.embedding,
            self.instructions,
            self.options.dimension,
            self.chunk_tokens,
            self.fields,
            manifest.language if self.language == AUTO else self.language,
            self.kind_names,
            self.prompts,
        ) == (
            manifest.format_version,
            manifest.embedding,
            Instructions(manifest.query_instruction, manifest.passage_instruction),
            manifest.dimension,
            manifest.chunk_tokens,
            manifest.fields,
            manifest.language,
            manifest.kinds,
            manifest.prompts,
        )


def vectors_name(embedding: str, instructions: Instructions) -> str:
    """What the vectors of a model are kept under: another instruction makes other vectors."""
    return f"{embedding} {instructions.passage!r}" if instructions.passage else embedding
