"""Indexes built from Python: paths, LangChain's documents and loaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

import hopyard
from hopyard.indexes.listing import list_documents
from hopyard.indexes.status import status
from hopyard.state.errors import CorpusError, EmbeddingMismatchError, UsageError
from hopyard.testing import WordEmbedder


class Loader(BaseLoader):
    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def lazy_load(self) -> Any:
        for text in self.texts:
            if text == "fail":
                raise OSError("no network")
            yield Document(text, metadata={"source": "https://example.org/a", "year": 1781})


@pytest.fixture(autouse=True)
def words() -> None:
    hopyard.register_embedding("words", WordEmbedder())


def ids(index: Path) -> set[str]:
    return {entry.source for entry in list_documents(index)}


def test_every_source_at_once(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The Iron Bridge was opened in 1781.")
    (tmp_path / "docs" / "b.xyz").write_text("?")
    index = tmp_path / "index"
    report = hopyard.build_index(
        index,
        [
            tmp_path / "docs",
            Document("The Severn is a river.", metadata={"source": "notes"}),
            Document(" ", metadata={"source": "empty"}),
            Loader("The Danube is a river."),
        ],
        embedding="words",
        kinds=["sparse"],
    )
    assert (report.added, report.passages, report.index) == (3, 3, index)
    assert [item.reason for item in report.bad] == ["the text is empty"]
    assert [Path(item.path).name for item in report.skipped] == ["b.xyz"]
    assert ids(index) == {"docs/a.txt", "notes", "https://example.org/a"}
    assert status(index).manifest.kinds == ("sparse",)


def test_a_spreadsheet_is_indexed_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("name,price\noar,640\nboat,9200\n")
    hopyard.build_index(tmp_path / "index", tmp_path / "prices.csv", embedding="words")
    assert status(tmp_path / "index").manifest.kinds == ("dense", "sparse", "tables")


async def test_async_and_again(tmp_path: Path) -> None:
    index = tmp_path / "index"
    loader = Loader("One.", "Two.")
    first = await hopyard.abuild_index(str(index), loader, embedding="words")
    again = await hopyard.abuild_index(str(index), loader, embedding="words")
    assert (first.added, again.added, again.unchanged) == (2, 0, 2)


def test_add_uses_the_models_of_the_last_build(tmp_path: Path) -> None:
    index = tmp_path / "index"
    hopyard.build_index(index, Document("One.", id="1"), embedding="words")
    report = hopyard.add_documents(index, [Document("Two.", id="2"), Document("1.", id="1")])
    assert (report.added, report.updated, report.passages) == (1, 1, 2)


def test_embeddings_as_an_object(tmp_path: Path) -> None:
    index = tmp_path / "index"
    made = DeterministicFakeEmbedding(size=8)
    hopyard.build_index(index, Document("One.", id="1"), embedding=made, kinds=["dense"])
    found = hopyard.Hopyard(index, embedding=DeterministicFakeEmbedding(size=8)).search(
        "One.", search="dense"
    )
    assert [unit.id for unit in found] == ["1"]
    other = hopyard.Hopyard(index, embedding=DeterministicFakeEmbedding(size=9))
    with pytest.raises(EmbeddingMismatchError):
        other.search("One.")
    with pytest.raises(UsageError, match="was a Python object"):
        hopyard.add_documents(index, Document("Two.", id="2"))


@pytest.mark.parametrize(
    ("documents", "error", "said"),
    [
        ([], CorpusError, "No documents were given"),
        (Document(" "), CorpusError, "No document could be read"),
        ("nowhere", UsageError, "no file or folder"),
        ([3], UsageError, "type int is not a document"),
        (Loader("One.", "fail"), CorpusError, "Loader could not read its documents"),
    ],
)
def test_what_cannot_be_read(
    tmp_path: Path, documents: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        hopyard.build_index(tmp_path / "index", documents, embedding="words")


def test_progress_and_settings(tmp_path: Path) -> None:
    stages: set[str] = set()
    hopyard.build_index(
        tmp_path / "index",
        Document("One.", metadata={"author": "Ann"}),
        embedding="words",
        progress=lambda stage, done, total: stages.add(stage),
        settings={"indexing.language": "en"},
    )
    assert "embed" in " ".join(stages)
    assert status(tmp_path / "index").manifest.language == "en"
