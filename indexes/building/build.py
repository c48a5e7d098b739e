"""Building an index, adding to it, removing from it, and what that would cost.

All changes end the same way (see `run`): the changed rows go into the corpus store, unseen texts
are embedded, every kind is brought up to date in a new folder, and the new manifest makes it count.
Up to that rename readers see the old generation; after a kill the next build continues where it
stopped.

All are async, and what blocks runs in threads. A build that is cancelled ends what is under way,
such as one batch of embeddings, and takes back or keeps the rest as after a kill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.building.documents import BuildReport
from hopyard.indexes.building.estimate import estimate, estimate_update
from hopyard.indexes.building.recipe import OpenCaller, Recipe, recipe_of, update_recipe
from hopyard.indexes.building.run import open_run
from hopyard.indexes.corpus.chunked import LISTING
from hopyard.indexes.corpus.lock import LOCK_FILE
from hopyard.indexes.corpus.manifest import MANIFEST_FILE
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.documents.sync import Scope
from hopyard.indexes.kind import DEFAULT_KINDS
from hopyard.models.embedder import Embedder
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

__all__ = (
    "BuildReport",
    "add",
    "build",
    "estimate",
    "estimate_update",
    "remove",
    "vacuum",
)


async def build(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    chunk_tokens: int | None = None,
    kinds: Sequence[str] = DEFAULT_KINDS,
    settings: Context | None = None,
    caller: OpenCaller | None = None,
    progress: Progress = silent,
    finally_: Callable[[], None] = lambda: None,
) -> BuildReport:
    """Make an index hold exactly these documents.

    Documents that the index holds and that are not given, or are bad this time, are removed.
    Unchanged documents are neither chunked nor embedded again, and a build that changes nothing
    writes nothing. The embedding model, the chunk length and the kinds may differ from last time.

    Args:
        documents: The whole corpus. Of two with the same id the first is kept.
        directory: The index directory; made if need be.
        chunk_tokens: Maximum tokens of a passage; 0 keeps documents whole; None takes 300, or
            what the model's window allows.
        settings: The settings of the kinds, the budget, and how the chat model is asked.
        caller: Opens the chat model; called once a kind needs it. With None no model is asked:
            a kind that would ask keeps what it has.
        progress: Called as the build proceeds.
        finally_: Writes what else belongs to the index, before a shared index is published.

    Raises:
        UsageError: `chunk_tokens` is above the model's window, a kind is unknown or builds on one
            that is not named, or the directory holds something else.
        CorpusError: No usable document was given, or two passages have the same id.
        IndexBusyError: Another build holds the directory.
        IndexMissingError: A file in the directory cannot be read.
        ModelUnreachableError: A model does not answer; what it gave until then is kept.
        HopyardError: The disk is full or not writable.
    """
    recipe, chunker = await in_thread(
        recipe_of, embedder, chunk_tokens, kinds, settings or Context(), caller
    )
    await in_thread(prepare_folder, directory)
    async with open_run(directory, progress) as run:
        for kind in recipe.kinds:
            await in_thread(kind.prepare, directory, recipe.options)
        await run.put(documents, chunker, lambda held, seen, _: held.keys() - seen)
        return await run.finish(recipe, lambda: embedder, finally_)


async def add(
    documents: Iterable[Document],
    *,
    directory: Path,
    embedder: Embedder,
    scope: Scope | None = None,
    settings: Context | None = None,
    caller: OpenCaller | None = None,
    progress: Progress = silent,
    finally_: Callable[[], None] = lambda: None,
) -> BuildReport:
    """Add documents to an index, or update those whose id it holds. The others stay.

    Passages are cut and kinds derived as in the index's last build. A bad document leaves an
    earlier version of itself in place.

    Args:
        documents: New, changed and perhaps unchanged documents.
        scope: The files and folders that the documents were read from: what the index has of them
            and they no longer have is removed. None removes nothing.
        settings: As for `build`, and so are the others.

    Raises:
        EmbeddingMismatchError: Another embedding model made the index.
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        UsageError: Nothing is left in a folder of the scope that the index has documents from.
        HopyardError: See `build`.
    """
    async with open_run(directory, progress, update=True) as run:
        recipe, chunker = await in_thread(
            update_recipe, directory, run.held, embedder, settings, caller
        )
        await run.put(documents, chunker, scope.gone if scope else None)
        report = await run.finish(recipe, lambda: embedder, finally_)
    report.unchanged += scope.untouched if scope else 0
    return report


async def remove(
    names: Iterable[str],
    *,
    directory: Path,
    where: Sequence[str] = (),
    embedder: Callable[[], Embedder] | None = None,
    progress: Progress = silent,
) -> BuildReport:
    """Remove documents from an index. No chat model is asked.

    Args:
        names: Ids, names of files, paths, folders, or patterns such as
            `reports/*.pdf`, as `listing.find_documents` takes them.
        where: Conditions that they must fit too; without names, all documents that fit are
            removed.
        embedder: Opens the index's embedding model. It is only needed for texts without vectors:
            of a summary tree, or where a build was killed between writing texts and embedding them.
        progress: Called as the build proceeds.

    Raises:
        UsageError: A name stands for no document; nothing is removed.
        CorpusError: None would be left; nothing is removed.
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        HopyardError: See `build`.
    """
    async with open_run(directory, progress, update=True) as run:
        recipe = Recipe.of_manifest(run.held, Context(), None)
        await in_thread(run.remove, list(names), where)
        return await run.finish(recipe, embedder)


async def vacuum(*, directory: Path) -> None:
    """Delete the text of removed documents, and of former versions, from the files of an index.

    Builds leave it there for those who still read the last generation. They have to open the index
    again. Unused texts of a chat model are deleted too; the ledger
    may still have it.

    Raises:
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        HopyardError: The disk is full, or another process reads a file's log.
    """
    async with open_run(directory, silent, update=True) as run:
        if await in_thread(run.keeps_removed):
            recipe = Recipe.of_manifest(run.held, Context(), None)
            clean = replace(recipe.options, clean=True)
            await run.finish(replace(recipe, options=clean), None)
        await in_thread(run.vacuum)


def prepare_folder(directory: Path) -> None:
    """Make the directory of a new index.

    Raises:
        UsageError: It cannot be made, or holds something else.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The directory {str(directory)!r} cannot be made ({error.strerror}): name another "
            f"directory."
        ) from error
    entries = {entry.name for entry in directory.iterdir()}
    if entries and not entries & {MANIFEST_FILE, LOCK_FILE, LISTING}:
        raise UsageError(
            f"The directory {str(directory)!r} is not empty and not an index: name an empty or a "
            f"new directory."
        )
