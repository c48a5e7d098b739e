"""Archives: their files become parts. Nothing is unpacked under a name that an archive gives."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from hopyard.indexes.documents.readers.base import Found, Part, Source, Unread, unpacked
from hopyard.state.errors import CorpusError

__all__ = ("read_gzip", "read_tar", "read_zip")

_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError)
_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800


def read_zip(source: Source) -> Iterator[Found]:
    """A ZIP archive."""
    with source.open() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except zipfile.BadZipFile as error:
            raise CorpusError(f"not a readable ZIP archive ({error})") from error
        with archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                source.allowance.take_part()
                name = _zip_name(entry)
                if reason := _hidden(name):
                    yield Unread(name, reason)
                elif entry.flag_bits & _ENCRYPTED:
                    yield Unread(name, "encrypted")
                else:
                    try:
                        with (
                            archive.open(entry) as file,
                            unpacked(file, _last(name), source) as part,
                        ):
                            yield Part(name, part)
                    except _UNREADABLE as error:
                        yield Unread(name, f"it cannot be unpacked ({error})")


def read_tar(source: Source) -> Iterator[Found]:
    """A tar archive, compressed or not."""
    with source.open() as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r:*") as archive:
                for entry in archive:
                    if entry.isdir():
                        continue
                    source.allowance.take_part()
                    reason = _hidden(entry.name) or ("" if entry.isfile() else "not a plain file")
                    file = None if reason else archive.extractfile(entry)
                    if file is None:
                        yield Unread(entry.name, reason or "not a plain file")
                    else:
                        with unpacked(file, _last(entry.name), source) as part:
                            yield Part(entry.name, part)
        except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
            raise CorpusError(f"not a readable tar archive ({error})") from error


def read_gzip(source: Source) -> Iterator[Found]:
    """One compressed file."""
    source.allowance.take_part()
    name = source.name.removesuffix(".gz")
    try:
        with (
            source.open() as stream,
            gzip.open(stream) as file,
            unpacked(file, name, source) as part,
        ):
            yield Part(name, part)
    except (zlib.error, EOFError, OSError) as error:
        raise CorpusError(f"not a readable gzip file ({error})") from error


def _hidden(name: str) -> str:
    """Why an entry is left out by its name; "" where it is not."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts:
        return "its path leads out of the archive"
    return "hidden" if any(part.startswith((".", "__MACOSX")) for part in parts) else ""


def _last(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).name


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """The name as it was meant: Windows writes it in the encoding of its language."""
    if entry.flag_bits & _UTF8 or entry.filename.isascii():
        return entry.filename
    raw = entry.filename.encode("cp437")
    for encoding in ("utf-8", "cp949"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return entry.filename
