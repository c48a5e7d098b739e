"""Copying an index to another folder or into a database; nothing is embedded again."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.building.build import prepare_folder
from hopyard.indexes.building.documents import BuildReport
from hopyard.indexes.building.recipe import Recipe
from hopyard.indexes.building.run import open_run
from hopyard.indexes.corpus.chunked import scan
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.corpus.manifest import MANIFEST_FILE, read_manifest
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.dense import KIND as DENSE
from hopyard.state.errors import HopyardError, UsageError, as_known
from hopyard.state.settings.fields import Context


async def copy_index(
    source: Path, directory: Path, *, vectors: str = "", progress: Progress = silent
) -> BuildReport:
    """Copy an index to a place that has none. A copy that was interrupted begins again.

    Args:
        source: The directory of the index; its builds wait.
        directory: The other directory, as `build_folder` gives it.
        vectors: The vector store of the copy; "" for that of the index.
        progress: Called with the bytes that are copied, and as a build.

    Raises:
        UsageError: There is an index already, or a directory with something else.
        IndexMissingError: There is no index to copy, or it is damaged.
        HopyardError: See `build.build`.
    """
    if vectors:
        DENSE.storing(vectors)  # raises if there is no such store
    await in_thread(_copy_files, source, directory, progress)
    async with open_run(directory, progress, update=True) as run:
        recipe = Recipe.of_manifest(run.held, Context(), None)
        store = vectors or await in_thread(DENSE.store_for, directory, run.held.generation)
        kinds = [DENSE.storing(store) if kind is DENSE else kind for kind in recipe.kinds]
        for kind in kinds:
            await in_thread(kind.prepare, directory, recipe.options)
        return await run.finish(replace(recipe, kinds=tuple(kinds)), None)


def _copy_files(source: Path, directory: Path, progress: Progress) -> None:
    prepare_folder(directory)
    read_manifest(source)  # before a lock is made in a directory without an index
    with hold_lock(directory), hold_lock(source):
        held, own = directory / MANIFEST_FILE, (source / MANIFEST_FILE).read_bytes()
        if held.exists() and held.read_bytes() != own:  # else a copy was interrupted
            raise UsageError(
                f"There is an index {as_known(str(directory))!r} already: name another place."
            )
        files = scan(source)
        for left in directory.glob("*.sqlite*"):
            left.unlink()
        done, total = 0, sum(file.size for file in files.values())
        try:
            for path in sorted(files, key=lambda path: path == MANIFEST_FILE):  # it counts last
                progress("copy", done, total)
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / path, directory / path)
                done += files[path].size
        except OSError as error:
            raise HopyardError(
                f"The index {as_known(str(directory))!r} cannot be written ({error}): fix the "
                "problem, then run the same command again."
            ) from error
        progress("copy", done, total)
