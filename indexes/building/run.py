"""One build under its lock, from the first row to the new manifest."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from filecmp import cmp
from pathlib import Path
from typing import Final

from hopyard.indexes.build_context import BuildContext, Progress
from hopyard.indexes.building.calls import BuildCalls
from hopyard.indexes.building.documents import BuildReport, Gone, PutRun, check_not_empty
from hopyard.indexes.building.recipe import Recipe
from hopyard.indexes.building.warnings import build_warnings
from hopyard.indexes.corpus.checks import check_rows, rows_checksum
from hopyard.indexes.corpus.corpus_file import CORPUS_FILE
from hopyard.indexes.corpus.generation import VISIBLE
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.corpus.manifest import (
    Manifest,
    check_files,
    checksum,
    find_manifest,
    generation_directory,
    read_manifest,
    write_manifest,
)
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.shared import publishing
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.store import CorpusStore
from hopyard.indexes.corpus.threads import enter_in_thread, in_thread
from hopyard.indexes.corpus.vectors import StoredVectors, purge_passage_vectors
from hopyard.indexes.filters.fields import keeps_removed, write_fields
from hopyard.indexes.kind import KINDS
from hopyard.indexes.listing import matching_documents
from hopyard.indexes.passages.chunking import Chunker
from hopyard.indexes.text.language import corpus_language
from hopyard.indexes.unread import forget_unread
from hopyard.indexes.written.store import keep_only_used
from hopyard.models.embedder import Embedder
from hopyard.state.errors import HopyardError, IndexMissingError
from hopyard.state.settings.fields import AUTO
from hopyard.state.storage.atomic import sync_tree

_LARGE: Final = 50_000
"""Passages of an index from which on `add`, `sync` and `remove` check sizes, and not contents."""
_GROWS: Final = 1000
"""Passages of an index from which on its files grow with a small change; fewer are built again."""


def open_run(
    directory: Path, progress: Progress, *, update: bool = False
) -> AbstractAsyncContextManager[BuildRun]:
    """Lock an index directory, check its files, and take back what a killed build left in it.

    Args:
        update: Whether the directory must hold a whole index.
    """
    return enter_in_thread(lambda: _opened(directory, progress, update))


@contextmanager
def _opened(directory: Path, progress: Progress, update: bool) -> Iterator[BuildRun]:
    if update:
        read_manifest(directory)  # before a lock is made in a directory without an index
    with hold_lock(directory), publishing(directory, progress) as publish:
        current = find_manifest(directory)
        if current is not None and (update or (directory / CORPUS_FILE).exists()):
            with Snapshot(directory, current.generation) as corpus:
                check_rows(corpus, current, full=not update or not _is_large(current))
        with CorpusStore(directory) as store:
            run = BuildRun(directory, store, current, progress, update)
            store.roll_back(run.generation - 1)
            run.drop_generations()
            yield run
        publish(run.is_clean)


class BuildRun:
    """The steps of a build. `open_run` makes one; then `put` or `remove`, then `finish`."""

    def __init__(
        self,
        directory: Path,
        store: CorpusStore,
        current: Manifest | None,
        progress: Progress,
        update: bool = False,
    ) -> None:
        self.generation = current.generation + 1 if current else 1
        """The generation that this build writes."""
        self.is_clean = False
        """Whether nothing of older generations is left."""
        self._directory = directory
        self._store = store
        self._current = current
        self._update = update
        self._last = _whole_folder(directory, current, update) if current else None
        self._progress = progress
        self._report = BuildReport()
        self._began = time.perf_counter()

    @property
    def held(self) -> Manifest:
        """The manifest of the index as it is."""
        return self._current or read_manifest(self._directory)

    async def put(self, documents: Iterable[Document], chunker: Chunker, gone: Gone | None) -> None:
        """Write the rows of new and changed documents, and remove those that are gone.

        Args:
            documents: The documents. A bad one leaves an earlier version of itself to `gone`.
            gone: Says which documents go, once all are read; None if all stay.
        """
        run = PutRun(self._directory, self._store, self.generation, self._report, self._progress)
        await in_thread(run.put, documents, chunker, gone, stop=run.stop)

    def remove(self, names: Sequence[str], where: Sequence[str]) -> None:
        """Take documents out. This blocks.

        Args:
            names: Ids, paths or patterns, as `listing.find_documents` takes them.
            where: Conditions that they must fit too.
        """
        with Snapshot(self._directory, self.generation - 1) as corpus:
            ids = matching_documents(corpus, self._directory, names, where)
            held_files = corpus.rows(f"SELECT id, source FROM documents WHERE {VISIBLE}")
        if not ids:
            return
        with self._store.transaction():
            held = self._store.count()
            self._store.remove(ids, self.generation)
            self._report.removed = len(ids)
            check_not_empty(self._directory, held - len(ids), self._report)
        gone = {source for name, source in held_files if name in ids}
        stay = {source for name, source in held_files if name not in ids}
        forget_unread(self._directory, gone - stay)

    async def finish(
        self,
        recipe: Recipe,
        open_embedder: Callable[[], Embedder] | None,
        finally_: Callable[[], None] = lambda: None,
    ) -> BuildReport:
        """Embed, derive, and put the new manifest in place, unless nothing changed.

        Args:
            open_embedder: Gives the embedding model; None where each text has its vector already.
            finally_: As for `build.build`.
        """
        report, manifest = self._report, self._current
        stands = manifest is not None and not report.changed and not recipe.options.clean
        if not stands or not await in_thread(self._is_up_to_date, recipe, manifest):
            options = recipe.options
            vectors = StoredVectors(
                self._store,
                options.embedding,
                options.dimension,
                open_embedder,
                recipe.instructions.passage,
            )
            if any(kind.needs_vectors for kind in recipe.kinds):
                report.embedded = await vectors.embed_passages(
                    lambda done, total: self._progress("embed", done, total),
                    self.generation if self._is_small_change else 0,
                )
            try:
                manifest = await self._commit(recipe, vectors)
            except OSError as error:
                raise HopyardError(
                    f"The index {str(self._directory)!r} cannot be written ({error}): fix the "
                    f"problem, then run the same command again to continue."
                ) from error
        await in_thread(finally_)
        report.passages = manifest.counts["passages"] if manifest else 0
        report.seconds = time.perf_counter() - self._began
        return report

    def keeps_removed(self) -> bool:
        """Whether the files of a kind have something of removed passages. This blocks."""
        last, kinds = self._last, self.held.kinds
        known = [KINDS[name] for name in kinds if name in KINDS]
        return last is not None and (
            keeps_removed(last) or any(kind.keeps_removed(last / kind.name) for kind in known)
        )

    def vacuum(self) -> None:
        """Delete from the files what only readers of older generations need. This blocks."""
        current = self.held.generation
        self._store.purge(current)
        purge_passage_vectors(self._store)
        self._store.vacuum()
        keep_only_used(self._directory, current)
        self.drop_generations(ages=(0,))
        self.is_clean = True

    def drop_generations(self, ages: Sequence[int] = (0, 1)) -> None:
        """Delete the folders of the generations that nobody needs.

        Args:
            ages: Builds since those that stay: that of the manifest, and the one before it, whose
                readers may still run.
        """
        current = self._current.generation if self._current else 0
        kept = {generation_directory(self._directory, current - age) for age in ages}
        for folder in self._directory.glob("gen-*"):
            if folder not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def _is_small_change(self) -> bool:
        """Whether only what has changed is read, of an index too large to be read each time."""
        return self._update and self._current is not None and _is_large(self._current)

    def _checksum(self, folder: Path, name: str) -> str:
        """The checksum of a file; a file that the last generation has too keeps its checksum."""
        last, file = self._last and self._last / name, folder / name
        known = self._current.checksums.get(name) if self._current else None
        return known if known and last and _is_same(last, file) else checksum(file)

    def _is_up_to_date(self, recipe: Recipe, manifest: Manifest) -> bool:
        last = self._last
        return (
            last is not None
            and recipe.is_that_of(manifest)
            and all(kind.is_current(last / kind.name, recipe.options) for kind in recipe.kinds)
        )

    async def _commit(self, recipe: Recipe, vectors: StoredVectors) -> Manifest:
        folder = generation_directory(self._directory, self.generation)
        folder.mkdir()
        async with enter_in_thread(lambda: Snapshot(self._directory, self.generation)) as corpus:
            known = self._current.checksums.get(CORPUS_FILE, "") if self._current else ""
            former = known if self._is_small_change else ""
            counts, rows = await in_thread(lambda: (corpus.counts(), rows_checksum(corpus, former)))
            last = self._last
            language = recipe.language
            if language == AUTO:
                language = await in_thread(corpus_language, corpus)
            if not self._is_small_change:
                self._report.warnings += await in_thread(build_warnings, corpus, recipe)
            calls = BuildCalls(recipe.options.open_caller)
            options = replace(recipe.options, language=language, open_caller=calls.opener)
            grows = self._update and self.held.counts["passages"] > _GROWS
            small = grows and options.keep and not options.clean
            await in_thread(write_fields, corpus, folder, last if small else None)
            for kind in recipe.kinds:
                (folder / kind.name).mkdir()
                previous = last / kind.name if last and (last / kind.name).is_dir() else None
                context = BuildContext(
                    corpus=corpus,
                    index_directory=self._directory,
                    directory=folder / kind.name,
                    previous=previous,
                    built={name: folder / name for name in kind.needs},
                    options=options,
                    run=calls.run_of(kind.name),
                    progress=self._progress,
                    _vectors=vectors,
                    extends=previous if small else None,
                )
                counts |= await kind.build(context)
        self._report.usage = await in_thread(calls.usage)
        made = replace(recipe, options=options, language=language)
        return await in_thread(self._make_current, made, folder, counts, rows, vectors)

    def _make_current(
        self,
        recipe: Recipe,
        folder: Path,
        counts: dict[str, int],
        rows: str,
        vectors: StoredVectors,
    ) -> Manifest:
        now = datetime.now(UTC)
        files = sync_tree(folder)
        checksums = {name: self._checksum(folder, name) for name in files}
        manifest = Manifest(
            generation=self.generation,
            **recipe.for_manifest(),
            counts=counts,
            files=files,
            checksums={CORPUS_FILE: rows, **checksums},
            created=self._current.created if self._current else now,
            updated=now,
        )
        write_manifest(self._directory, manifest)
        self._current = manifest
        dropped = self._store.purge(self.generation - 1)
        vectors.purge(dropped if self._is_small_change else None)
        self.drop_generations()
        return manifest


def _is_large(manifest: Manifest) -> bool:
    """Whether reading all of an index takes much longer than a small change of it."""
    return manifest.counts["passages"] > _LARGE


def _whole_folder(directory: Path, manifest: Manifest, update: bool) -> Path | None:
    """The folder of the last generation; None if a file is damaged, so that nothing is reused."""
    try:
        check_files(directory, manifest, checksums=not update or not _is_large(manifest))
    except IndexMissingError:
        return None
    return generation_directory(directory, manifest.generation)


def _is_same(last: Path, file: Path) -> bool:
    """Whether a file of the last generation is linked or copied, and so is damage in it."""
    return last.exists() and (last.samefile(file) or cmp(last, file, shallow=False))
