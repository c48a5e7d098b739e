"""One file as documents: its text, its corpus lines, and the files in it."""

from __future__ import annotations

import io
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.corpus.long_text import LongText, is_blank, text_of
from hopyard.indexes.corpus.records import BadItem, Document, place_in
from hopyard.indexes.documents.corpus_files import derived_id, read_lines, storable
from hopyard.indexes.documents.kept.kept import Kept
from hopyard.indexes.documents.kept.table import kept_of
from hopyard.indexes.documents.readers.base import Content, Notes, Options, Part, Source, Unread
from hopyard.indexes.documents.readers.table import CORPUS_SUFFIX, Format, format_of, too_large
from hopyard.state.errors import CorpusError
from hopyard.state.extras import missing_sentence
from hopyard.state.metadata import known_value
from hopyard.state.references import SECTION_MARK
from hopyard.state.text.dates import day_in_head, day_in_name
from hopyard.state.text.unicode import storable_text

_TOLD: Final = 1 << 20
"""Bytes of a file between two reports of progress."""

_LONGEST_REASON: Final = 200
"""Characters of what a library says of a broken file."""

_MADE: Final = (".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".doc", ".xls", ".rtf")
"""Files whose date is often the day on which they were made, whatever their name or text says."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a place in one, that is no part of the corpus."""

    path: str
    reason: str
    lacking: bool = True
    """Whether it may hold text that the index lacks."""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


_NEWER: Final = {
    ".doc": ".docx", ".dot": ".docx", ".pages": ".docx", ".wpd": ".docx", ".wps": ".docx",
    ".ppt": ".pptx", ".pps": ".pptx", ".key": ".pptx", ".numbers": ".xlsx",
    ".mobi": ".epub", ".azw": ".epub", ".azw3": ".epub", ".ps": ".pdf", ".xps": ".pdf",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".heic"), ".pdf for --ocr"),
}  # fmt: skip
"""Formats to save as, in place of formats that are not read."""

Compare = Callable[[str | LongText, str], Kept | None]
"""Compares a text, with its title and metadata, with the words of its file."""


class Incomplete(NamedTuple):
    """A document that lacks words of its file, or has words that are not in it."""

    place: str
    kept: Kept

    def __str__(self) -> str:
        return f"{self.place}: {self.kept}"


class Loaded(NamedTuple):
    """A document, and where it was found."""

    document: Document
    place: str
    line: int | None = None
    kept: Kept | None = None
    """The comparison with its file; None if it was not compared."""

    def bad(self, reason: str) -> BadItem:
        """This document as an item that is left out."""
        return BadItem(self.place, reason, self.line)


class _Named(NamedTuple):
    """The names of a file, or of a part of it."""

    place: str
    """For reports: as the user gave it."""
    key: str
    """For the index: without what changes between machines."""
    date: str = ""
    """The date of the mail or file that a part is in."""

    def part(self, name: str) -> _Named:
        name = unicodedata.normalize("NFC", name)
        return _Named(place_in(self.place, name), place_in(self.key, name), self.date)


class _Watched(io.FileIO):
    """A file that tells how far it is read."""

    def __init__(self, path: Path, progress: Progress) -> None:
        super().__init__(path)
        self._progress = progress
        self._size = os.fstat(self.fileno()).st_size
        self._told = 0

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        if (place := self.tell()) >= self._told + _TOLD:
            self._told = place
            self._progress("bytes", place, self._size)
        return count


def read_file(
    path: Path, key: Path, options: Options, progress: Progress = silent
) -> Iterator[Loaded | BadItem | SkippedFile]:
    """Read a file of a known format.

    Args:
        key: Its name in the index, which its id is derived from.
        progress: Called with the stages `bytes` and, where a file has some, `pages`, while a
            large file is read.
    """
    source = Source(path.name, lambda: io.BufferedReader(_Watched(path, progress)), options)
    named = _Named(shown(path), shown(key))
    try:
        yield from _read(source, named, progress)
    except OSError as error:
        yield BadItem(named.place, f"the file cannot be read ({error.strerror or error})")


def unknown_format(name: str) -> str:
    """Why a file is left out whose format is not known."""
    suffix = PurePosixPath(name).suffix
    if newer := _NEWER.get(suffix.lower()):
        return f"{suffix} files are not read: save it as {newer}"
    return f"unknown suffix {suffix!r}" if suffix else "it has no suffix"


def shown(path: Path) -> str:
    """A path as it is printed and stored: valid Unicode, each letter with its accent as one.

    A file name need be neither.
    """
    return unicodedata.normalize("NFC", os.fsencode(path.as_posix()).decode("utf-8", "replace"))


def _read(
    source: Source, named: _Named, progress: Progress
) -> Iterator[Loaded | BadItem | SkippedFile]:
    if source.name.lower().endswith(CORPUS_SUFFIX):
        for found in read_lines(source, named.place, named.key):
            yield found if isinstance(found, BadItem) else Loaded(found[1], named.place, found[0])
        return
    kind = format_of(source.name)
    if kind is None:
        yield SkippedFile(named.place, unknown_format(source.name))
        return
    try:
        if reason := too_large(source, kind):
            yield BadItem(named.place, reason)
            return
        source = replace(source, notes=Notes())
        compare = partial(kept_of, source, kind.suffixes[0])
        yield from _read_parts(kind.read(source), source, named, progress, compare)
    except CorpusError as error:
        yield BadItem(named.place, str(error), settled=not source.options.ocr)
    except ModuleNotFoundError as error:
        yield BadItem(named.place, _missing(kind, error))
    except OSError:
        raise
    except Exception as error:  # every library meets broken files with exceptions of its own
        reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        reason = f"not a readable {kind.suffixes[0]} file ({reason})"
        yield BadItem(named.place, reason, settled=not isinstance(error, MemoryError))


def _read_parts(
    found: Iterable[Content | Part | Unread],
    source: Source,
    named: _Named,
    progress: Progress,
    compare: Compare,
) -> Iterator[Loaded | BadItem | SkippedFile]:
    blank, unread = False, False
    for part in found:
        if isinstance(part, Content):
            if loaded := _document(part, named, progress, compare):
                yield loaded
                date = known_value(loaded.document.metadata, "date")
                named = named._replace(date=str(date or ""))
            blank = loaded is None
            if wrong := source.notes.wrong_bytes:
                place = named.part(f"{wrong} byte{'s' * (wrong > 1)}").place
                yield SkippedFile(place, "no UTF-8, and read as Windows-1252", lacking=False)
        elif isinstance(part, Unread):
            unread = True
            yield SkippedFile(named.part(part.place).place, part.reason)
        else:
            yield from _read_part(part, named.part(storable_text(part.name)), progress)
    if blank:  # an empty file is no error; one with parts that were not read may have text
        yield (
            BadItem(named.place, "nothing of it could be read", settled=True)
            if unread
            else SkippedFile(named.place, "the text is empty", lacking=False)
        )


def _read_part(
    part: Part, named: _Named, progress: Progress
) -> Iterator[Loaded | BadItem | SkippedFile]:
    allowance = part.source.allowance
    kind = format_of(part.source.name)
    if not allowance.depth_left and kind and kind.holds_files:
        yield SkippedFile(named.place, "archives and mails are nested too deeply")
        return
    allowance.depth_left -= 1
    try:
        yield from _read(part.source, named, progress)
    finally:
        allowance.depth_left += 1


def _missing(kind: Format, error: ModuleNotFoundError) -> str:
    if kind.extra:
        return missing_sentence(f"reading {kind.suffixes[0]} files", kind.extra)
    package = (error.name or "").partition(".")[0]
    return f"reading {kind.suffixes[0]} files needs the package {package!r}: pip install {package}"


def _document(
    content: Content, named: _Named, progress: Progress, compare: Compare
) -> Loaded | None:
    """The document; None if it has no text."""
    text = text_of(map(storable_text, _counted(content, progress)))
    if is_blank(text):
        return None
    title = " ".join(storable_text(content.title).split()) or _stem(named.key)
    metadata = storable(content.metadata)
    head = day_in_head(text) if isinstance(text, str) else None
    day = day_in_name(_stem(named.key)) or head
    if known_value(metadata, "date") is None:
        day = day or named.date
    elif not named.key.casefold().endswith(_MADE):
        day = None
    if day:
        metadata["date"] = day
    about = " ".join(
        ("title", content.title, *(f"{name} {value}" for name, value in metadata.items()))
    )
    kept = compare(text, about)
    document = Document(
        derived_id(named.key),
        title,
        text,
        metadata,
        named.key,
        content.markup,
        content.boxes if any(content.boxes) else (),
        json.dumps(kept.as_dict()) if kept and kept.says_something else "",
    )
    return Loaded(document, named.place, kept=kept)


def _counted(content: Content, progress: Progress) -> Iterator[str]:
    for number, part in enumerate(content.text, start=1):
        yield part
        if content.pages:
            progress("pages", number, content.pages)


def _stem(key: str) -> str:
    return PurePosixPath(key.rpartition(SECTION_MARK)[2]).stem
