"""Documents, the passages cut from them, and items that could not be read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from hopyard.indexes.corpus.long_text import LongText
from hopyard.state.metadata import MetadataValue, address_of, describe, page_words
from hopyard.state.references import SECTION_MARK, kept_metadata
from hopyard.state.schemas import Source
from hopyard.state.text.unicode import storable_text

__all__ = (
    "PAGE_END",
    "BadItem",
    "Document",
    "Markup",
    "MetadataValue",
    "Passage",
    "embedded_text",
    "place_in",
    "storable",
    "text_hash",
)

Markup = Literal["text", "markdown"]

PAGE_END: Final = "\f"
"""Ends a page of a document's text, as in what `pdftotext` writes."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as the user gave it."""

    id: str
    """Stable name: the same id with another text is an update of the same document."""
    title: str
    """May be empty."""
    text: str | LongText
    """A form feed, `PAGE_END`, ends each page, where the document has pages. A text of millions of
    characters that a file was read into lies in a temporary file; `str` gives it whole."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    source: str = ""
    """The file that it came from, without the part of the path that changes between machines. A
    part of a file is named after it, as in `mail.eml › invoice.pdf`."""
    markup: Markup = "text"
    """How the text is written. Headings and tables are looked for in Markdown only."""
    boxes: Sequence[bytes] = field(default=(), repr=False)
    """The places of the words of each page (`corpus.boxes`), where the file says them."""
    reading: str = ""
    """The words that it lacks of its file, as JSON (`Kept.as_dict`); "" if it lacks none."""


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
    """The metadata that are matched and embedded, as in `The Verge, 2023-09-26`."""
    pages: str = ""
    """The pages that it is on, as in `4` or `3-4`; "" where they are not known."""
    section: str = ""
    """The headings above it, without the title, as in `Travel › Flights`; "" for none."""
    source: str = ""
    """The document's source."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict, hash=False)
    """The document's metadata."""

    @property
    def embedded_text(self) -> str:
        """The text that the embedding model and the sparse index read."""
        return embedded_text(self.title, self.text, self.header, self.section)

    @property
    def full_title(self) -> str:
        """The title with the section, as in `Handbook › Travel › Flights`."""
        return place_in(self.title, self.section)

    @property
    def about(self) -> str:
        """Source, date, author and pages for a reader; "" if unknown."""
        return ", ".join(
            filter(None, (self.header or describe(self.metadata), page_words(self.pages)))
        )

    @property
    def heading(self) -> str:
        """The title with section, source, date, author and pages."""
        return ", ".join(filter(None, (self.full_title, self.about)))

    def as_source(self, *, text: bool = False) -> Source:
        """Where it is from, as evidence and citations carry it.

        Args:
            text: Whether its text is wanted too.
        """
        source = Source(
            passage_id=self.id,
            document_id=self.document_id,
            title=self.title,
            source=address_of(self.metadata) or self.source,
            section=self.section,
            pages=self.pages,
            position=self.position,
            metadata=kept_metadata(self.metadata),
        )
        return Source(**source, text=self.text) if text else source


@dataclass(frozen=True, slots=True)
class BadItem:
    """A file, a corpus line or a document that was left out, and why."""

    source: str
    reason: str
    line: int | None = None
    """Line in a corpus file, from 1."""
    settled: bool = field(default=False, compare=False)
    """Whether it will be left out for the same reason until its file changes."""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"

    @property
    def place(self) -> str:
        """`FILE:LINE`, or the file alone."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


def place_in(*names: str) -> str:
    """Names from the outermost to the innermost as one, as in `Handbook › Travel`."""
    return SECTION_MARK.join(filter(None, names))


def embedded_text(title: str, text: str, header: str = "", section: str = "") -> str:
    """All that is embedded as one string: a passage in mid-document seldom repeats the rest."""
    return "\n".join(part for part in (place_in(title, section), header, text) if part)


def text_hash(text: str) -> str:
    """SHA-256 of a text, 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def storable(document: Document) -> Document:
    """The document with texts that can be stored."""
    metadata = {
        storable_text(name): storable_text(value) if isinstance(value, str) else value
        for name, value in document.metadata.items()
    }
    text = document.text  # a long text was cleaned when it was read
    return replace(
        document,
        id=storable_text(document.id),
        title=storable_text(document.title),
        text=storable_text(text) if isinstance(text, str) else text,
        metadata=metadata,
        source=storable_text(document.source),
    )
