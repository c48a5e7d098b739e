"""The recipe of an index: all that it is made with, besides its documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.corpus.manifest import Manifest, check_embedding, vectors_name
from hopyard.indexes.kind import IndexKind, select_kinds
from hopyard.indexes.passages.chunking import Chunker
from hopyard.indexes.text.language import LANGUAGES
from hopyard.models.calls.call import ModelCaller
from hopyard.models.embedder import Embedder, Instructions
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import AUTO, Context

OpenCaller = Callable[[], ModelCaller]
"""Opens the chat model, or gives it again: `lambda: resources.caller(settings.model)`."""


@dataclass(frozen=True)
class Recipe:
    """The recipe of an index. Another recipe means a new generation."""

    options: BuildOptions
    embedding: str
    """The name of the embedding model."""
    instructions: Instructions
    language: str
    """The corpus's language; `auto` if the build detects it."""
    chunk_tokens: int
    fields: tuple[str, ...]
    kinds: tuple[IndexKind, ...]

    @classmethod
    def of_manifest(cls, manifest: Manifest, settings: Context, caller: OpenCaller | None) -> Self:
        """The recipe of an index, for an update."""
        options = BuildOptions(
            settings,
            vectors_name(manifest.embedding, manifest.passage_instruction),
            manifest.dimension,
            keep=True,
            open_caller=caller,
            rights=manifest.rights,
        )
        return cls(
            options,
            manifest.embedding,
            Instructions(manifest.query_instruction, manifest.passage_instruction),
            manifest.language,
            manifest.chunk_tokens,
            manifest.fields,
            select_kinds(manifest.kinds),
        )

    def for_manifest(self) -> dict[str, Any]:
        """The recipe as fields of a manifest."""
        return {
            "embedding": self.embedding,
            "query_instruction": self.instructions.query,
            "passage_instruction": self.instructions.passage,
            "dimension": self.options.dimension,
            "language": self.language,
            "chunk_tokens": self.chunk_tokens,
            "fields": self.fields,
            "rights": dict(self.options.rights),
            "kinds": tuple(kind.name for kind in self.kinds),
            "prompts": {
                name: version for kind in self.kinds for name, version in kind.prompts.items()
            },
        }

    def is_that_of(self, manifest: Manifest) -> bool:
        """Whether an index was made with it."""
        language = manifest.language if self.language == AUTO else self.language
        fields = replace(self, language=language).for_manifest()
        return all(getattr(manifest, name) == value for name, value in fields.items())


def recipe_of(
    embedder: Embedder,
    chunk_tokens: int | None,
    kinds: Sequence[str],
    settings: Context,
    caller: OpenCaller | None,
) -> tuple[Recipe, Chunker]:
    """The recipe of a build, and the chunker of its documents; see `build.build`.

    Raises:
        UsageError: `chunk_tokens` is above the model's window, the language is unknown, or a kind
            is unknown or builds on another kind that is not named. Or a file in a kind's settings
            does not exist.
    """
    language = settings.indexing.language
    if language != AUTO and language not in LANGUAGES:
        raise UsageError(
            f"The language {language!r} is not known; choose auto or one of {', '.join(LANGUAGES)}."
        )
    chosen = select_kinds(kinds)
    for kind in chosen:
        _check_files(kind, settings)
    fields = settings.indexing.metadata
    chunker = Chunker(embedder, chunk_tokens, fields)
    # A model that was registered by hand says nothing, and adds what it needs.
    instructions: Instructions = getattr(embedder, "instructions", Instructions())
    if settings.indexing.query_instruction != AUTO:
        instructions = replace(instructions, query=settings.indexing.query_instruction)
    options = BuildOptions(
        settings,
        vectors_name(embedder.name, instructions.passage),
        embedder.dimension,
        open_caller=caller,
        rights=settings.indexing.rights,
    )
    recipe = Recipe(
        options,
        embedder.name,
        instructions,
        language,
        chunker.chunk_tokens,
        fields,
        chosen,
    )
    return recipe, chunker


def _check_files(kind: IndexKind, settings: Context) -> None:
    """Without this, the build would find out after it has embedded everything."""
    for name, value in settings.group(kind.settings) if kind.settings else ():
        if isinstance(value, Path) and not value.is_file():
            setting = f"{kind.settings.group}.{name}" if kind.settings else name
            raise UsageError(f"There is no file {str(value)!r}: give a file to {setting}.")


def update_recipe(
    directory: Path,
    manifest: Manifest,
    embedder: Embedder,
    settings: Context | None,
    caller: OpenCaller | None,
) -> tuple[Recipe, Chunker]:
    """The recipe of an index's last build, and its chunker."""
    check_embedding(directory, manifest, embedder)
    recipe = Recipe.of_manifest(manifest, settings or Context(), caller)
    return recipe, Chunker(embedder, manifest.chunk_tokens, manifest.fields)
