"""The properties of Microsoft Office files."""

from __future__ import annotations

from typing import IO, Final

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.parts import zipped_xml
from hopyard.indexes.documents.readers.text import plain_metadata

_CORE: Final = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "date": "{http://purl.org/dc/terms/}modified",
}


def office_properties(stream: IO[bytes]) -> dict[str, MetadataValue]:
    """Title, author and date of a Word, PowerPoint or Excel file."""
    root = zipped_xml(stream, "docProps/core.xml", missing="<none/>")
    found = {name: (root.findtext(f".//{tag}") or "").strip() for name, tag in _CORE.items()}
    return plain_metadata(found | {"date": found["date"][:10]})
