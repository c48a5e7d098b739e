"""Which metadata is known by name, and how it reads."""

from __future__ import annotations

import pytest

from hopyard.state.metadata import MetadataValue, describe, known_value, page_words


@pytest.mark.parametrize(
    ("metadata", "line"),
    [
        (
            {"source": "The Verge", "published_at": "2023-09-26T17:01:22+00:00", "authors": "Ann"},
            "The Verge, 2023-09-26, Ann",
        ),
        ({"date": "2023-09", "year": 2023}, "2023-09"),
        ({"source": "https://example.org/a b", "author": "Ann\n Ash"}, "Ann Ash"),
        ({"source": "docs/manual.pdf"}, ""),
        ({"source": "Road & Track / Autos"}, "Road & Track / Autos"),
        ({"author": "word " * 40}, ("word " * 24).strip()),
        ({}, ""),
    ],
)
def test_what_is_known_stands_on_one_line(metadata: dict[str, MetadataValue], line: str) -> None:
    assert describe(metadata) == line


def test_other_fields_are_named() -> None:
    metadata: dict[str, MetadataValue] = {"topic": "harbours", "source": "Wired", "page": 4}
    assert describe(metadata, ("topic", "missing", "source")) == "harbours, Wired"


def test_the_document_s_own_key_comes_first() -> None:
    assert known_value({"published_at": "2023", "date": "2024"}, "date") == "2024"
    assert known_value({"published_at": "2023"}, "published_at") == "2023"
    assert known_value({"published_at": "2023"}, "author") is None


@pytest.mark.parametrize(("pages", "words"), [("", ""), ("4", "page 4"), ("3-4", "pages 3-4")])
def test_pages_in_words(pages: str, words: str) -> None:
    assert page_words(pages) == words
