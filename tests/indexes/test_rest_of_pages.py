"""The rest of the pages that passages are on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from building import build
from model_server import WordEmbedder

from hopyard.indexes.corpus.records import PAGE_END, Document
from hopyard.indexes.index import Index
from hopyard.indexes.inside import rest_of_pages

PAGES = (
    "Ash grows here. Beech grows here. Cedar grows here.",
    "Elm grows here. Fir grows here. Gorse grows here.",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    directory: Path = tmp_path_factory.mktemp("trees") / "index"
    documents = [
        Document("trees", "Trees", f"\n\n{PAGE_END}".join(PAGES)),
        Document("list", "List", " ".join(f"Line {number} is here." for number in range(500))),
        Document("note", "Note", "A note."),
    ]
    build(documents, directory=directory, embedder=WordEmbedder(), chunk_tokens=6)
    with Index.open(directory) as opened:
        yield opened


def words(index: Index, found: list[tuple[str, int]], tokens: int = 4000) -> list[str]:
    """The first words of the rest of the pages of some passages, by document and position."""
    names = [index.corpus.passages_of(document)[place].id for document, place in found]
    return [passage.text.split()[0] for passage in rest_of_pages(index, names, tokens)]


def test_the_nearest_passages_of_the_best_passages_page_come_first(index: Index) -> None:
    assert words(index, [("trees", 3), ("trees", 0)]) == ["Fir", "Gorse", "Beech", "Cedar"]
    assert words(index, [("trees", 1)]) == ["Cedar", "Ash"]
    assert words(index, [("note", 0)]) == []


def test_what_does_not_fit_ends_the_list(index: Index) -> None:
    # "Fir grows here." has 4 tokens at four characters each, "Gorse grows here." 5.
    assert words(index, [("trees", 3), ("trees", 0)], tokens=8) == ["Fir"]
    assert words(index, [("trees", 3)], tokens=-1) == []


def test_a_document_without_pages_has_a_page_around_each_passage(index: Index) -> None:
    middle = index.corpus.passages_of("list")[250]
    rest = rest_of_pages(index, [middle.id], 4000)
    assert {passage.position for passage in rest} == {*range(210, 291)} - {250}


def test_passages_that_the_filter_leaves_out_are_not_read(index: Index) -> None:
    ash, beech, cedar, *_ = index.corpus.passages_of("trees")
    assert rest_of_pages(index, [ash.id], 4000, frozenset({ash.id, cedar.id})) == [cedar]
    assert rest_of_pages(index, [ash.id], 4000, frozenset({ash.id, beech.id})) == [beech]
