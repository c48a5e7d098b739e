"""The files that the tests of the readers read, with the texts that the tests found right."""

from __future__ import annotations

import hashlib
import io
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from hopyard.indexes.documents.readers import table
from hopyard.indexes.documents.readers.base import Content, Found, Options, Reader, Source

ROOT: Final = Path(__file__).resolve().parents[1]
TESTS: Final = "tests/indexes/documents/readers"
LARGEST: Final = 200_000
"""Bytes of a file, at most."""
CONTAINED: Final = b'<rootfile media-type="application/oebps-package+xml" '
_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_MIMES: Final = {
    ".docx": _WORD,
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
}


class Input(NamedTuple):
    """A file of a test, and the text that Hopyard reads in it."""

    suffix: str
    data: bytes
    text: str


def inputs_of_the_tests() -> list[Input]:
    """Run the tests, and keep each file that a reader gives one text of."""
    found: dict[str, Input] = {}

    def kept(read: Reader, suffix: str) -> Reader:
        def reading(source: Source) -> Iterator[Found]:
            texts = []
            for each in read(source):
                if isinstance(each, Content):
                    parts: list[str] = []
                    texts.append(parts)
                    yield each._replace(text=collected(each.text, parts))
                else:
                    yield each
            if (
                source.options == Options()
                and len(texts) == 1
                and (text := "".join(texts[0])).strip()
            ):
                data = completed(source.read(), suffix)
                if len(data) <= LARGEST:
                    found[hashlib.sha256(data).hexdigest()] = Input(suffix, data, text)

        return reading

    for suffix, kind in table._BY_SUFFIX.items():
        table._BY_SUFFIX[suffix] = kind._replace(read=kept(kind.read, suffix))
    with redirect_stdout(io.StringIO()):
        code = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", str(ROOT / TESTS)])
    if code:
        sys.exit(f"The tests fail ({code}); their texts are not right.")
    return list(found.values())


def completed(data: bytes, suffix: str) -> bytes:
    """A file with the parts that its standard asks for and the tests leave out."""
    if suffix == ".epub":
        return with_kinds_of_items(data)
    kind = _MIMES.get(suffix)
    if kind is None or not data.startswith(b"PK"):
        return data
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a") as archive:
        names = archive.namelist()
        if suffix == ".docx" and "[Content_Types].xml" not in names:
            overrides = "".join(
                f'<Override PartName="/{name}" ContentType="{_WORD}.'
                f'{"document.main" if stem == "document" else stem}+xml"/>'
                for name in names
                if name.endswith(".xml")
                for stem in [Path(name).stem.rstrip("0123456789")]
            )
            archive.writestr(
                "[Content_Types].xml",
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
                f'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
                f"{overrides}</Types>",
            )
        elif suffix != ".docx":
            if "mimetype" not in names:
                archive.writestr("mimetype", kind)
            if "META-INF/manifest.xml" not in names:
                entries = "".join(
                    f'<manifest:file-entry manifest:full-path="{name}" '
                    f'manifest:media-type="{kind if name == "/" else "text/xml"}"/>'
                    for name in ("/", *names)
                )
                archive.writestr(
                    "META-INF/manifest.xml",
                    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:'
                    f'manifest:1.0">{entries}</manifest:manifest>',
                )
    return stream.getvalue()


def with_kinds_of_items(data: bytes) -> bytes:
    """A book that says of each of its parts what it is."""
    stream = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
            for each in old.infolist():
                content = old.read(each)
                if each.filename.endswith(".opf"):
                    kind = b'<item media-type="application/xhtml+xml" '
                    content = re.sub(rb"<item (?![^>]*media-type)", kind, content)
                elif each.filename == "META-INF/container.xml":
                    content = re.sub(rb"<rootfile (?![^>]*media-type)", CONTAINED, content)
                new.writestr(each, content)
    except zipfile.BadZipFile:
        return data
    return stream.getvalue()


def collected(text: Any, parts: list[str]) -> Iterator[str]:
    """The parts of a text, kept as they are read."""
    for part in text:
        parts.append(part)
        yield part
