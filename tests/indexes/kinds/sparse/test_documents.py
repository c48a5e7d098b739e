"""Documents first: which document a question is about, then which of its passages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.sparse import bm25
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.page_heads import last_page, page_heads
from hopyard.indexes.kinds.sparse.scores import by_chance, by_likelihood
from hopyard.indexes.search import SEARCHES, Search
from hopyard.state.settings.fields import Context


def report(line: str, year: int, ships: int) -> Document:
    pages = [
        f"{line} Lines\nAnnual report {year}\nA company of the coast, with offices in all ports.",
        f"Letter to the owners of {line} Lines. The sea was calm in {year}, and all were well. "
        * 60,
        f"Ships and crews\n\nThe fleet of {year} had {ships} ships. "
        + "Each had a crew of nine. " * 12,
    ]
    return Document(
        f"{line}-{year}",
        "Annual report",
        "\f".join(pages),
        source=f"reports/{line.upper()}LINES_{year}.pdf",
    )


DOCUMENTS = [
    *(report(line, year, 10 + year % 100) for line in ("Amber", "Cobalt") for year in (2021, 2022)),
    Document("poem", "Calm", "Calm is the sea, and the ships of amber are at rest in 2022."),
]


@pytest.fixture
async def index(directory: Path, embedder: Any) -> AsyncIterator[Index]:
    await build(DOCUMENTS, directory=directory, embedder=embedder, chunk_tokens=30)
    with Index.open(directory, embedder) as index:
        yield index


def sparse_of(index: Index) -> SparseIndex:
    reader: SparseIndex = index.reader("sparse")
    return reader


async def test_the_passage_of_the_named_document_is_first(index: Index) -> None:
    for line in ("Amber", "Cobalt"):
        for year in (2021, 2022):
            question = f"How many ships and crews did the fleet of {line} Lines have in FY{year}?"
            [first] = sparse_of(index).find(question, 1)
            [passage] = index.passages(first["passages"])
            assert (passage.document_id, "fleet" in passage.text) == (
                f"{line}-{year}",
                True,
            )
            assert first["why"].startswith("the name or beginning of its document fits: ")
            assert str(year) in first["why"]


@pytest.mark.parametrize(
    ("question", "first"),
    [("How much were rent and wages?", "sums"), ("Who looked at rent and wages?", "audit")],
)
async def test_an_amount_is_looked_for_in_tables_first(
    directory: Path, embedder: Any, question: str, first: str
) -> None:
    rows = (
        "| Millions | 2022 | 2021 |\n|---|---|---|\n| Rent | 1,577 | 1,373 |\n| Wages | 88 | 90 |"
    )
    audit = Document("audit", "", "They looked at rent and wages.")
    sums = Document("sums", "", rows, markup="markdown")
    await build([audit, sums], directory=directory, embedder=embedder)
    with Index.open(directory, embedder) as index:
        assert sparse_of(index).find(question, 2)[0]["id"] == first


async def test_an_index_of_an_older_version_is_searched_and_written_again(
    directory: Path, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(bm25, "_VERSION", {})
        await build(DOCUMENTS, directory=directory, embedder=embedder)
    [old] = directory.glob("gen-*/sparse")
    assert not SparseIndex.is_of_today(old)
    with Index.open(directory, embedder) as index:
        assert sparse_of(index).find("ships", 1)
    await build(DOCUMENTS, directory=directory, embedder=embedder)
    assert SparseIndex.is_of_today(max(directory.glob("gen-*/sparse")))


async def test_the_choice_is_soft(index: Index) -> None:
    found = sparse_of(index).find("How many ships did Amber Lines have in FY2021?", 900)
    documents = {passage.document_id for passage in index.passages([unit["id"] for unit in found])}
    assert documents == {document.id for document in DOCUMENTS}


async def test_hybrid_looks_into_the_named_document_too(index: Index, embedder: Any) -> None:
    async def embed(text: str) -> Any:
        return embedder.embed_query(text)

    question = "How many ships and crews did the fleet of Cobalt Lines have in 2021?"
    search = Search(question, 1, index, Context(), embed)
    [first] = await SEARCHES["hybrid"].run(search)
    [passage] = index.passages(first["passages"])
    assert passage.document_id == "Cobalt-2021"


async def test_a_filter_is_a_hard_choice(index: Index) -> None:
    allowed = index.allowed(["source=reports/COBALTLINES_2022.pdf"])
    found = sparse_of(index).search("How many ships did Amber Lines have in 2021?", 40, allowed)
    assert found
    assert {name.partition("#")[0] for name, _ in found} == {"Cobalt-2022"}


async def test_pages_begin_with_their_heads(index: Index) -> None:
    heads = page_heads(index.corpus)
    assert heads["Amber-2021", "1"].startswith("Amber Lines\nAnnual report 2021\nA company")
    assert heads["Amber-2021", "3"].startswith("Ships and crews\nThe fleet of 2021 had 31 ships.")
    assert len(heads) == 12
    assert [last_page(pages) for pages in ("", "4", "4-6")] == ["", "4", "6"]


async def test_an_index_without_documents_ranks_each_passage_by_itself(
    index: Index, tmp_path: Path
) -> None:
    sparse_of(index).save(tmp_path)
    (tmp_path / "documents.npy").unlink()
    old = SparseIndex.load(tmp_path)
    question = "ships Amber"
    assert [name for name, _ in old.search(question, 5)] == [
        name for name, _ in sparse_of(index).by_words("ships Amber", 5)
    ]


@pytest.mark.parametrize(
    ("limit", "year"),
    [
        ("before 2022", 2021),
        ("until 2021", 2021),
        ("after FY2021", 2022),
        ("since 2022", 2022),
        ("prior to fiscal year 2022", 2021),
    ],
)
async def test_a_limit_of_years_names_the_documents_within_it(
    index: Index, limit: str, year: int
) -> None:
    question = f"How many ships and crews did Amber Lines have {limit}?"
    [first] = sparse_of(index).find(question, 1)
    assert first["id"].startswith(f"Amber-{year}#")
    assert first["why"] == f"the name or beginning of its document fits: {limit}, AmberLines"


async def test_a_limit_without_documents_is_given_up(index: Index) -> None:
    question = "How many ships did Amber Lines have after {}?"
    names = sparse_of(index).documents.names  # type: ignore[union-attr]
    assert names.limits(question.format(2021))
    assert not names.limits(question.format(2022))
    [first] = sparse_of(index).find(question.format(2022), 1)
    assert first["id"].startswith("Amber-2022")
    assert "2022" in first["why"]


def test_long_documents_score_less() -> None:
    # 1 / (1 + 0.1·ln(n/10)) from ten passages on: ln 2 = 0.6931, ln 10 = 2.3026
    factors = by_chance(np.array([1, 10, 20, 100]))
    assert factors.tolist() == pytest.approx([1, 1, 0.93518, 0.81284], abs=1e-5)


def test_a_long_document_that_is_not_likely_weighs_less() -> None:
    likely, long = np.array([1, 0.5, 0.5, 0]), np.array([1, 0, 1, 0])
    # The third: (1 - 0.5) ** 1.5 = 0.35355; the others: 1 - 0.7 * (1 - likely)
    assert by_likelihood(1.0, likely, long).tolist() == pytest.approx(
        [1, 0.65, 0.35355, 0.3], abs=1e-5
    )
    assert by_likelihood(0.0, likely, long).tolist() == [1, 1, 1, 1]


async def test_an_article_in_a_name_tells_nothing(directory: Path, embedder: Any) -> None:
    pages = [f"Seite {page}. Das Lager hat Tee und Kisten. " * 12 for page in range(4)]
    elbe = Document("elbe", "Haus an der Elbe", "\f".join(pages), source="Haus an der Elbe.pdf")
    await build([*DOCUMENTS, elbe], directory=directory, embedder=embedder, chunk_tokens=30)
    with Index.open(directory, embedder) as opened:
        [first] = sparse_of(opened).find("Wie viele Kisten hat der Tee an der Elbe?", 1)
        said = first["why"].removeprefix("the name or beginning of its document fits: ").split(", ")
        assert set(said) == {"Kisten", "Tee", "Elbe"}
