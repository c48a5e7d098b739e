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
    "date": (
        "date", "publishedat", "published", "publicationdate", "datepublished", "pubdate",
        "publishdate", "created", "createdat", "datecreated",
    ),
}  # fmt: skip
"""Where a field is looked for, the first key that is there counts, however it is written."""
_SIGNS: Final = str.maketrans("", "", "_- .:")
_LONGEST: Final = 120
"""Characters of one value that are matched and shown."""


def known_value(metadata: Mapping[str, MetadataValue], field: str) -> MetadataValue | None:
    """A field's value; None where the metadata has none.

    Documents name the same thing differently, so `date` also stands for `published_at`, `pubDate`
    and the like, `author` for `authors`, and `source` for `publisher`.
    """
    if field in metadata or field not in _KEYS:
        return metadata.get(field)
    plain = {plain_name(name): value for name, value in metadata.items()}
    return next((plain[key] for key in _KEYS[field] if key in plain), None)


def plain_name(field: str) -> str:
    """A field's name without capitals and signs: `publishedat` for `published_at`."""
    return field.casefold().translate(_SIGNS)


def is_date_field(field: str) -> bool:
    """Whether a field holds the date of a document by its name."""
    return plain_name(field) in _KEYS["date"]


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
    values = (str(metadata.get(key, "")).strip() for key in ("url", "link", "source"))
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
