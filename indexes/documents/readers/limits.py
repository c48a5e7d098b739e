"""Files that are too large for formats that cannot be read as a stream."""

from __future__ import annotations

import os
import zipfile
from typing import Final

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.table import Format
from hopyard.state.errors import UsageError

LARGEST_VARIABLE: Final = "HOPYARD_LARGEST_FILE"
"""The environment variable that sets the limit, in megabytes, of all formats."""

_MARKED_UP: Final = (".xml", ".html", ".htm", ".xhtml")


def largest_from_environment() -> int:
    """The limit that the user set, in megabytes; 0 for that of each format.

    Raises:
        UsageError: It is no number.
    """
    value = os.environ.get(LARGEST_VARIABLE, "").strip()
    if value and not value.isdecimal():
        raise UsageError(f"{LARGEST_VARIABLE} is {value!r}; set it to a number of megabytes.")
    return int(value or 0)


def too_large(source: Source, kind: Format) -> str:
    """Why a file is not read, where it is too large; else ""."""
    limit = kind.at_once and (source.options.largest or kind.at_once)
    if not limit:
        return ""
    found = _bytes_at_once(source) / 1e6
    if found <= limit:
        return ""
    return (
        f"{found:,.0f} MB of it would be in memory many times over, and a {kind.suffixes[0]} file "
        f"may have {limit:,}: split it, convert it to text, or set {LARGEST_VARIABLE}={found:.0f}"
    )


def _bytes_at_once(source: Source) -> int:
    """The size of a file or, of a ZIP archive such as .docx, of its largest part with text."""
    with source.open() as stream:
        if zipfile.is_zipfile(stream):
            with zipfile.ZipFile(stream) as archive:
                return max(
                    (
                        entry.file_size
                        for entry in archive.infolist()
                        if entry.filename.endswith(_MARKED_UP)
                    ),
                    default=0,
                )
        return stream.seek(0, os.SEEK_END)
