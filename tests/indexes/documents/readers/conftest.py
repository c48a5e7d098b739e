"""Reads bytes as a file of a given name."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from hopyard.indexes.documents.kept.table import kept_of
from hopyard.indexes.documents.readers.base import Content, Options, Source, Unread
from hopyard.indexes.documents.readers.table import format_of

Read = Callable[..., tuple[Content, str, list[Unread]]]


@pytest.fixture
def read() -> Read:
    """Content, its text as one string, and what was left out.

    Each sample that a test reads is compared with its file, too: no word is lost without a word.
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
