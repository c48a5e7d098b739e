"""What a build is asked to make an index with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.building.recipe import Recipe, vectors_name
from hopyard.indexes.kind import select_kinds
from hopyard.indexes.passages.chunking import Chunker
from hopyard.indexes.text.language import LANGUAGES
from hopyard.models.calls.call import ModelCaller
from hopyard.models.embedder import Embedder
from hopyard.models.instructions import Instructions
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import AUTO, Context

__all__ = ("OpenCaller", "recipe_of")

OpenCaller = Callable[[], ModelCaller]
"""Opens the chat model, or gives it again: `lambda: resources.caller(settings.model)`."""


def recipe_of(
    embedder: Embedder,
    chunk_tokens: int | None,
    kinds: Sequence[str],
    settings: Context,
    caller: OpenCaller | None,
) -> tuple[Chunker, Recipe]:
    """What a build makes an index with, and what cuts its documents; see `build.build`.

    Raises:
        UsageError: `chunk_tokens` is above the model's window, the language is unknown, or a kind
            is unknown or builds on another kind that is not named.
    """
    chosen = select_kinds(kinds)
    fields = settings.indexing.metadata
    chunker = Chunker(embedder, chunk_tokens, fields)
    instructions = _instructions(embedder, settings.indexing.query_instruction)
    kept_under = vectors_name(embedder.name, instructions)
    options = BuildOptions(settings, kept_under, embedder.dimension, open_caller=caller)
    return chunker, Recipe(
        options,
        embedder.name,
        instructions,
        _language(settings.indexing.language),
        chunker.chunk_tokens,
        fields,
        chosen,
    )


def _language(name: str) -> str:
    if name != AUTO and name not in LANGUAGES:
        raise UsageError(
            f"The language {name!r} is not known; choose auto or one of {', '.join(LANGUAGES)}."
        )
    return name


def _instructions(embedder: Embedder, query: str) -> Instructions:
    """The model's own; a model that was registered by hand says nothing and adds what it needs."""
    own: Instructions = getattr(embedder, "instructions", Instructions())
    return own if query == AUTO else replace(own, query=query)
