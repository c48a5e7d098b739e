"""Filters over an index, and passages with metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.filters.allowed import allowed_passages, undated_note
from hopyard.indexes.filters.fields import field_values
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.state.errors import UsageError
from hopyard.state.schemas import Evidence, passage_evidence
from hopyard.state.settings.fields import Context

DOCUMENTS = [
    Document("a", "Tides", "The tide rises.", {"source": "Wired", "published_at": "2023-11-05"}),
    Document("b", "Moon", "The moon pulls.", {"source": "BBC", "year": 2024}),
    Document("c", "Sun", "First page.\n\n\fSecond page.\n\n\f", {}, "docs/sky/sun.pdf"),
]


async def test_a_filter_of_another_generation(directory: Path, embedder: Any) -> None:
    where: dict[str, Any] = {"directory": directory, "embedder": embedder}
    await build(DOCUMENTS, **where)
    with Index.open(directory) as before:
        allowed = before.allowed(["source=BBC"])
        await remove(["a"], directory=directory)
        await add([Document("d", "Tides", "The tide falls.")], **where)
        with Index.open(directory) as after:  # as many passages, in other rows
            question = embedder.embed_query("The moon")
            found = after.reader("dense").search(question, 9, allowed)
            words = after.reader("sparse").search("moon tide", 9, allowed)
    assert allowed == {"b"} == {name for name, _ in found} == {name for name, _ in words}


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (["date>=2023"], 2),
        (["date>=2030"], 2),
        (["date>=2023", "source=BBC"], 1),
        (["date>=2023", "source=Wired"], 0),
        (["date!=2023"], 0),  # documents without a date are let through
        (["date>=2023", "date!=2024"], 2),
        (["source=BBC"], 0),
        ([], 0),
    ],
)
def test_documents_without_a_date_are_counted(index: Index, where: list[str], count: int) -> None:
    said = {
        0: "",
        1: "1 document has no date that can be read and was left out by the filter.",
        2: "2 documents have no date that can be read and were left out by the filter.",
    }
    assert undated_note(index.corpus, where) == index.undated_note(where) == said[count]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["source=wired"], "a"),
        (["source=Wired,BBC"], "ab"),
        (["source!=BBC"], "ac"),
        (["source=sun.pdf"], "c"),
        (["source=docs/sky/sun.pdf"], "c"),
        (["source=sky/sun.pdf"], "c"),
        (["source=sky/*"], "c"),
        (["source!=sky/*"], "ab"),
        (["source=docs/*"], "c"),
        (["source=*.pdf,w*"], "ac"),
        (["source!=*.pdf"], "ab"),
        (["date>=2023-11"], "a"),
        (["published_at<2023-11"], ""),
        (["year=2024", "source=BBC"], "b"),
        (["year=2024", "source=Wired"], ""),
        (["title=Moon"], "b"),
        (["page=2"], "c"),
        (["page>2"], ""),
    ],
)
def test_what_a_filter_lets_through(index: Index, where: list[str], found: str) -> None:
    assert index.allowed(where) == set(found)


def test_without_a_filter_all_may_be_found(index: Index) -> None:
    assert index.allowed([]) is None


def test_a_field_that_no_passage_has_is_an_error_that_names_those_there_are(index: Index) -> None:
    with pytest.raises(UsageError) as error:
        index.allowed(["source=Wired", "autor=Ann"])
    assert str(error.value) == (
        "No passage of the index has the field 'autor' that a filter names; the fields are date, "
        "page, published_at, source, title, year."
    )


def test_the_pages_that_a_passage_is_on() -> None:
    document = Document("d", "", "", {"page": "iv"})
    assert field_values("page", document, "3-5") == [3, 4, 5]
    assert field_values("page", document, "iv") == ["iv"]
    assert field_values("page", Document("d", "", "", {"page": 0})) == [0]


def test_metadata_is_matched_embedded_and_kept(index: Index, embedder: Any) -> None:
    assert "Tides\nWired, 2023-11-05\nThe tide rises." in embedder.embedded
    assert index.reader("sparse").search("wired", 5)[0][0] == "a"
    [passage] = index.passages(["a"])
    assert (passage.metadata, passage.about) == (DOCUMENTS[0].metadata, "Wired, 2023-11-05")
    [passage] = index.passages(["c"])
    assert (passage.text, passage.pages) == ("First page.\n\nSecond page.", "1-2")
    assert (passage.about, passage.source) == ("pages 1-2", "docs/sky/sun.pdf")


def test_a_passage_says_where_it_is_from(index: Index) -> None:
    tides, sun = index.passages(["a", "c"])
    assert tides.as_source() == {
        "passage_id": "a",
        "document_id": "a",
        "title": "Tides",
        "source": "",
        "section": "",
        "pages": "",
        "position": 0,
        "metadata": {"source": "Wired", "published_at": "2023-11-05"},
    }
    told = sun.as_source(text=True)
    assert (told["source"], told["pages"], told["text"]) == ("docs/sky/sun.pdf", "1-2", sun.text)


def test_the_headings_above_a_passage_are_values_of_its_section() -> None:
    section = "Travel › Flights"
    assert field_values("section", DOCUMENTS[0], "", section) == [section, "Travel", "Flights"]
    assert field_values("section", DOCUMENTS[0]) == []
    own = Document("d", "", "", {"section": "Sports"})
    assert field_values("section", own, "", section) == ["Sports"]


def test_a_source_is_a_publisher_an_address_a_path_or_a_file_name() -> None:
    metadata = {"source": "Wired", "url": "https://wired.com/tides"}
    document = Document("d", "", "", metadata, "web/tides.html")
    found = ["Wired", "https://wired.com/tides", "web/tides.html", "tides.html"]
    assert field_values("source", document) == found
    assert field_values("source", Document("d", "", "", {}, "docs/corpus.jsonl")) == [
        "docs/corpus.jsonl",
        "corpus.jsonl",
    ]


async def test_other_fields_embed_what_they_change(directory: Path, embedder: Any) -> None:
    await build(DOCUMENTS, directory=directory, embedder=embedder)
    embedder.embedded.clear()
    settings = Context.model_validate({"indexing": {"metadata": "source, year"}})
    await build(DOCUMENTS, directory=directory, embedder=embedder, settings=settings)
    assert sorted(embedder.embedded) == [
        "Moon\nBBC, 2024\nThe moon pulls.",
        "Tides\nWired\nThe tide rises.",
    ]
    assert read_manifest(directory).fields == ("source", "year")

    new = Document("n", "New", "News.", {"author": "Ann", "source": "NYT"})
    await add([new], directory=directory, embedder=embedder)
    assert embedder.embedded[-1] == "New\nNYT\nNews."


def test_dense_search_keeps_to_the_filter() -> None:
    vectors = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"p{number:03}" for number in range(300)]
    index = FlatIndex.build(ids, np.concatenate([vectors[:299], vectors[:1]]))
    allowed = frozenset(ids[1::2])
    exact = index.search(vectors[5], 10, allowed)
    cosines = {name: float(vectors[5] @ vectors[int(name[1:])]) for name in allowed - {"p299"}}
    cosines["p299"] = float(vectors[5] @ vectors[0])
    assert [name for name, _ in exact] == sorted(cosines, key=lambda name: -cosines[name])[:10]
    assert index.search(vectors[0], 1, allowed)[0][0] == "p299"  # p000 has the same vector
    assert index.search(vectors[5], 10, frozenset({"nowhere"})) == []


def never_embeds(index: Index, k: int, allowed: frozenset[str]) -> Search:
    async def embed(text: str) -> Any:
        raise AssertionError(text)

    return Search("moon", k, index, Context(), embed, allowed=allowed)


async def test_a_search_fills_up_with_what_matches_the_filter(index: Index) -> None:
    async def find(search: Search) -> list[Evidence]:
        return [passage_evidence("b", 2.5), passage_evidence("c", -1.5)][: search.k]

    passages = frozenset(index.corpus.passage_ids())
    ids = sorted(passages)
    method = SearchMethod("mine", "Two passages.", find)
    found = await method.run(never_embeds(index, 3, passages))
    left = next(name for name in ids if name not in {"b", "c"})
    assert [(unit["id"], unit["score"]) for unit in found] == [
        ("b", 2.5),
        ("c", -1.5),
        (left, -1.5),
    ]
    assert [unit.get("why") for unit in found] == [None, None, "matches the filter"]
    whole = allowed_passages(index.corpus, [])
    assert await method.run(never_embeds(index, 3, whole)) == found
    # Another method sees only what was found.
    assert len(await method.find_allowed(never_embeds(index, 3, passages))) == 2
    # A filter that a search satisfies changes nothing.
    assert len(await method.run(never_embeds(index, 2, passages))) == 2


async def test_sparse_search_fills_up_without_embedding(index: Index) -> None:
    passages = frozenset(index.corpus.passage_ids())
    found = await SEARCHES["sparse"].run(never_embeds(index, 10, passages))
    assert found[0]["id"] == "b"
    assert {unit["id"] for unit in found} == passages
    assert {unit["score"] for unit in found[1:]} == {0.0}


async def test_a_method_that_reads_vectors_fills_up_with_the_nearest(
    index: Index, embedder: Any
) -> None:
    async def find(search: Search) -> list[Evidence]:
        return []

    async def embed(text: str) -> Any:
        return embedder.embed_query(text)

    passages = frozenset(index.corpus.passage_ids())
    method = SearchMethod("mine", "Nothing.", find, needs=("dense",), filters=True)
    search = Search("The moon pulls.", 2, index, Context(), embed, allowed=passages)
    nearest = [unit["id"] for unit in await SEARCHES["dense"].run(search)]
    found = await method.run(search)
    assert [unit["id"] for unit in found] == nearest
    assert [unit["score"] for unit in found] == [0, 0]
    assert found[0]["why"] == "matches the filter, by dense search"


async def test_a_method_that_knows_no_filter_is_asked_for_more(index: Index) -> None:
    widths = []

    async def find(search: Search) -> list[Evidence]:
        widths.append(search.k)
        return [passage_evidence(f"p{number}", 1) for number in range(100)][: search.k]

    async def embed(text: str) -> Any:
        raise AssertionError(text)

    method = SearchMethod("numbers", "Counts.", find)
    allowed = frozenset({"p0", "p1", "p90"})
    search = Search("?", 2, index, Context(), embed, allowed=allowed)
    assert [unit["id"] for unit in await method.run(search)] == ["p0", "p1"]
    assert widths == [8]
    wide = Search("?", 5, index, Context(), embed, allowed=allowed)
    assert [unit["id"] for unit in await method.run(wide)] == ["p0", "p1", "p90"]
    assert widths == [8, 20, 80, 320]


def test_small_sections_that_are_one_passage_are_found_by_each_heading() -> None:
    document = Document("d", "", "")
    section = "Trips › Ferry; Bus › Stops"
    found = field_values("section", document, "", section)
    assert {section, "Trips › Ferry", "Trips › Bus › Stops", "Trips", "Ferry", "Bus", "Stops"} <= {
        *found
    }
    assert field_values("section", document, "", "Trips › Ferry") == [
        "Trips › Ferry",
        "Trips",
        "Ferry",
    ]
    outer = field_values("section", document, "", "A › Trips; A › Trips › Ferry")
    assert {"A › Trips", "A › Trips › Ferry", "Ferry"} <= {*outer}
    deep = field_values("section", document, "", "Trips › Ferry › Prices; Bus")
    assert {"Trips › Ferry › Prices", "Trips › Bus"} <= {*deep}
    assert field_values("section", document, "", "Costs; Gains") == [
        "Costs; Gains",
        "Costs",
        "Gains",
    ]
    assert field_values("section", document, "", "") == []
