from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.boxes import PageText
from hopyard.indexes.corpus.corpus_file import CORPUS_FILE
from hopyard.indexes.corpus.records import Document, Passage, text_hash
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.store import CorpusStore
from hopyard.state.errors import CorpusError, IndexMissingError

Put = Callable[..., None]


def passages_of(document_id: str, *texts: str) -> list[Passage]:
    return [
        Passage(
            *(f"{document_id}#{text}", document_id, position, "T", text, text_hash(text), 1),
            header="The Verge",
            pages="3-4",
            section="Travel › Flights",
            source="file",
            metadata={"n": 1, "ok": True},
        )
        for position, text in enumerate(texts)
    ]


@pytest.fixture
def put(store: CorpusStore) -> Put:
    def put(document_id: str, *texts: str, generation: int) -> None:
        document = Document(document_id, "T", " ".join(texts), {"n": 1, "ok": True}, "file")
        with store.transaction():
            store.put(document, " ".join(texts), passages_of(document_id, *texts), generation)

    return put


def test_a_reader_sees_its_generation_until_two_later(
    store: CorpusStore, put: Put, tmp_path: Path
) -> None:
    put("a", "one", "two", generation=1)
    put("b", "three", generation=1)
    put("a", "one", "four", generation=2)
    with store.transaction():
        store.remove(["b"], 3)

    first, second, third = (Snapshot(tmp_path, generation) for generation in (1, 2, 3))

    with first, second, third:
        assert first.passage_ids() == ["a#one", "a#two", "b#three"]
        assert second.passage_ids() == ["a#four", "a#one", "b#three"]
        assert third.passage_ids() == ["a#four", "a#one"]
        assert first.counts() == {"documents": 2, "passages": 3}
        assert [document.text for document in first.documents()] == ["one two", "three"]
        assert [document.text for document in second.documents(["a"])] == ["one four"]

        store.purge(2)

        assert second.passage_ids() == ["a#four", "a#one", "b#three"]
        with pytest.raises(IndexMissingError, match=r"Generation 1 .* open the index again"):
            first.passage_ids()


def test_the_places_of_words_belong_to_a_version_of_a_document(
    store: CorpusStore, tmp_path: Path
) -> None:
    text = "One.\n\n\fTwo.\n\n\f"
    for generation, boxes in enumerate(((b"1", b"2"), (b"", b"3")), start=1):
        with store.transaction():
            document = Document("a", "T", text, boxes=boxes)
            store.put(document, str(generation), iter(passages_of("a", text)), generation)
    first, second = (Snapshot(tmp_path, generation) for generation in (1, 2))
    with first, second:
        assert first.pages("a", 1, 2) == [
            PageText(1, "One.\n\n", b"1"),
            PageText(2, "Two.\n\n", b"2"),
        ]
        assert second.pages("a", 1, 2) == [
            PageText(1, "One.\n\n", b""),
            PageText(2, "Two.\n\n", b"3"),
        ]
        assert second.pages("b", 1, 2) == []
        store.purge(2)
        assert store.run("SELECT boxes FROM boxes") == [(b"3",)]
        store.roll_back(1)
        assert store.run("SELECT boxes FROM boxes") == []


def test_passages_that_stay_are_not_touched(store: CorpusStore, put: Put, tmp_path: Path) -> None:
    put("a", "one", "two", generation=1)
    put("a", "one", "two", "three", generation=2)

    store.roll_back(1)

    with Snapshot(tmp_path, 1) as snapshot:
        assert snapshot.passage_ids() == ["a#one", "a#two"]
    assert store.fingerprint("a") == "one two" and store.fingerprint("b") is None


ROWS = st.lists(st.sampled_from("abcdefg"), unique=True)


@given(ROWS, ROWS)
def test_an_update_changes_what_differs(before: list[str], after: list[str]) -> None:
    """A batch may bring a passage that stood in a later one, or that comes again in a later one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        CorpusStore(Path(folder)) as store,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("hopyard.indexes.corpus.store._AT_ONCE", 2)
        for generation, texts in enumerate((before, after), start=1):
            with store.transaction():
                passages = iter(passages_of("a", *texts))
                store.put(Document("a", "T", "x"), str(generation), passages, generation)
        for generation, texts in enumerate((before, after), start=1):
            with Snapshot(Path(folder), generation) as snapshot:
                assert [each.text for each in snapshot.passages_of("a")] == texts
        added = store.run("SELECT text, position FROM passages WHERE added = 2")
        assert set(added) == {*_placed(after)} - {*_placed(before)}


def _placed(texts: list[str]) -> list[tuple[str, int]]:
    return [(text, position) for position, text in enumerate(texts)]


def test_a_document_that_breaks_off_leaves_what_was_there(
    store: CorpusStore, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.store._AT_ONCE", 1)
    put("a", "one", "two", generation=1)

    def broken() -> Iterator[Passage]:
        yield from passages_of("a", "other", "two")
        raise CorpusError("too long")

    with store.transaction():
        with pytest.raises(CorpusError, match="too long"):
            store.put(Document("a", "T", "other"), "2", broken(), 2)
        store.put(Document("b", "T", "three"), "3", passages_of("b", "three"), 2)

    with Snapshot(tmp_path, 2) as snapshot:
        assert snapshot.passage_ids() == ["a#one", "a#two", "b#three"]
        assert [each.text for each in snapshot.documents()] == ["one two", "three"]


def test_long_texts_are_kept_in_parts(
    store: CorpusStore, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.long_text.STRETCH", 4)
    put("a", "one two", "three", generation=1)
    put("b", "short", generation=1)
    put("a", "one", "three four", generation=2)
    put("b", "again", generation=3)
    store.roll_back(2)

    with Snapshot(tmp_path, 1) as first, Snapshot(tmp_path, 2) as second:
        assert [each.text for each in first.documents()] == ["one two three", "short"]
        assert [each.text for each in second.documents()] == ["one three four", "short"]
        assert [each.text for each in second.documents(["b"])] == ["short"]
    longest = store.run("SELECT max(length(text)) FROM documents")
    assert longest == [(4,)]

    store.purge(2)

    assert store.run("SELECT DISTINCT document_id, added FROM continuations") == [
        ("a", 2),
        ("b", 1),
    ]


def test_documents_and_passages_come_back_as_they_were(put: Put, tmp_path: Path) -> None:
    put("a", "one", "two", generation=1)

    with Snapshot(tmp_path, 1) as snapshot:
        assert snapshot.documents() == [Document("a", "T", "one two", {"n": 1, "ok": True}, "file")]
        assert snapshot.get(["a#two", "a#one", "a#two"]) == [
            passages_of("a", "one", "two")[position] for position in (1, 0, 1)
        ]
        assert list(snapshot.passages()) == passages_of("a", "one", "two")
        with pytest.raises(IndexMissingError, match="'x' is not in the index"):
            snapshot.get(["a#one", "x"])


def test_all_passages_are_gone_through_in_pages(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.snapshot._PAGE", 3)
    put("a", *"hgfedcba", generation=1)

    with Snapshot(tmp_path, 1) as snapshot:
        assert [passage.text for passage in snapshot.passages()] == list("abcdefgh")


def test_two_documents_cannot_share_a_passage_id(store: CorpusStore, put: Put) -> None:
    put("a", "one", generation=1)

    with pytest.raises(CorpusError, match="passage of document 'b'"), store.transaction():
        store.put(Document("b", "", ""), "", passages_of("a", "one"), 1)

    assert (store.count(), store.fingerprint("a") is None) == (1, False)


def test_a_transaction_that_fails_leaves_nothing(store: CorpusStore) -> None:
    with pytest.raises(KeyboardInterrupt), store.transaction():
        store.put(Document("a", "T", "one"), "", passages_of("a", "one"), 1)
        raise KeyboardInterrupt

    assert store.count() == 0


def test_many_threads_read_one_snapshot(put: Put, tmp_path: Path) -> None:
    put("a", *map(str, range(50)), generation=1)

    with Snapshot(tmp_path, 1) as snapshot, ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda number: snapshot.get([f"a#{number % 50}"])[0].text, range(200))
        assert list(found) == [str(number % 50) for number in range(200)]


def test_a_missing_and_a_damaged_file(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"corpus\.sqlite.*hopyard index build"):
        Snapshot(tmp_path, 1)

    (tmp_path / CORPUS_FILE).write_bytes(b"this is no database" * 100)

    with pytest.raises(IndexMissingError, match="damaged, so delete that file"):
        Snapshot(tmp_path, 1).counts()
    with pytest.raises(IndexMissingError, match="damaged, so delete that file"):
        CorpusStore(tmp_path)


def test_reading_where_nothing_can_be_written(
    store: CorpusStore, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a", "one", generation=1)
    store.close()
    monkeypatch.setattr("os.access", lambda *_: False)
    before = sorted(file.name for file in tmp_path.iterdir())

    with Snapshot(tmp_path, 1) as snapshot:
        assert snapshot.passage_ids() == ["a#one"]
        assert sorted(file.name for file in tmp_path.iterdir()) == before == [CORPUS_FILE]
