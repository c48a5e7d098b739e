"""Reads bytes as a file of a given name."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from hopyard.indexes.documents.readers.base import Content, Options, Source, Unread
from hopyard.indexes.documents.readers.table import format_of

Read = Callable[..., tuple[Content, str, list[Unread]]]


@pytest.fixture
def read() -> Read:
    """Content, its text as one string, and what was left out."""

    def of(name: str, data: bytes, **options: str) -> tuple[Content, str, list[Unread]]:
        found = format_of(name)
        assert found is not None
        contents, unread = [], []
        for one in found.read(Source(name, lambda: io.BytesIO(data), Options(**options))):
            if isinstance(one, Content):
                contents.append((one, "".join(one.text)))
            elif isinstance(one, Unread):
                unread.append(one)
        [(content, text)] = contents
        return content, text, unread

    return of
