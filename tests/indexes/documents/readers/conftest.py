"""Reads bytes as a file of a given name."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from hopyard.indexes.documents.kept.table import kept_of
from hopyard.indexes.documents.readers.base import Content, Options, Source, Unread
from hopyard.indexes.documents.readers.table import format_of

from .docxs import Parts, docx, strict

Read = Callable[..., tuple[Content, str, list[Unread]]]
ReadsAs = Callable[[str, Parts, str], None]


@pytest.fixture
def read() -> Read:
    """Content, its text as one string, and what was left out.

    Each sample that a test reads is compared with its file, too: each word that is lost is named.
    """

    def of(
        name: str, data: bytes, *, whole: bool = True, **options: str
    ) -> tuple[Content, str, list[Unread]]:
        found = format_of(name)
        assert found is not None
        contents, unread = [], []
        source = Source(name, lambda: io.BytesIO(data), Options(**options))
        for each in found.read(source):
            if isinstance(each, Content):
                contents.append((each, "".join(each.text)))
            elif isinstance(each, Unread):
                unread.append(each)
        [(content, text)] = contents
        about = " ".join(("title", content.title, *map(str, content.metadata.items())))
        kept = kept_of(source, found.suffixes[0], text, about)
        assert not whole or unread or kept is None or kept.is_whole, str(kept)
        return content, text, unread

    return of


@pytest.fixture
def reads_as(read: Read) -> ReadsAs:
    """Checks the Markdown of a Word file, also in the namespaces of the standard.

    docling-project/docling#1692: the same elements, in other namespaces.
    """

    def check(body: str, parts: Parts, markdown: str) -> None:
        _, text, unread = read("a.docx", docx(body, parts))
        assert text == markdown
        assert not [each for each in unread if "deleted" not in each.place]
        assert read("a.docx", strict(docx(body, parts, "word/document2.xml")))[1] == markdown

    return check
