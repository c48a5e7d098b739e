"""Texts, spreadsheets and presentations of LibreOffice: OpenDocument.

Source: OASIS, "Open Document Format for Office Applications", version 1.3, part 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.base import Content, Found, Source
from hopyard.indexes.documents.readers.odf.reader import Reader
from hopyard.indexes.documents.readers.odf.styles import OFFICE, Styles
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.indexes.documents.readers.text import author_name, plain_metadata
from hopyard.indexes.passages.markdown import first_heading
from hopyard.state.errors import CorpusError

_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_META: Final = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"


def read_opendocument(source: Source) -> Iterator[Found]:
    """A text, spreadsheet or presentation, in a package or as one XML file."""
    with source.open() as stream:
        is_flat = not stream.read(4).startswith((b"PK", b"\xd0\xcf"))
        stream.seek(0)
        if is_flat:
            from defusedxml.ElementTree import fromstring

            root: Element = fromstring(stream.read())
            styles, about, parts = root, root, None
        else:
            parts = Parts(stream)
            listed = parts.optional("META-INF/manifest.xml").iter()
            if any(local(node) == "encryption-data" for node in listed):
                raise CorpusError("it is protected with a password; save it without")
            root = parts.xml(parts.find("content.xml") or "content.xml")
            styles, about = parts.optional("styles.xml"), parts.optional("meta.xml")
        body = root.find(f".//{OFFICE}body")
        document = None if body is None else next(iter(body), None)
        if document is None:
            raise CorpusError("it holds no text, spreadsheet or presentation")
        reader = Reader(Styles((styles, root)), parts)
        text = "".join(reader.document(document))
        title, metadata = _about(about)
        yield Content(title or first_heading(text), [text], "markdown", metadata)
        yield from reader.left_out


def _about(root: Element) -> tuple[str, dict[str, MetadataValue]]:
    def named(*tags: str) -> Iterator[str]:
        texts = (root.findtext(f".//{OFFICE}meta/{tag}") or "" for tag in tags)
        return (text.strip() for text in texts if text.strip())

    authors = map(author_name, named(f"{_META}initial-creator", f"{_DC}creator"))
    date = next(named(f"{_DC}date", f"{_META}creation-date"), "")[:10]
    about = {"author": next(filter(None, authors), ""), "date": date}
    return next(named(f"{_DC}title"), ""), plain_metadata(about)
