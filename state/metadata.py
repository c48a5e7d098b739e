"""Metadata of documents: under which keys authors, dates and the like stand, and how they read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

MetadataValue = str | int | float | bool

MATCHED_FIELDS: Final = ("source", "date", "author")
"""Fields that are matched and embedded with a passage's text, unless a setting names others."""

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "source": ("source", "publisher"),
    "author": ("author", "authors"),
    "date": ("date", "published_at", "published", "publication_date", "created", "created_at"),
}
"""Where a field is looked for, the first key that is there counts."""
_ADDRESS_KEYS: Final = ("url", "link", "source")
_LONGEST: Final = 120
"""Characters of one value that are matched and shown."""


def known_value(metadata: Mapping[str, MetadataValue], field: str) -> MetadataValue | None:
    """A field's value; None where the metadata has none.

    Documents name the same thing differently, so `date` also stands for `published_at` and the
    like, `author` for `authors`, and `source` for `publisher`.
    """
    return next((metadata[key] for key in _KEYS.get(field, (field,)) if key in metadata), None)


def describe(metadata: Mapping[str, MetadataValue], fields: Iterable[str] = MATCHED_FIELDS) -> str:
    """Some fields as one line, as in `The Verge, 2023-09-26, David Pierce`.

    A date loses its time, and a source that is a path or an address is left out: it says where a
    document is kept, not what it is about.

    Args:
        fields: Names of the fields, in order.
    """
    values = [_readable(field, known_value(metadata, field)) for field in fields]
    return ", ".join(value for value in values if value)


def address_of(metadata: Mapping[str, MetadataValue]) -> str:
    """The web address that metadata name; "" where they name none."""
    values = (str(metadata.get(key, "")).strip() for key in _ADDRESS_KEYS)
    return next((value for value in values if "://" in value and " " not in value), "")


def page_words(pages: str) -> str:
    """`4` as `page 4`, `3-4` as `pages 3-4`, and "" for no pages."""
    return f"pages {pages}" if "-" in pages else f"page {pages}" if pages else ""


def _readable(field: str, value: MetadataValue | None) -> str:
    text = "" if value is None else " ".join(str(value).split())
    if field == "date":
        return _day(text)
    if field == "source" and ("://" in text or (" " not in text and ("/" in text or "\\" in text))):
        return ""
    return text if len(text) <= _LONGEST else text[: _LONGEST + 1].rsplit(None, 1)[0]


def _day(text: str) -> str:
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:  # a year, a month, or words
        return text[:_LONGEST]
