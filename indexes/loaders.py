"""From paths to documents: corpus files, single files, and folders of them.

A bad line or file never stops the others: it becomes a `BadItem`, and the caller decides what
that is worth.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.indexes.formats import FORMATS
from hopyard.indexes.records import BadItem, Document, without_nul
from hopyard.state.errors import CorpusError, UsageError

__all__ = ("LoadReport", "SkippedFile", "load")

CORPUS_SUFFIX: Final = ".jsonl"
SUFFIXES: Final = (CORPUS_SUFFIX, *FORMATS)

_ID_DIGITS: Final = 16
"""Hex digits of a derived id: 64 bits keep two of a billion documents apart."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """An entry of a folder that is no part of the corpus."""

    path: str
    reason: str


@dataclass(slots=True)
class LoadReport:
    """What `load` found."""

    documents: list[Document] = field(default_factory=list)
    bad: list[BadItem] = field(default_factory=list)
    """Items that should have been documents; the others were kept."""
    skipped: list[SkippedFile] = field(default_factory=list)
    duplicates: int = 0
    """Documents met again with the same id, title and text, and counted once."""


class _Line(BaseModel):
    """One line of a corpus file. Other keys are ignored."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    id: str | int | None = None
    title: str = ""
    text: str
    metadata: dict[str, str | int | float | bool | None] = {}


class _Found(NamedTuple):
    document: Document
    place: str
    line: int | None = None

    def bad(self, reason: str) -> BadItem:
        return BadItem(self.place, reason, self.line)


def load(paths: Iterable[str | Path], loaders: Iterable[str] = ()) -> LoadReport:
    """Load every document under the paths, and what loaders of LangChain give.

    A corpus line has `text`, and may have `id` (else derived from title and text), `title` and
    flat `metadata`. A file is one document; its id is derived from its path, counted from the
    given folder's own name, so that a changed file is an update of the same document.

    Two documents with the same id are one where title and text agree; else the first is kept and
    the second is a bad item that names both places.

    Args:
        paths: `.jsonl` corpus files; `.txt`, `.md`, `.html` and `.pdf` files; folders, which are
            read recursively, in sorted order, without hidden entries and symbolic links.
        loaders: `MODULE.CLASS:ARGUMENT` each; see `langchain_loaders.load_with`.

    Raises:
        UsageError: A path does not exist, or a loader cannot be used.
        CorpusError: A loader failed.
    """
    report = LoadReport()
    kept: dict[str, _Found] = {}
    for found in chain(_scan(paths), _load_with(loaders)):
        if isinstance(found, SkippedFile):
            report.skipped.append(found)
        elif isinstance(found, BadItem):
            report.bad.append(found)
        elif (document := found.document).id not in kept:
            kept[document.id] = found
            report.documents.append(document)
        else:
            earlier = kept[document.id]
            if (earlier.document.title, earlier.document.text) == (document.title, document.text):
                report.duplicates += 1
            else:
                place = earlier.bad("").place
                report.bad.append(
                    found.bad(f"id {document.id!r} is taken by another text, {place}")
                )
    return report


def _scan(paths: Iterable[str | Path]) -> Iterator[_Found | BadItem | SkippedFile]:
    for path in map(Path, paths):
        # Not resolve(): a link such as `current` keeps its name, and with it the documents' ids.
        root = Path(os.path.abspath(path))  # noqa: PTH100
        if path.is_dir():
            for file in _walk(path):
                if isinstance(file, Path):
                    yield from _read(file, Path(root.name, file.relative_to(path)))
                else:
                    yield file
        elif path.exists():
            if path.suffix.lower() not in SUFFIXES:
                yield BadItem(_shown(path), _unknown(path))
            else:
                yield from _read(path, Path(root.parent.name, path.name))
        else:
            raise UsageError(f"There is no file or folder {_shown(path)!r}: check the path.")


def _load_with(loaders: Iterable[str]) -> Iterator[_Found | BadItem]:
    for spec in loaders:
        from hopyard.indexes.langchain_loaders import load_with

        for found in load_with(spec):
            yield found if isinstance(found, BadItem) else _Found(found, found.source)


def _walk(folder: Path) -> Iterator[Path | BadItem | SkippedFile]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield BadItem(_shown(folder), f"the folder cannot be listed ({error.strerror})")
        return
    for entry in entries:
        if entry.name.startswith("."):
            yield SkippedFile(_shown(entry), "hidden")
        elif entry.is_symlink():
            # It leads out of the folder, or to something that is read where it lies.
            yield SkippedFile(_shown(entry), "a symbolic link")
        elif entry.is_dir():
            yield from _walk(entry)
        elif not entry.is_file():
            yield SkippedFile(_shown(entry), "not a plain file")
        elif entry.suffix.lower() not in SUFFIXES:
            yield SkippedFile(_shown(entry), _unknown(entry))
        else:
            yield entry


def _shown(path: Path) -> str:
    # A file name need not be valid Unicode, but what is printed and stored must be.
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def _unknown(path: Path) -> str:
    return f"unknown suffix {Path(_shown(path)).suffix!r} (known: {', '.join(SUFFIXES)})"


def _read(path: Path, key: Path) -> Iterator[_Found | BadItem]:
    source = _shown(key)
    try:
        if path.suffix.lower() == CORPUS_SUFFIX:
            yield from _read_corpus(path, source)
        else:
            yield _read_file(path, source)
    except OSError as error:
        yield BadItem(_shown(path), f"the file cannot be read ({error.strerror})")


def _read_file(path: Path, source: str) -> _Found | BadItem:
    try:
        title, text = FORMATS[path.suffix.lower()](path.read_bytes())
    except CorpusError as error:
        return BadItem(_shown(path), str(error))
    title, text = without_nul(title).strip() or Path(source).stem, without_nul(text)
    if not text.strip():
        return BadItem(_shown(path), "the text is empty")
    return _Found(Document(_derived_id(source), title, text, {}, source), _shown(path))


def _read_corpus(path: Path, source: str) -> Iterator[_Found | BadItem]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not content.strip():
                continue
            try:
                yield _Found(_parse_line(content, source), _shown(path), number)
            except CorpusError as error:
                yield BadItem(_shown(path), str(error), number)


def _parse_line(line: bytes, source: str) -> Document:
    try:
        item = _Line.model_validate_json(line.decode())
    except UnicodeDecodeError as error:
        raise CorpusError(f"not valid UTF-8 ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise CorpusError(f"{where}: {first['msg']}") from error
    title, text = without_nul(item.title), without_nul(item.text)
    if not text.strip():
        raise CorpusError("the text is empty")
    given = None if item.id is None else without_nul(str(item.id))
    if given is not None and not given.strip():
        raise CorpusError("the id is empty")
    metadata = {
        without_nul(name): without_nul(value) if isinstance(value, str) else value
        for name, value in item.metadata.items()
        if value is not None
    }
    return Document(given or _derived_id(f"{title}\n{text}"), title, text, metadata, source)


def _derived_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
