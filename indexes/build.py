"""Building an index, adding to it, and removing from it.

All three end the same way (see `build_run`): the changed rows go into the corpus store, unseen
texts are embedded, every derived kind is brought up to date in a new folder, and the new manifest
makes it count. Up to that rename readers see the old generation; after a kill the next build
goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hopyard.indexes.build_run import BuildReport, started
from hopyard.indexes.chunking import Chunker
from hopyard.indexes.derived import Derived, Progress, silent
from hopyard.indexes.known_kinds import DEFAULT_KINDS, KINDS
from hopyard.indexes.lock import LOCK_FILE
from hopyard.indexes.manifest import MANIFEST_FILE, check_embedding, read_manifest
from hopyard.indexes.recipe import Recipe, select_kinds
from hopyard.indexes.records import Document
from hopyard.models.embedder import Embedder
from hopyard.state.errors import UsageError

__all__ = ("BuildReport", "add", "build", "remove")


def build(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    chunk_tokens: int | None = None,
    kinds: Sequence[str] = DEFAULT_KINDS,
    known_kinds: Mapping[str, Derived] = KINDS,
    progress: Progress = silent,
) -> BuildReport:
    """Make an index hold exactly these documents.

    Documents that the index holds and that are not given, or are bad this time, are removed.
    What did not change is neither chunked nor embedded again, and a build that changes nothing
    writes nothing. The embedding model, the chunk length and the kinds may differ from last time.

    Args:
        documents: The whole corpus. Of two with the same id the first is kept.
        directory: The index directory; made if need be.
        embedder: The embedding model.
        chunk_tokens: Tokens of a passage at most; 0 keeps documents whole; None takes 300, or
            what the model's window allows.
        kinds: What to derive, by name.
        known_kinds: Where names of kinds are looked up.
        progress: Called as the build goes on.

    Raises:
        UsageError: `chunk_tokens` is above the model's window, a kind is unknown, or the
            directory holds something else.
        CorpusError: No usable document was given, or two passages have the same id.
        IndexBusyError: Another build holds the directory.
        IndexMissingError: What is in the directory cannot be read.
        HopyardError: The disk is full or not writable.
    """
    chunker = Chunker(embedder, chunk_tokens)
    recipe = Recipe.of(embedder, chunker.chunk_tokens, select_kinds(kinds, known_kinds))
    _prepare(directory)
    with started(directory, progress) as run:
        run.put(documents, chunker, replace=True)
        return run.finish(recipe, embedder)


def add(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    known_kinds: Mapping[str, Derived] = KINDS,
    progress: Progress = silent,
) -> BuildReport:
    """Add documents to an index, or update those whose id it holds. The others stay.

    Passages are cut and kinds derived as in the index's last build. A bad document leaves an
    earlier version of itself in place.

    Raises:
        EmbeddingMismatchError: Another embedding model made the index.
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        HopyardError: See `build`.
    """
    read_manifest(directory)
    with started(directory, progress) as run:
        manifest = read_manifest(directory)
        check_embedding(directory, manifest, embedder)
        recipe = Recipe.made(manifest, known_kinds)
        run.check_whole()
        run.put(documents, Chunker(embedder, manifest.chunk_tokens), replace=False)
        return run.finish(recipe, embedder)


def remove(
    document_ids: Iterable[str],
    *,
    directory: Path,
    known_kinds: Mapping[str, Derived] = KINDS,
    progress: Progress = silent,
) -> BuildReport:
    """Remove documents from an index. No model is needed.

    Raises:
        UsageError: A document is not in the index; nothing is removed.
        CorpusError: None would be left; nothing is removed.
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        HopyardError: See `build`.
    """
    read_manifest(directory)
    with started(directory, progress) as run:
        recipe = Recipe.made(read_manifest(directory), known_kinds)
        run.check_whole()
        run.remove(document_ids)
        return run.finish(recipe, None)


def _prepare(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The directory {str(directory)!r} cannot be made ({error.strerror}): name another one."
        ) from error
    entries = {entry.name for entry in directory.iterdir()}
    if entries and not entries & {MANIFEST_FILE, LOCK_FILE}:
        raise UsageError(
            f"The directory {str(directory)!r} holds something else than an index: "
            "name an empty or a new one."
        )
