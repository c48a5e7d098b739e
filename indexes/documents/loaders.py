"""From paths to documents: corpus files, files of many formats, and folders of them.

A bad line or file never stops the others: it becomes a `BadItem`, and the caller decides what
that is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final

from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.corpus.long_text import text_digest
from hopyard.indexes.corpus.records import BadItem, Document
from hopyard.indexes.documents.files import Incomplete, Loaded, SkippedFile, read_file
from hopyard.indexes.documents.folders import FolderNames, absolute
from hopyard.indexes.documents.kept.table import kept_of_loaded
from hopyard.indexes.documents.readers.base import Options
from hopyard.indexes.documents.readers.ocr import ENGLISH, ocr_advice
from hopyard.indexes.documents.readers.table import (
    SPREADSHEETS,
    format_of,
    largest_from_environment,
)
from hopyard.indexes.documents.sync import stamps_of
from hopyard.indexes.documents.walk import files_at, formats_of, is_known
from hopyard.indexes.kind import DEFAULT_KINDS
from hopyard.state.errors import UsageError
from hopyard.state.extras import missing_modules

_SAMPLES: Final = 100
"""Documents whose beginnings show the languages of a folder."""
_SAMPLE: Final = 1000
"""Characters of each."""


@dataclass(slots=True)
class LoadReport:
    """The findings of `load`."""

    documents: list[Document] = field(default_factory=list)
    bad: list[BadItem] = field(default_factory=list)
    """Items that should have been documents; the others were kept."""
    skipped: list[SkippedFile] = field(default_factory=list)
    """Parts that were left out: files of other kinds, hidden files, scanned pages."""
    incomplete: list[Incomplete] = field(default_factory=list)
    """Documents that lack words of their files, or have others."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many parts of each kind readers left out on purpose, such as menus."""
    duplicates: int = 0
    """Documents met again with the same id, title and text, and counted once."""

    @property
    def unread(self) -> list[tuple[str, str]]:
        """The places whose text the index lacks, each with the reason."""
        return [
            *((item.path, item.reason) for item in self.skipped if item.lacking),
            *((item.source, item.reason) for item in self.bad),
            *((item.place, str(item.kept)) for item in self.incomplete),
        ]


def load(
    paths: Iterable[str | Path],
    loaders: Iterable[str] = (),
    *,
    encoding: str = "",
    ocr: str = "",
    unread: Set[Path] = frozenset(),
) -> LoadReport:
    """Load every document under the paths, and what loaders of LangChain give.

    A corpus line has `text`, and may have `id` (else derived from title and text), `title` and
    flat `metadata`. A file is one document; its id is derived from its path, counted from the
    given folder's own name, so that a changed file is an update of the same document. Of several
    folders of one name, each has the folders above it in its name. A file in an archive, or
    attached to a mail, is a document too; its path goes through the archive's.

    Two documents with the same id are one where title and text agree; else the first is kept and
    the second is a bad item that names both places.

    Args:
        paths: `.jsonl` corpus files; files of the formats in `readers.table`; folders, which are
            read recursively, in sorted order, without hidden entries and symbolic links.
        loaders: `MODULE.CLASS:ARGUMENT` each; see `langchain_loaders.load_with`.
        encoding: The encoding of text files without a byte-order mark; "" recognises it.
        ocr: The languages of scanned pages, as tesseract names them; "" leaves them out.
        unread: Files that are passed over, as absolute paths.

    Raises:
        UsageError: A path does not exist, or a loader, the encoding or OCR cannot be used.
        CorpusError: A loader failed.
    """
    report = LoadReport()
    found = read(paths, loaders, report, encoding=encoding, ocr=ocr, unread=unread)
    report.documents.extend(found)
    return report


def read(
    paths: Iterable[str | Path],
    loaders: Iterable[str],
    report: LoadReport,
    *,
    encoding: str = "",
    ocr: str = "",
    unread: Set[Path] = frozenset(),
    folders: FolderNames | None = None,
    opening: Callable[[Path], None] = lambda _: None,
    progress: Progress = silent,
    more: Iterable[Document | BadItem] = (),
) -> Iterator[Document]:
    """Read documents as they are asked for, one file in memory at a time.

    Args:
        paths: As for `load`, as are `loaders`, `encoding`, `ocr` and `unread`.
        report: Takes all but the documents.
        folders: The names of the folders in the index; their own by default.
        opening: Called with each file before it is read.
        progress: Called with the stages `files`, `bytes` and, in large files, `pages`.
        more: Further documents, which a program has read itself.

    Raises:
        HopyardError: See `load`.
    """
    options = _options(encoding, ocr)
    kept: dict[str, tuple[bytes, str]] = {}
    samples: list[str] = []
    paths = list(paths)
    folders = folders or FolderNames(paths)
    files = _scan(paths, folders, options, unread, opening, progress)
    for found in chain(files, _load_with(loaders), _loaded(more)):
        if isinstance(found, SkippedFile):
            report.skipped.append(found)
            continue
        if isinstance(found, BadItem):
            report.bad.append(found)
            continue
        if isinstance(found, Incomplete):
            report.incomplete.append(found)
            continue
        if found.kept:
            report.left_out.update(found.kept.left_out_counts)
            if not found.kept.is_whole:
                report.incomplete.append(Incomplete(found.bad("").place, found.kept))
        document = found.document
        text = sha256(f"{document.title}\0{text_digest(document.text)}".encode()).digest()
        if document.id not in kept:
            kept[document.id] = text, found.bad("").place
            if len(samples) < _SAMPLES and isinstance(document.text, str):
                samples.append(document.text[:_SAMPLE])
            yield document
        elif kept[document.id][0] == text:
            report.duplicates += 1
        else:
            place = kept[document.id][1]
            report.bad.append(found.bad(f"id {document.id!r} is taken by another text, {place}"))
    if any(ENGLISH in item.reason for item in report.skipped):
        advice = ocr_advice(samples)
        report.skipped[:] = [
            replace(item, reason=item.reason.replace(ENGLISH, advice)) for item in report.skipped
        ]


def missing_extras(paths: Iterable[str | Path]) -> dict[str, list[Path]]:
    """The extras that reading some files and folders needs and that are not installed.

    Returns:
        The files that need it, by the name of each extra. Files in archives are not looked at.

    Raises:
        UsageError: A path does not exist.
    """
    needing: dict[str, list[Path]] = {}
    for file, kind in formats_of(paths):
        if kind.extra:
            needing.setdefault(kind.extra, []).append(file)
    return {extra: files for extra, files in needing.items() if missing_modules(extra)}


def default_kinds(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """The index kinds for some files and folders, if the user names none.

    Spreadsheets and files of separated values are for questions about whole tables, too, if the
    package that answers them is installed.

    Raises:
        UsageError: A path does not exist.
    """
    tables = not missing_modules("tables") and any(
        kind in SPREADSHEETS for _, kind in formats_of(paths)
    )
    return (*DEFAULT_KINDS, "tables") if tables else DEFAULT_KINDS


def _options(encoding: str, ocr: str) -> Options:
    if encoding:
        import codecs

        try:
            codecs.lookup(encoding)
        except LookupError as error:
            raise UsageError(
                f"The encoding {encoding!r} is not known; name one that Python knows, as in "
                "utf-16, cp1252 or euc-kr."
            ) from error
    if ocr:
        from hopyard.indexes.documents.readers.ocr import check_ocr

        check_ocr(ocr)
    return Options(encoding, ocr, largest_from_environment())


def _scan(
    paths: Sequence[str | Path],
    folders: FolderNames,
    options: Options,
    unread: Set[Path],
    opening: Callable[[Path], None],
    progress: Progress,
) -> Iterator[Loaded | BadItem | SkippedFile]:
    told = _Told(paths, unread, progress)
    for path in map(Path, paths):
        for file in files_at(path):
            if not isinstance(file, Path):
                yield file
            elif (place := absolute(file)) not in unread:
                opening(file)
                yield from read_file(file, folders.key(place), options, told.reading)
                told.read(file)


class _Told:
    """Tells the progress callback how many files and bytes are read."""

    def __init__(self, paths: Sequence[str | Path], unread: Set[Path], progress: Progress) -> None:
        sizes = [
            size
            for path, (_, _, size) in stamps_of(map(absolute, paths)).items()
            if path not in unread and is_known(path)
        ]
        self._progress = progress
        self._files, self._bytes = len(sizes), sum(sizes)
        self._files_read = self._bytes_read = self._furthest = 0
        self._pages_before = self._page = self._pages = 0
        progress("files", 0, self._files)
        progress("bytes", 0, self._bytes)

    def reading(self, stage: str, done: int, total: int) -> None:
        """A file is being read, maybe more than once."""
        if stage == "pages":
            self._read_page(done, total)
        elif stage != "bytes":
            self._progress(stage, done, total)
        elif done > self._furthest:
            self._furthest = done
            self._progress("bytes", self._bytes_read + done, self._bytes)

    def _read_page(self, done: int, total: int) -> None:
        """Pages count over all files: the total grows with each file."""
        if done <= self._page:  # of the next document
            self._pages_before += self._pages
        self._page, self._pages = done, total
        self._progress("pages", self._pages_before + done, self._pages_before + total)

    def read(self, file: Path) -> None:
        """A file is read."""
        self._files_read += 1
        self._bytes_read += file.stat().st_size if file.exists() else 0
        self._furthest = 0
        self._progress("files", self._files_read, self._files)
        self._progress("bytes", self._bytes_read, self._bytes)


def _load_with(loaders: Iterable[str]) -> Iterator[Loaded | BadItem | Incomplete]:
    for spec in loaders:
        from hopyard.indexes.documents.langchain_loaders import load_with

        yield from _loaded(load_with(spec))


def _loaded(documents: Iterable[Document | BadItem]) -> Iterator[Loaded | BadItem | Incomplete]:
    """Documents that a loader or a program read; those of a file are compared with it last."""
    of_files: dict[str, list[Document]] = {}
    for found in documents:
        if isinstance(found, BadItem):
            yield found
            continue
        if _is_file(found.source):
            of_files.setdefault(found.source, []).append(found)
        yield Loaded(found, found.source)
    for source, parts in of_files.items():
        kept = kept_of_loaded(Path(source), parts)
        if kept and not kept.is_whole:
            yield Incomplete(source, kept)


def _is_file(source: str) -> bool:
    try:
        return bool(format_of(source)) and Path(source).is_file()
    except (OSError, ValueError):  # no name of a file
        return False
