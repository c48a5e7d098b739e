"""The cost of a build or an update in model calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopyard.indexes.building.documents import Gone
from hopyard.indexes.building.recipe import OpenCaller, Recipe, recipe_of, update_recipe
from hopyard.indexes.corpus.manifest import Manifest, check_embedding, read_manifest
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.documents.sync import Scope
from hopyard.indexes.kind import DEFAULT_KINDS, Estimate
from hopyard.indexes.passages.chunking import Chunker
from hopyard.models.embedder import Embedder
from hopyard.state.errors import CorpusError, UsageError
from hopyard.state.settings.fields import Context


async def estimate(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    caller: OpenCaller,
    chunk_tokens: int | None = None,
    kinds: Sequence[str] = DEFAULT_KINDS,
    settings: Context | None = None,
) -> tuple[int, dict[str, Estimate]]:
    """Estimate the cost of a build from a sample. The index is not touched.

    Returns:
        How many passages the documents give, and an estimate for each kind that needs a model.

    Raises:
        UsageError: None of the kinds asks a model, or see `build`.
        ModelUnreachableError: The model does not answer.
        BudgetExceededError: The budget does not allow the sample.
    """
    recipe, chunker = await in_thread(
        recipe_of, embedder, chunk_tokens, kinds, settings or Context(), caller
    )
    if not any(kind.asks_model for kind in recipe.kinds):
        raise UsageError(
            f"Nothing in {', '.join(kind.name for kind in recipe.kinds)} needs a model."
        )
    passages = await in_thread(passages_of, documents, chunker)
    return len(passages), await _of_kinds(recipe, passages, directory)


async def estimate_update(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    caller: OpenCaller,
    settings: Context | None = None,
    scope: Scope | None = None,
) -> tuple[int, dict[str, Estimate]]:
    """Estimate the cost of `add`. The index is not touched.

    Passages that a budget left over count too, because the update asks about them.

    Returns:
        How many passages the index would hold, and an estimate for each kind that may ask a model.
    """
    manifest = await in_thread(read_manifest, directory)
    recipe, chunker = await in_thread(
        update_recipe, directory, manifest, embedder, settings, caller
    )
    gone = scope.gone if scope else lambda *_: set()
    passages = await in_thread(_passages_after, documents, chunker, directory, manifest, gone)
    return len(passages), await _of_kinds(recipe, passages, directory)


@dataclass(frozen=True)
class Changes:
    """The changes of a sync: documents by their sources, or their ids if they have none."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]


async def changes_of(
    documents: Sequence[Document], scope: Scope, *, directory: Path, embedder: Embedder
) -> Changes:
    """The documents that `add` with a scope would change. The index is not touched.

    Args:
        embedder: The embedding model of the index, whose tokenizer takes part in the comparison.
    """
    manifest = await in_thread(read_manifest, directory)
    await in_thread(check_embedding, directory, manifest, embedder)
    chunker = await in_thread(Chunker, embedder, manifest.chunk_tokens, manifest.fields)
    return await in_thread(_changes, documents, scope, chunker, directory, manifest)


def _changes(
    documents: Sequence[Document],
    scope: Scope,
    chunker: Chunker,
    directory: Path,
    manifest: Manifest,
) -> Changes:
    with Snapshot(directory, manifest.generation) as corpus:
        before = corpus.fingerprints()
        sources = {document.id: document.source for document in corpus.outlines()}
    names = {document.id: document.source or document.id for document in documents}
    after = {document.id: chunker.fingerprint(document) for document in documents}
    gone = scope.gone(sources, after.keys(), set())
    return Changes(
        added=tuple(sorted(names[name] for name in after if name not in before)),
        updated=tuple(
            sorted(names[name] for name in after if before.get(name, after[name]) != after[name])
        ),
        removed=tuple(sorted(sources[name] or name for name in gone)),
    )


async def _of_kinds(
    recipe: Recipe, passages: Sequence[Passage], directory: Path
) -> dict[str, Estimate]:
    """The estimate of each kind that may ask a model, by name."""
    return {
        kind.name: await kind.estimate(passages, directory, recipe.options)
        for kind in recipe.kinds
        if kind.asks_model
    }


def passages_of(documents: Iterable[Document], chunker: Chunker) -> list[Passage]:
    """The passages of documents. A bad document is left out, as the build does."""
    return [
        passage for passages in _cut(documents, chunker, set()).values() for passage in passages
    ]


def _passages_after(
    documents: Iterable[Document],
    chunker: Chunker,
    directory: Path,
    manifest: Manifest,
    gone: Gone,
) -> list[Passage]:
    """The passages that an index would hold after an update with some documents.

    Args:
        documents: New, changed and perhaps unchanged documents.
        gone: Says which documents the update removes.
    """
    bad: set[str] = set()
    given = _cut(documents, chunker, bad)
    with Snapshot(directory, manifest.generation) as corpus:
        sources = {document.id: document.source for document in corpus.outlines()}
        lost = gone(sources, given.keys(), bad)
        held = [
            passage
            for passage in corpus.passages()
            if passage.document_id not in given and passage.document_id not in lost
        ]
    return [*held, *(passage for passages in given.values() for passage in passages)]


def _cut(
    documents: Iterable[Document], chunker: Chunker, bad: set[str]
) -> dict[str, list[Passage]]:
    """The passages of each document by its id; the ids of bad documents go into `bad`."""
    cut: dict[str, list[Passage]] = {}
    for document in documents:
        try:
            if document.id not in cut:
                cut[document.id] = list(chunker.split(document))
        except CorpusError:
            bad.add(document.id)
    return cut
