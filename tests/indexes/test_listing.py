"""Looking into an index: its documents, one document, and which documents a name stands for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.corpus_file import CORPUS_FILE
from hopyard.indexes.corpus.manifest import MANIFEST_FILE
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.listing import list_documents, matching_documents, open_corpus, read_document
from hopyard.indexes.status import unfinished_build
from hopyard.state.errors import UsageError

LONG = " ".join(f"Sentence number {number} is about the tide." for number in range(12))
DOCUMENTS = [
    Document("h1", "Handbook", LONG, {"date": "2024-01-05T10:00:00"}, "hr/handbook.docx"),
    Document("h2", "Old", "Old rules.", {"date": "2019"}, "hr/old/handbook.docx"),
    Document("p", "Plan", "A plan.\n\n\fMore.\n\n\f", {}, "it/plan.pdf"),
    Document("m1", "Mail", "Hello.", {}, "it/mail.eml"),
    Document("m2", "Bill", "Pay.", {}, "it/mail.eml › bill.pdf"),
    Document("c1", "Mars", "Two moons.", {"topic": "sky"}, "data/corpus.jsonl"),
    Document("c2", "Venus", "No moon.", {"topic": "sky"}, "data/corpus.jsonl"),
]


@pytest.fixture
async def index(directory: Path, embedder: Any) -> Path:
    await build(DOCUMENTS, directory=directory, embedder=embedder, chunk_tokens=20)
    return directory


def test_every_document_is_listed_with_its_passages_and_dates(index: Path) -> None:
    entries = list_documents(index)
    assert [entry.name for entry in entries] == [
        "c1",
        "c2",
        "hr/handbook.docx",
        "hr/old/handbook.docx",
        "it/mail.eml",
        "it/mail.eml › bill.pdf",
        "it/plan.pdf",
    ]
    handbook = entries[2]
    assert (handbook.id, handbook.title, handbook.date) == ("h1", "Handbook", "2024-01-05")
    assert handbook.passages > 1
    assert [entry.passages for entry in entries[:2]] == [1, 1]
    age = datetime.now(UTC) - datetime.fromisoformat(handbook.indexed)
    assert timedelta(0) <= age < timedelta(minutes=5)


async def test_an_update_changes_the_time_of_what_it_changed(index: Path, embedder: Any) -> None:
    with closing(sqlite3.connect(index / CORPUS_FILE)) as corpus:
        corpus.execute("UPDATE builds SET began = '2020-01-01T00:00:00+00:00'")
        corpus.commit()
    changed = Document("c1", "Mars", "Two moons, Phobos and Deimos.", {}, "data/corpus.jsonl")
    await add([changed], directory=index, embedder=embedder)
    old = {entry.id: entry.indexed.startswith("2020") for entry in list_documents(index)}
    assert old == {entry.id: entry.id != "c1" for entry in DOCUMENTS}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["topic=sky"], {"c1": 1, "c2": 1}),
        (["date>=2024"], {"h1": 6}),
        (["source=hr/*"], {"h1": 6, "h2": 1}),
        (["source=handbook.docx", "date<2020"], {"h2": 1}),
        (["page=2"], {"p": 1}),
    ],
)
def test_a_filter_counts_the_passages_that_fit(
    index: Path, where: list[str], found: dict[str, int]
) -> None:
    assert {entry.id: entry.passages for entry in list_documents(index, where)} == found


@pytest.mark.parametrize(
    ("names", "where", "ids"),
    [
        (["h1"], [], "h1"),
        (["hr/handbook.docx"], [], "h1"),
        (["./hr/handbook.docx"], [], "h1"),
        (["/home/ann/hr/handbook.docx"], [], "h1"),
        (["old/handbook.docx"], [], "h2"),
        (["handbook.docx"], [], "h1 h2"),
        (["hr"], [], "h1 h2"),
        (["hr/"], [], "h1 h2"),
        (["hr/*.docx"], [], "h1 h2"),
        (["*.pdf"], [], "m2 p"),
        (["plan.???"], [], "p"),
        (["it/mail.eml"], [], "m1 m2"),
        (["old/*.docx"], [], "h2"),
        (["old"], [], "h2"),
        (["*/handbook.docx"], [], "h1 h2"),
        (["corpus.jsonl"], [], "c1 c2"),
        (["c?"], [], "c1 c2"),
        (["c1", "plan.pdf"], [], "c1 p"),
        (["hr"], ["date<2020"], "h2"),
        ([], ["topic=sky"], "c1 c2"),
    ],
)
def test_what_a_name_stands_for(index: Path, names: list[str], where: list[str], ids: str) -> None:
    with open_corpus(index) as corpus:
        assert matching_documents(corpus, index, names, where) == set(ids.split())


TWO_PLACES = [
    Document("n", "North", "Ice.", {}, "north/old/a.txt"),
    Document("s", "South", "Sand.", {}, "south/old/b.txt"),
    Document("o", "Old", "Dust.", {}, "old/c.txt"),
    Document("x", "New", "Rain.", {}, "south/new/b.txt"),
]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("old", "'old' may be 'old' or 'north/old' or 'south/old'"),
        ("old/*", "may be 'old/.' or 'north/old/.'"),
        ("old/[ab].txt", "may be 'north/old/.ab..txt' or 'south/old/.ab..txt'"),
    ],
)
async def test_a_folder_in_two_places_must_be_named_whole(
    directory: Path, embedder: Any, name: str, said: str
) -> None:
    await build(TWO_PLACES, directory=directory, embedder=embedder)
    with pytest.raises(UsageError, match=f"{said}.* begin it with the name of the folder"):
        await remove([name], directory=directory)
    with open_corpus(directory) as corpus:
        for whole, ids in {
            "north/old": "n",
            "south/old/*": "s",
            "old/c.txt": "o",
            "new": "x",
        }.items():
            assert matching_documents(corpus, directory, [whole], ()) == {ids}


@pytest.mark.parametrize(
    ("names", "where", "said"),
    [
        (["andbook.docx"], [], "is named 'andbook.docx'"),
        (["h1", "*.txt"], [], r"is named '\*.txt'"),
        ([], ["page=2"], "filter on page selects passages"),
        ([], ["section=Travel"], "filter on section"),
        (["h1"], ["date<2020"], "No document matches date<2020"),
        ([], ["nonsense=1"], "'nonsense'"),
    ],
)
async def test_a_name_that_stands_for_nothing_removes_nothing(
    index: Path, names: list[str], where: list[str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        await remove(names, directory=index, where=where)
    assert len(list_documents(index)) == len(DOCUMENTS)


async def test_documents_are_removed_by_pattern_and_filter(index: Path) -> None:
    report = await remove(["hr/*"], directory=index, where=["date<2020"])
    assert report.removed == 1
    report = await remove(["it"], directory=index)
    assert report.removed == 3
    assert [entry.id for entry in list_documents(index)] == ["c1", "c2", "h1"]


def test_a_document_is_shown_with_its_passages_in_order(index: Path) -> None:
    details = read_document(index, "hr/handbook.docx")
    assert (details.entry.id, details.entry.passages) == ("h1", len(details.passages))
    assert " ".join(passage.text for passage in details.passages) == LONG
    assert [passage.position for passage in details.passages] == list(range(6))
    assert {passage.source for passage in details.passages} == {"hr/handbook.docx"}
    assert set(details.derived) == {passage.id for passage in details.passages}


def test_a_name_of_several_documents_is_no_document(index: Path) -> None:
    with pytest.raises(UsageError, match=r"names 2 documents \(h1, h2\): give one id"):
        read_document(index, "handbook.docx")


async def test_an_interrupted_update_says_how_far_it_came(
    index: Path, embedder: Any, make_embedder: Any
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    assert unfinished_build(index) is None
    new = Document("n", "New", "Something new.", {}, "it/new.txt")
    with pytest.raises(KeyboardInterrupt):
        await add([new], directory=index, embedder=make_embedder(before=interrupt))
    total = sum(entry.passages for entry in list_documents(index)) + 1
    assert str(unfinished_build(index)) == (
        f"interrupted: {total - 1} of {total} passages embedded; run the same command to continue"
    )
    await add([new], directory=index, embedder=embedder)
    assert unfinished_build(index) is None


async def test_a_build_that_read_nothing_says_so(directory: Path, index: Path) -> None:
    (index / MANIFEST_FILE).unlink()
    with closing(sqlite3.connect(index / CORPUS_FILE)) as corpus:
        corpus.execute("DELETE FROM passages")
        corpus.commit()
    assert str(unfinished_build(index)) == (
        "interrupted: no document read; run the same command to continue"
    )
    assert unfinished_build(directory / "nowhere") is None
