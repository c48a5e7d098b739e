"""What a corpus is made of: documents, the passages cut from them, and what could not be read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hopyard.state.metadata import MetadataValue, describe, page_words

__all__ = (
    "PAGE_END",
    "BadItem",
    "Document",
    "MetadataValue",
    "Passage",
    "embedded_text",
    "text_hash",
    "without_nul",
)

PAGE_END: Final = "\f"
"""Ends a page of a document's text, as in what `pdftotext` writes."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as the user gave it."""

    id: str
    """Stable name: the same id with another text is an update of the same document."""
    title: str
    """May be empty."""
    text: str
    """A form feed, `PAGE_END`, ends each page, where the document has pages."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    source: str = ""
    """The file that it came from, without the part of the path that changes between machines."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: what is embedded, searched, shown to the model and cited."""

    id: str
    """The document's id where it is the only passage, else `DOCUMENT#HASH` (see `chunking`)."""
    document_id: str
    position: int
    """0 for the first passage of its document."""
    title: str
    """The document's title."""
    text: str
    content_hash: str
    """SHA-256 (hex) of `embedded_text`: two passages with the same hash share one vector."""
    tokens: int
    """Tokens of `text` alone, counted with the embedding model's tokenizer."""
    header: str = ""
    """What is matched and embedded of the metadata, as in `The Verge, 2023-09-26`."""
    pages: str = ""
    """The pages that it is on, as in `4` or `3-4`; "" where they are not known."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict, hash=False)
    """The document's metadata."""

    @property
    def embedded_text(self) -> str:
        """What the embedding model and the sparse index read."""
        return embedded_text(self.title, self.text, self.header)

    @property
    def about(self) -> str:
        """Source, date, author and pages, as a reader is told them; "" where none is known."""
        return ", ".join(
            filter(None, (self.header or describe(self.metadata), page_words(self.pages)))
        )

    @property
    def heading(self) -> str:
        """The title with all that a reader is told beside it."""
        return ", ".join(filter(None, (self.title, self.about)))

    @property
    def cited_title(self) -> str:
        """The title with the pages, as a citation names the passage."""
        return ", ".join(filter(None, (self.title, page_words(self.pages))))


@dataclass(frozen=True, slots=True)
class BadItem:
    """A file, a corpus line or a document that was left out, and why."""

    source: str
    reason: str
    line: int | None = None
    """Line in a corpus file, from 1."""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"

    @property
    def place(self) -> str:
        """`FILE:LINE`, or the file alone."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


def embedded_text(title: str, text: str, header: str = "") -> str:
    """Title, header and text as one string: a passage in mid-document seldom repeats them."""
    return "\n".join(part for part in (title, header, text) if part)


def text_hash(text: str) -> str:
    """SHA-256 of a text, 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def without_nul(text: str) -> str:
    """The text without NUL: SQLite and C libraries end a string there, and it means nothing."""
    return text.replace("\0", "")
