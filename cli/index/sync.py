"""`hopyard index sync`: an index follows files and folders."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hopyard.cli.console import ProgressBar, err, progress_bar, tell
from hopyard.cli.index.report import CONTINUE, finish, show_estimates
from hopyard.cli.interrupts import ending_with
from hopyard.indexes.building import build as building
from hopyard.indexes.building.documents import BuildReport
from hopyard.indexes.building.estimate import changes_of
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.shared import build_folder
from hopyard.indexes.documents.files import shown
from hopyard.indexes.documents.folders import FolderNames
from hopyard.indexes.documents.loaders import LoadReport, read
from hopyard.indexes.documents.stamps import FileStamps
from hopyard.indexes.documents.sync import Scope, Stamps, stamps_of
from hopyard.indexes.status import status
from hopyard.indexes.unread import write_unread
from hopyard.models.embedder import Embedder
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import Context

_STOPPED: Final = (
    "Stopped watching. The index is as of the last sync, and the same command continues."
)


@dataclass
class Following:
    """An index, and the files and folders that it follows."""

    directory: Path
    paths: list[Path]
    context: Context
    encoding: str
    ocr: str
    skip_bad: bool
    as_json: bool

    def once(self) -> None:
        """Bring the index up to date. Only files that changed since the last sync are read."""
        with ending_with(CONTINUE), Resources() as resources:
            embedder = resources.embedder(self.context.embedding)
            report, loaded = asyncio.run(self._sync(resources, embedder))
        self._show(report, loaded, skip_bad=self.skip_bad)

    def estimate(self) -> None:
        """Print what a sync would change, and what its model calls would cost."""
        with ending_with(CONTINUE), Resources() as resources, progress_bar() as progress:
            embedder = resources.embedder(self.context.embedding)
            loaded, scope, read_now = self._read(self._stamps(), self._folders(), progress)
            documents = list(read_now)
            asked: dict[str, Any] = {"directory": self.directory, "embedder": embedder}
            changes = asyncio.run(changes_of(documents, scope, **asked))
            found = asyncio.run(
                building.estimate_update(
                    documents,
                    **asked,
                    caller=lambda: resources.caller(self.context.model),
                    settings=self.context,
                    scope=scope,
                )
            )
        show_estimates(
            *found, loaded=loaded, directory=self.directory, as_json=self.as_json, changes=changes
        )

    def keep_on(self, seconds: float) -> None:
        """Bring the index up to date whenever a file changes, until Ctrl-C.

        Args:
            seconds: Time between two looks at the files. A change counts once it has rested for
                that long, so that no file is read half written.
        """
        with ending_with(_STOPPED, exit_code=0), Resources() as resources:
            embedder = resources.embedder(self.context.embedding)
            asyncio.run(self._watch(resources, embedder, seconds))

    async def _watch(self, resources: Resources, embedder: Embedder, seconds: float) -> None:
        paths = Scope.of(self.paths).paths
        tried: Stamps | None = None
        while True:
            found = await asyncio.to_thread(stamps_of, paths)
            if found != tried:
                await asyncio.sleep(seconds if tried is not None else 0)
                if await asyncio.to_thread(stamps_of, paths) != found:
                    continue
                first, tried = tried is None, found
                try:
                    report, loaded = await self._sync(resources, embedder)
                    if first or report.changed or loaded.bad or report.bad:
                        self._show(report, loaded, skip_bad=True)
                except HopyardError as error:  # a folder may come back, a model may answer again
                    err.print(f"[yellow]not synced:[/] {error}", soft_wrap=True)
                if first:
                    tell(f"Watching, every {seconds:g} seconds; Ctrl-C stops it.")
            await asyncio.sleep(seconds)

    async def _sync(
        self, resources: Resources, embedder: Embedder
    ) -> tuple[BuildReport, LoadReport]:
        await asyncio.to_thread(build_folder, self.directory)
        stamps = await asyncio.to_thread(self._stamps)
        folders = await asyncio.to_thread(self._folders)
        with progress_bar() as progress:
            loaded, scope, documents = self._read(stamps, folders, progress)
            report = await building.add(
                documents,
                directory=self.directory,
                embedder=embedder,
                scope=scope,
                settings=self.context,
                caller=lambda: resources.caller(self.context.model),
                progress=progress,
                finally_=lambda: write_unread(
                    self.directory, loaded, self.paths, folders, unchanged=stamps.unchanged
                ),
            )
        await asyncio.to_thread(stamps.write, [*loaded.bad, *report.bad])
        await asyncio.to_thread(folders.write)
        report.warnings += folders.warnings
        report.warnings += [
            f"{shown(folder)!r} is empty, and another disk was mounted there: its documents stay. "
            f"`hopyard index remove DIR {shown(folders.key(folder))}` removes them."
            for folder in stamps.away
        ]
        return report, loaded

    def _stamps(self) -> FileStamps:
        return FileStamps(self.directory, self.paths, self.encoding, self.ocr)

    def _folders(self) -> FolderNames:
        return FolderNames(self.paths, self.directory)

    def _read(
        self, stamps: FileStamps, folders: FolderNames, progress: ProgressBar
    ) -> tuple[LoadReport, Scope, Iterator[Document]]:
        """The documents, which are read as they are asked for; the report fills up meanwhile."""

        def opening(path: Path) -> None:
            progress.show_file(path)
            stamps.note(path)

        loaded, unread = LoadReport(bad=stamps.bad), stamps.unchanged
        scope = replace(
            Scope.of(self.paths, folders), unread=unread, away=stamps.away, bad=loaded.bad
        )
        documents = read(
            self.paths, (), loaded,
            encoding=self.encoding, ocr=self.ocr, unread=unread, folders=folders, opening=opening,
            progress=progress,
        )  # fmt: skip
        return loaded, scope, documents

    def _show(self, report: BuildReport, loaded: LoadReport, *, skip_bad: bool) -> None:
        finish(report, loaded, status(self.directory), skip_bad=skip_bad, as_json=self.as_json)
