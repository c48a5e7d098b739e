"""Documents as a Python program gives them: paths, LangChain's documents, loaders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike, fspath
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LangChainDocument

from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.corpus.records import BadItem, Document
from hopyard.indexes.documents.folders import FolderNames
from hopyard.indexes.documents.langchain_loaders import convert, load_from
from hopyard.indexes.documents.loaders import LoadReport, read
from hopyard.state.errors import CorpusError, UsageError

DocumentSource = str | PathLike[str] | LangChainDocument | BaseLoader | Document
"""A file or folder, a LangChain document or loader, or one of Hopyard's own documents."""
Documents = DocumentSource | Iterable[DocumentSource]
"""One source or several."""

_UNNAMED = "documents"
"""The source of LangChain documents whose metadata does not name theirs."""


class Sources(Iterable[Document]):
    """Documents that are read as a build asks for them; the report fills up meanwhile.

    Args:
        encoding: As for `indexes.documents.loaders.load`.
        ocr: As for `indexes.documents.loaders.load`.
        progress: As for `indexes.documents.loaders.read`.

    Attributes:
        report: The skipped items.
        only: Whether the index will hold nothing else.
        directory: The index directory, which has the names of folders.
        folders: The names of the folders, once reading has begun.
    """

    def __init__(
        self,
        given: Documents,
        encoding: str = "",
        ocr: str = "",
        progress: Progress = silent,
    ) -> None:
        self.report = LoadReport()
        self.only = False
        self.folders = FolderNames(())
        self.directory: Path | None = None
        self._given = _listed(given)
        self._encoding = encoding
        self._ocr = ocr
        self._progress = progress

    @property
    def paths(self) -> list[str]:
        """The files and folders among the program's documents."""
        return [
            os.path.expanduser(fspath(source))  # noqa: PTH111
            for source in self._given
            if isinstance(source, (str, PathLike))
        ]

    def __iter__(self) -> Iterator[Document]:
        """Read the documents.

        Raises:
            UsageError: A path does not exist, or an object is not a source.
            CorpusError: Nothing could be read, or a loader failed.
        """
        paths, documents = self.paths, _others(self._given)
        self.folders = FolderNames(paths, self.directory, only=self.only)
        found = read(
            paths,
            (),
            self.report,
            encoding=self._encoding,
            ocr=self._ocr,
            folders=self.folders,
            progress=self._progress,
            more=documents,
        )
        if (first := next(found, None)) is None:
            raise _nothing_read(self.report)
        yield first
        yield from found


def _listed(given: Documents) -> list[DocumentSource]:
    single = isinstance(given, (str, PathLike, LangChainDocument, BaseLoader, Document))
    single = single or callable(getattr(given, "lazy_load", None))
    return [given] if single else list(given)  # type: ignore[arg-type, list-item]


def _others(sources: Iterable[DocumentSource]) -> Iterator[Document | BadItem]:
    """The documents of everything that is not a path."""
    loaded, own = [], []
    loaders: list[BaseLoader] = []
    for source in sources:
        if isinstance(source, LangChainDocument):
            loaded.append(source)
        elif isinstance(source, Document):
            own.append(source)
        elif isinstance(source, (str, PathLike)):
            continue
        elif callable(getattr(source, "lazy_load", None)):
            loaders.append(source)
        else:
            raise UsageError(
                f"An object of type {type(source).__name__} is not a document; give a path, a "
                "LangChain Document, or a LangChain loader."
            )
    return chain(convert(loaded, _UNNAMED), own, *map(load_from, loaders))


def _nothing_read(report: LoadReport) -> CorpusError:
    left_out = [*report.bad, *report.skipped]
    if not left_out:
        return CorpusError("No documents were given; give files, folders, documents or loaders.")
    others = f", nor {len(left_out) - 1} other items" if len(left_out) > 1 else ""
    return CorpusError(f"No document could be read: not {left_out[0]}{others}.")
