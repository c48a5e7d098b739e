"""Files that are ZIP archives, and files that libraries write, as bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any


def zipped(files: Mapping[str, str | bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def rewritten(
    data: bytes,
    change: Callable[[str, str], str | None] = lambda _, text: text,
    more: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """The file with each of its XML parts changed; None drops a part.

    Args:
        data: The file.
        change: Gives the text of a part, by its name and text.
        more: Further parts.
    """
    files: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            content: str | bytes | None = archive.read(name)
            if name.endswith((".xml", ".rels")):
                content = change(name, archive.read(name).decode())
            if content is not None:
                files[name] = content
    return zipped(files | dict(more or {}))


def saved(document: Any) -> bytes:
    """A workbook, deck or PDF as its library saves it."""
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def lines(text: str) -> list[str]:
    """The lines of a text that are not blank."""
    return [line for line in text.splitlines() if line.strip()]
