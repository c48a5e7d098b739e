"""Words in one document, the pages around a passage, and the names of documents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from long_reports import build_reports

from hopyard.indexes.index import Index
from hopyard.indexes.inside import find_inside, named_document, pages_around


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    directory = build_reports(tmp_path_factory.mktemp("reports") / "index")
    with Index.open(directory) as opened:
        yield opened


def pages_of(index: Index, names: list[str]) -> list[str]:
    return [passage.pages for passage in index.passages(names)]


def test_words_are_found_in_one_document_only(index: Index) -> None:
    found = find_inside(index, "report-2023", "tolls of ferries", 3)
    passages = index.passages([name for name, _ in found])
    assert {passage.document_id for passage in passages} == {"report-2023"}
    assert passages[0].pages == "18"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@pytest.mark.parametrize(("words", "page"), [("4.2.1", "7"), ("1,600 CROWNS", "19")])
def test_words_as_they_are_written_come_first(index: Index, words: str, page: str) -> None:
    [(first, _), *_] = find_inside(index, "report-2023", words, 5)
    assert pages_of(index, [first]) == [page]


def test_words_that_the_document_lacks_find_nothing(index: Index) -> None:
    assert find_inside(index, "report-2023", "submarine", 5) == []
    assert find_inside(index, "nowhere", "tolls", 5) == []


def test_a_filter_holds_inside_a_document(index: Index) -> None:
    [(first, _), (second, _), *_] = find_inside(index, "report-2023", "tolls", 5)
    found = find_inside(index, "report-2023", "tolls", 5, frozenset({second}))
    assert [name for name, _ in found] == [second]
    assert find_inside(index, "report-2024", "tolls", 5, frozenset({first})) == []


def test_the_pages_around_a_passage_follow_each_other_and_fit(index: Index) -> None:
    [(name, _)] = find_inside(index, "report-2023", "Ferries paid 310", 1)
    for tokens in (0, 40, 80, 200):
        around = pages_around(index, name, tokens)
        positions = [passage.position for passage in around]
        assert name in {passage.id for passage in around}
        assert positions == list(range(positions[0], positions[-1] + 1))
        assert len(around) == 1 or sum(passage.tokens for passage in around) <= tokens
    assert {"18", "19"} <= {passage.pages for passage in pages_around(index, name, 80)}
    assert len(pages_around(index, name, 0)) == 1


def test_the_own_page_comes_before_the_nearer_passages_of_other_pages(index: Index) -> None:
    own = [p for p in index.corpus.passages_of("report-2023") if p.pages == "12"]
    assert len(own) > 1
    around = pages_around(index, own[0].id, sum(passage.tokens for passage in own))
    assert around == own


def test_a_document_of_one_passage_is_its_own_surroundings(index: Index) -> None:
    assert [passage.id for passage in pages_around(index, "letter")] == ["letter"]


@pytest.mark.parametrize(
    ("name", "document", "exact"),
    [
        ("Harbour Report 2024", "report-2024", True),
        ("harbour-report 2024", "report-2024", True),
        ("harbour_2023.pdf", "report-2023", True),
        ("HARBOUR 2023", "report-2023", True),
        ("report-2023", "report-2023", True),
        ("Harbour Report 2024 › Tolls (page 19)", "report-2024", True),
        ("Harbour Report 2024 (page 19)", "report-2024", True),
        ("the harbour report of 2024", "report-2024", False),
        ("Habour Rport 2023", "report-2023", False),
    ],
)
def test_a_document_is_known_by_its_title_file_or_id(
    index: Index, name: str, document: str, exact: bool
) -> None:
    found = named_document(index, name)
    assert found is not None
    assert (found.id, found.exact) == (document, exact)


@pytest.mark.parametrize(
    "name", ["Harbour Report 2025", "Harbour Report", "Quay 2023", "Annual accounts", "", "…"]
)
def test_another_year_another_name_and_half_a_name_are_no_document(index: Index, name: str) -> None:
    assert named_document(index, name) is None
