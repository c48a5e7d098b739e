"""Electronic books."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.office import zipped_xml
from hopyard.indexes.documents.readers.text import decode, plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.state.errors import CorpusError

__all__ = ("read_epub",)

_CONTAINER: Final = "META-INF/container.xml"
_PACKAGE: Final = "{http://www.idpf.org/2007/opf}"
_ABOUT: Final = "{http://purl.org/dc/elements/1.1/}"


def read_epub(source: Source) -> Iterator[Content]:
    """A book: its chapters one after the other, in the order in which they are read."""
    with source.open() as stream:
        container = zipped_xml(stream, _CONTAINER)
        root = container.find(".//{urn:oasis:names:tc:opendocument:xmlns:container}rootfile")
        path = "" if root is None else root.get("full-path", "")
        if not path:
            raise CorpusError("it does not name its contents")
        package = zipped_xml(stream, path)
        about = {
            name: (package.findtext(f".//{_ABOUT}{tag}") or "").strip()
            for name, tag in (("title", "title"), ("author", "creator"), ("date", "date"))
        }
        title = about.pop("title")
        files = {item.get("id"): item.get("href", "") for item in package.iter(f"{_PACKAGE}item")}
        order = [files.get(item.get("idref"), "") for item in package.iter(f"{_PACKAGE}itemref")]
        names = [posixpath.join(posixpath.dirname(path), unquote(name)) for name in order if name]

        def chapters() -> Iterator[str]:
            with zipfile.ZipFile(stream) as archive:
                for name in names:
                    # Whatever it unpacks to counts, because a few bytes may claim a gigabyte.
                    data = archive.read(name) if name in archive.namelist() else b""
                    source.allowance.take_bytes(len(data))
                    yield f"{html_to_markdown(decode(data, source))}\n\n"

        yield Content(title, chapters(), "markdown", plain_metadata(about))
