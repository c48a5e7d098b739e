from __future__ import annotations

import pytest

from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.text.page_numbers import page_terms, pages_named


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What is the FAX No on page thirteen?", ["page_13"]),
        ("the date mentioned on Page 14 and p. 7", ["page_14", "page_7"]),
        ("highlighted on the first page", ["page_1"]),
        ("Was steht auf Seite 3?", ["page_3"]),
        ("第14页写了什么?", ["page_14"]),
        ("१४ words on page १४", ["page_14"]),
        ("14 쪽에 무엇이 있나요?", ["page_14"]),
        ("a homepage of 14 people, 20 pages long", []),
        ("the home page 2023, a web-page 3, the front page one day", []),
        ("p. 3.5, p.0.05, page 1,200, page 20%, one page 10-K, one-page 3", []),
        ("共14页", []),
    ],
)
def test_pages_that_a_question_names(question: str, terms: list[str]) -> None:
    assert list(pages_named(question)) == terms


def test_a_passage_is_on_all_its_pages() -> None:
    assert list(page_terms("3-5")) == ["page_3", "page_4", "page_5"]
    assert list(page_terms("")) == list(page_terms("iv")) == []


def test_the_passages_of_a_named_page_come_first_where_a_filter_leaves_few() -> None:
    fields = [
        (f"The fax number is {400 + number}.", " ".join(page_terms(str(number % 50))))
        for number in range(2000)
    ]
    ids = [f"p{number:04}" for number in range(2000)]
    index = SparseIndex.build(ids, fields)
    question = "Which fax number is on page 13?"

    found = index.search(question, 3, allowed={*ids[:50]})

    assert next(name for name, _ in found) == "p0013"
    assert not index.rank(question).exact.any()
