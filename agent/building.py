"""Building an index from Python: from paths, documents, or LangChain's loaders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from typing_extensions import Unpack

from hopyard.agent.background import wait, wait_async
from hopyard.agent.keywords import Settings, named_settings
from hopyard.agent.sources import Documents, Sources
from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.building import build as building
from hopyard.indexes.building.documents import BuildReport
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import BadItem
from hopyard.indexes.corpus.shared import build_folder
from hopyard.indexes.documents.files import Incomplete, SkippedFile
from hopyard.indexes.documents.loaders import default_kinds
from hopyard.indexes.kind import embedding_for
from hopyard.indexes.status import status
from hopyard.indexes.unread import write_unread
from hopyard.models.names import NO_EMBEDDING, embedding_name
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import is_address


@dataclass(frozen=True)
class IndexReport:
    """The report of a build.

    Attributes:
        index: The index directory. A shared index has a directory for builds on this machine.
        added: Documents that are new.
        updated: Documents that changed.
        removed: Documents taken out.
        unchanged: Documents that the index held as they are.
        passages: Passages in the index now.
        embedded: Passage texts that were embedded; all others had their vector.
        bad: Documents that could not be read and were left out, and why.
        skipped: Files that are not documents, and why.
        incomplete: Documents that lack words of their files, and what was not read.
        warnings: Things that you should know of the index, a sentence each.
        seconds: How long it took.
    """

    index: Path
    added: int
    updated: int
    removed: int
    unchanged: int
    passages: int
    embedded: int
    bad: tuple[BadItem, ...]
    skipped: tuple[SkippedFile, ...]
    incomplete: tuple[Incomplete, ...]
    warnings: tuple[str, ...]
    seconds: float

    @classmethod
    def of(cls, index: Path, report: BuildReport, read: Sources) -> Self:
        """The report of a build whose documents these sources gave."""
        same = ("added", "updated", "removed", "unchanged", "passages", "embedded", "seconds")
        return cls(
            index=index,
            **{name: getattr(report, name) for name in same},
            bad=(*read.report.bad, *report.bad),
            skipped=tuple(read.report.skipped),
            incomplete=tuple(read.report.incomplete),
            warnings=tuple(report.warnings),
        )


class BuildSettings(Settings, total=False):
    """The keywords of a build: how documents are read, and settings."""

    encoding: str
    """The encoding of text files without a byte-order mark; "" detects it."""
    ocr: str
    """The languages of scanned pages, as in `deu+eng`; "" leaves such pages out."""
    progress: Progress
    """Called as the build proceeds, with a stage, how much is done, and of how much."""


def build_index(
    index: str | Path,
    documents: Documents,
    *,
    kinds: Sequence[str] | None = None,
    chunk_tokens: int | None = None,
    **named: Unpack[BuildSettings],
) -> IndexReport:
    """Make an index that holds exactly these documents.

    Documents that did not change since the last build are neither cut nor embedded again. A killed
    build continues where it stopped.

        hopyard.build_index("my-index", "docs/", kinds=["dense", "sparse", "passage-graph"])
        hopyard.build_index("my-index", WebBaseLoader("https://example.org"))

    Args:
        index: The index directory or address; it is made if need be.
        documents: A file, a folder, a LangChain document or loader, or several of these.
        kinds: The index kinds to build. None takes `dense` and `sparse`, and `tables` if a file
            is a spreadsheet.
        chunk_tokens: The most tokens of a passage; 0 keeps documents whole. The default is 300, or
            what the embedding model's window allows.
        **named: See `BuildSettings`, as in `embedding="ollama:nomic-embed-text"`.

    Returns:
        The report of the build. Its `bad` names the documents that were left out.

    Raises:
        UsageError: A path, a kind or a setting is not usable.
        CorpusError: No document could be read, or a loader failed.
        IndexBusyError: Another build works on the index.
        ModelUnreachableError: A model does not answer; what it gave until then is kept.
    """
    return wait(_Build(index, documents, named).build(kinds, chunk_tokens))


async def abuild_index(
    index: str | Path,
    documents: Documents,
    *,
    kinds: Sequence[str] | None = None,
    chunk_tokens: int | None = None,
    **named: Unpack[BuildSettings],
) -> IndexReport:
    """Make an index that holds exactly these documents. See `build_index`."""
    return await wait_async(_Build(index, documents, named).build(kinds, chunk_tokens))


def add_documents(
    index: str | Path, documents: Documents, **named: Unpack[BuildSettings]
) -> IndexReport:
    """Add documents to an index, or update those whose id it holds. The others stay.

    Passages are cut, embedded and derived from as in the last build. It takes what `build_index`
    takes.

    Raises:
        IndexMissingError: There is no such index.
        EmbeddingMismatchError: Another embedding model made the index.
        HopyardError: As for `build_index`.
    """
    return wait(_Build(index, documents, named).add())


async def aadd_documents(
    index: str | Path, documents: Documents, **named: Unpack[BuildSettings]
) -> IndexReport:
    """Add documents to an index, or update those whose id it holds. See `add_documents`."""
    return await wait_async(_Build(index, documents, named).add())


class _Build:
    """One build, with the keywords of `BuildSettings`."""

    def __init__(self, index: str | Path, documents: Documents, named: Mapping[str, Any]) -> None:
        given = dict(named)
        encoding, ocr = given.pop("encoding", ""), given.pop("ocr", "")
        self._progress: Progress = given.pop("progress", silent)
        self._index = index
        self._sources = Sources(documents, encoding, ocr, self._progress)
        self._named = given

    def _open(self) -> None:
        name = self._index
        expanded = name if is_address(name) else Path(name).expanduser()
        self._directory = self._sources.directory = build_folder(expanded)

    async def build(self, kinds: Sequence[str] | None, chunk_tokens: int | None) -> IndexReport:
        await asyncio.to_thread(self._open)
        self._sources.only = True
        if kinds is None:
            kinds = await asyncio.to_thread(default_kinds, self._sources.paths)
        wanted = [kinds] if isinstance(kinds, str) else list(kinds)
        put = partial(building.build, kinds=wanted, chunk_tokens=chunk_tokens)
        return await self._put(put, partial(embedding_for, wanted))

    async def add(self) -> IndexReport:
        """Add with the models of the last build, unless others are given."""
        await asyncio.to_thread(self._open)
        held = embedding_name((await asyncio.to_thread(read_manifest, self._directory)).embedding)
        model = (await asyncio.to_thread(status, self._directory)).model
        last = [("embedding", held), *([("model", model)] if model else [])]
        return await self._put(
            building.add, lambda wanted: held if held == NO_EMBEDDING else wanted, last
        )

    async def _put(
        self,
        put: Callable[..., Coroutine[Any, Any, BuildReport]],
        embedding: Callable[[str], str],
        last: Sequence[tuple[str, Any]] = (),
    ) -> IndexReport:
        read = self._sources
        with closing(Resources()) as resources:
            pairs = [*last, *named_settings(resources, self._named)]
            context = read_given(pairs).context
            report = await put(
                read,
                directory=self._directory,
                embedder=await asyncio.to_thread(resources.embedder, embedding(context.embedding)),
                settings=context,
                caller=lambda: resources.caller(context.model),
                progress=self._progress,
                finally_=lambda: write_unread(
                    self._directory, read.report, read.paths, read.folders, only=read.only
                ),
            )
        await asyncio.to_thread(read.folders.write)
        report.warnings += read.folders.warnings
        return IndexReport.of(self._directory, report, read)
