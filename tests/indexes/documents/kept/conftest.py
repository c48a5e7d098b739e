"""Compares a document with its file."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from hopyard.indexes.documents.kept.kept import Kept
from hopyard.indexes.documents.kept.table import kept_of
from hopyard.indexes.documents.readers.base import Content, Part, Source
from hopyard.indexes.documents.readers.table import format_of


class Reading(NamedTuple):
    """A document, and the comparison.

    Attributes:
        kept: The comparison; None if the text is the file, byte for byte.
        text: The document's text.
        everything: Its title, metadata, texts left out on purpose and text, and those of its parts.
    """

    kept: Kept | None
    text: str
    everything: str


Compared = Callable[..., Reading]


@pytest.fixture(scope="session")
def compared() -> Compared:
    """Reads a file and compares; `without` is a word that the document loses on the way."""

    def of(name: str, data: bytes, without: str = "") -> Reading:
        source = Source(name, lambda: io.BytesIO(data))
        kind = format_of(name)
        assert kind is not None
        kept, text, everything = None, "", []
        for found in kind.read(source):
            if isinstance(found, Content):
                text = "".join(found.text)
                if without:
                    text = text.replace(without, "")
                about = " ".join(("title", found.title, *map(str, found.metadata.items())))
                kept = kept_of(source, kind.suffixes[0], text, about)
                everything += [about, text, *(each.text for each in source.notes.left_out)]
            elif isinstance(found, Part):
                everything += [found.name, of(found.source.name, found.source.read()).everything]
        return Reading(kept, text, "\n".join(everything))

    return of
