"""What a node needs besides its state: the run's settings, the index, the text of passages."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

from langgraph.runtime import Runtime

from hopyard.indexes.corpus_index import Index
from hopyard.indexes.records import Passage
from hopyard.models.embedder import Vector
from hopyard.models.embeddings import embedder
from hopyard.state.errors import UsageError
from hopyard.state.settings import Context, read_context

__all__ = ("context_of", "embedded_question", "index_of", "new_run", "passages_of")


def context_of(runtime: Runtime[Context]) -> Context:
    """The run's settings; the environment's where the caller gave none.

    LangGraph's server makes a context of nothing but defaults where an assistant sets nothing.
    """
    context = runtime.context
    return context if context and context.model_fields_set else read_context({})


def new_run() -> str:
    """A name under which one question's usage is counted."""
    return uuid4().hex


async def index_of(context: Context) -> Index:
    """The run's index, opened once a generation.

    Raises:
        UsageError: The run names no index.
        IndexMissingError: The index is missing, damaged, or of another embedding model.
    """
    if not context.index:
        raise UsageError("No index is given; name one with --index DIR or HOPYARD_INDEX.")
    directory = Path(context.index)
    return await asyncio.to_thread(_open, directory, context.embedding)


def _open(directory: Path, embedding: str) -> Index:
    manifest = directory / "manifest.json"
    changed = manifest.stat().st_mtime_ns if manifest.exists() else 0
    return _opened(directory, embedding, changed)


@lru_cache(maxsize=4)
def _opened(directory: Path, embedding: str, _changed: int) -> Index:
    return Index.open(directory, embedder(embedding))


async def embedded_question(question: str, context: Context) -> Vector:
    """The embedding of a question, by the model that made the index."""
    return await asyncio.to_thread(embedder(context.embedding).embed_query, question)


async def passages_of(passage_ids: list[str], context: Context) -> list[Passage]:
    """The passages of those ids, in that order.

    Raises:
        IndexMissingError: A passage has left the corpus since it was found.
    """
    index = await index_of(context)
    return await asyncio.to_thread(index.passages, passage_ids)
