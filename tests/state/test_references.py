"""How passages are named to a reader."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.state.metadata import address_of
from hopyard.state.references import (
    LONGEST_VALUE,
    file_name,
    kept_metadata,
    name_sources,
    reference,
    with_references,
)
from hopyard.state.schemas import Source


def source(passage_id: str = "p", **more: Any) -> Source:
    return Source(passage_id=passage_id, **more)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (
            {
                "source": "hr/handbook.docx",
                "title": "Handbook",
                "section": "Contacts",
                "pages": "3",
            },
            "handbook.docx › Contacts, p. 3",
        ),
        ({"source": "hr/handbook.docx", "title": "H", "pages": "3-4"}, "handbook.docx, pp. 3-4"),
        (
            {"source": "a.md", "title": "Plan", "section": "Plan › Costs › Travel"},
            "a.md › Costs › Travel",
        ),
        ({"source": "corpus.jsonl", "title": "Pluto"}, "Pluto"),
        ({"source": "https://example.org/pluto.html", "title": "Pluto"}, "Pluto"),
        ({"source": "https://example.org/pluto.html"}, "https://example.org/pluto.html"),
        ({"source": "post/mail.eml › invoice.pdf", "pages": "2"}, "mail.eml › invoice.pdf, p. 2"),
        ({"source": "post/0042.eml", "title": "Rent in May"}, "0042.eml › Rent in May"),
        ({"source": "Makefile", "title": "Makefile"}, "Makefile"),
        ({"source": "corpus.jsonl"}, "corpus.jsonl"),
        ({}, "p"),
        ({"title": "A " + "long " * 30 + "title"}, "A " + "long " * 11 + "…"),
        ({"source": "a.md", "title": "Plan", "section": "Plan"}, "a.md"),
    ],
)
def test_a_passage_is_named_by_its_document_section_and_page(
    given: dict[str, Any], named: str
) -> None:
    assert reference(source(**given)) == named


def test_passages_of_one_section_are_told_apart_by_their_place() -> None:
    same = {"source": "hr/handbook.docx", "section": "Contacts", "pages": "3"}
    names = name_sources(
        [
            source("a", **same, position=4),
            source("b", **same, position=5),
            source("c", **same | {"pages": "4"}, position=6),
        ]
    )
    assert names == {
        "a": "handbook.docx › Contacts, p. 3, passage 5",
        "b": "handbook.docx › Contacts, p. 3, passage 6",
        "c": "handbook.docx › Contacts, p. 4",
    }


def test_files_of_one_name_are_shown_with_their_paths() -> None:
    names = name_sources([source("a", source="hr/plan.md"), source("b", source="it/plan.md")])
    assert names == {"a": "hr/plan.md", "b": "it/plan.md"}


def test_what_is_still_the_same_has_its_id() -> None:
    moon = {"title": "Moon", "source": "corpus.jsonl", "position": 0}
    names = name_sources([source("a", **moon), source("b", **moon)])
    assert names == {"a": "Moon (a)", "b": "Moon (b)"}


def test_a_passage_that_comes_twice_has_one_name() -> None:
    assert name_sources([source("a", title="Moon"), source("a", title="Moon")]) == {"a": "Moon"}


def test_a_name_that_an_answer_has_given_stays() -> None:
    told = with_references([source("a", title="Moon"), source("b", title="Moon")])
    assert told["b"]["reference"] == "Moon (b)"
    assert name_sources([told["b"]]) == {"b": "Moon (b)"}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("docs/a.pdf", "a.pdf"),
        ("docs\\a.pdf", "a.pdf"),
        ("docs/corpus.JSONL", ""),
        ("https://a.org/b.pdf", ""),
        ("The Verge", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_file(given: str, name: str) -> None:
    assert file_name(given) == name


def test_metadata_travels_with_an_answer_but_no_long_text() -> None:
    given = {"year": 2024, "abstract": "x" * (LONGEST_VALUE + 1), "author": "Ann"}
    assert kept_metadata(given) == given | {"abstract": "x" * LONGEST_VALUE + "…"}


def test_an_address_is_found_in_the_metadata() -> None:
    assert address_of({"source": "Wired", "url": " https://a.org/b "}) == "https://a.org/b"
    assert address_of({"source": "Wired", "link": "see https://a.org"}) == ""
