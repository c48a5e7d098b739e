"""Documents from LangChain's loaders."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from langchain_core.documents import Document as LoadedDocument

from hopyard.indexes.corpus.records import BadItem, Document
from hopyard.indexes.documents.langchain_loaders import convert, load_with
from hopyard.indexes.documents.loaders import load
from hopyard.state.errors import CorpusError, UsageError

LOADERS = "langchain_community.document_loaders"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(text: str, **metadata: object) -> LoadedDocument:
    return LoadedDocument(page_content=text, metadata=metadata)


def read(spec: str) -> list[Document]:
    return [found for found in load_with(spec) if isinstance(found, Document)]


def test_a_text_file() -> None:
    Path("moons of mars.txt").write_text("Mars has two moons.")

    (document,) = read(f"{LOADERS}.TextLoader:moons of mars.txt")

    assert (document.title, document.text) == ("moons of mars", "Mars has two moons.")
    assert (document.source, document.metadata) == ("moons of mars.txt", {})
    assert len(document.id) == 16


def test_rows_of_a_table_keep_their_place() -> None:
    Path("planets.csv").write_text("planet,moons\nEarth,1\nMars,2\n")

    earth, mars = read(f"{LOADERS}.CSVLoader:planets.csv")

    assert (earth.text, mars.text) == ("planet: Earth\nmoons: 1", "planet: Mars\nmoons: 2")
    assert (earth.metadata, mars.metadata) == ({"row": 0}, {"row": 1})
    assert earth.source == mars.source == "planets.csv"


def test_a_changed_text_keeps_its_id() -> None:
    def ids() -> list[str]:
        return [document.id for document in read(f"{LOADERS}.CSVLoader:planets.csv")]

    Path("planets.csv").write_text("planet,moons\nEarth,1\nMars,2\n")
    before = ids()
    Path("planets.csv").write_text("planet,moons\nEarth,1\nMars,3\nVenus,0\n")

    assert ids()[:2] == before
    assert len(set(ids())) == 3


def test_documents_of_a_file_are_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("planets.csv").write_text("planet,moons\nEarth,1\nMars,2\nVenus,none\n")
    whole = load([], [f"{LOADERS}.CSVLoader:planets.csv"])
    assert (len(whole.documents), whole.incomplete) == (3, [])

    from langchain_community.document_loaders import CSVLoader

    monkeypatch.setattr(CSVLoader, "lazy_load", lambda self: [
        loaded("planet: Earth", source="planets.csv"), loaded("A page.", source="https://a.example"),
    ])  # fmt: skip
    less = load([], [f"{LOADERS}.CSVLoader:planets.csv"])
    assert [str(each) for each in less.incomplete] == [
        'planets.csv: kept 25 % of the words; not read: words such as "moons", "1", "mars", "2", '
        '"venus"'
    ]


def test_an_import_that_warns_is_no_error() -> None:
    """langchain-community says on import that it is no longer maintained; tests raise warnings."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "langchain_community"]:
        del sys.modules[name]
    Path("a.txt").write_text("A text.")

    assert len(read(f"{LOADERS}.TextLoader:a.txt")) == 1


def test_a_documents_own_id_title_and_metadata() -> None:
    document = LoadedDocument(
        id="own",
        page_content="A\0 text.",
        metadata={
            "source": "https://example.org/Pluto",
            "title": "Pluto",
            "date": datetime(2024, 5, 6, tzinfo=UTC),
            "rank": 9,
            "planet": False,
            "nothing": None,
            "tags": ["dwarf"],
            "mass": float("nan"),
        },
    )

    assert list(convert([document], "elsewhere")) == [
        Document(
            id="own",
            title="Pluto",
            text="A text.",
            metadata={"date": "2024-05-06T00:00:00+00:00", "rank": 9, "planet": False},
            source="https://example.org/Pluto",
        )
    ]


@pytest.mark.parametrize(
    ("groups", "kept"), [(["hr", "board"], "board, hr"), ([], ""), ({"hr": 1}, ""), ("hr", "hr")]
)
def test_groups_are_kept_in_whatever_form(groups: object, kept: str) -> None:
    loaded = LoadedDocument(page_content="A text.", metadata={"groups": groups})
    [document] = convert([loaded], "elsewhere")
    assert isinstance(document, Document)
    assert document.metadata == {"groups": kept}


def test_pages_are_told_apart_by_number_and_not_by_place() -> None:
    def ids(*pages: int) -> dict[int, str]:
        documents = convert([loaded("A text.", source="a.pdf", page=n) for n in pages], "")
        return dict(zip(pages, [found.id for found in documents], strict=True))  # type: ignore[union-attr]

    every, some = ids(0, 1, 2), ids(0, 2)
    assert len(set(every.values())) == 3
    assert some == {0: every[0], 2: every[2]}


def test_an_empty_text_is_a_bad_item() -> None:
    found = list(convert([loaded(" ", page=3), loaded("A text."), loaded("\0")], "a.pdf"))

    assert [found[0], found[2]] == [
        BadItem("a.pdf, page 3", "the text is empty"),
        BadItem("a.pdf, document 2", "the text is empty"),
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere.Loader:x", "'nowhere.Loader' cannot be imported .*No module named 'nowhere'"),
        (f"{LOADERS}.NoLoader:x", "NoLoader' cannot be imported .*check the name, as in"),
        ("TextLoader:x", "'TextLoader' cannot be imported .*names no module"),
        ("pathlib.Path:x", "'pathlib.Path' is not a LangChain loader"),
        (f"{LOADERS}.TextLoader", r"TextLoader does not take '' \(?.*file_path"),
    ],
)
def test_a_loader_that_cannot_be_used(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(load_with(spec))


def test_a_loader_that_fails_changes_nothing() -> None:
    with pytest.raises(CorpusError, match=r"could not read 'gone.txt' .*; nothing was changed"):
        list(load_with(f"{LOADERS}.TextLoader:gone.txt"))


def test_a_loader_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loader:
        def lazy_load(self) -> list[LoadedDocument]:
            return [loaded("first"), loaded("second")]

    module = ModuleType("my_loaders")
    module.Loader = Loader  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_loaders", module)

    found = read("my_loaders.Loader")

    assert [document.text for document in found] == ["first", "second"]
    assert {document.source for document in found} == {"my_loaders.Loader"}


def test_paths_and_loaders_together() -> None:
    Path("a.txt").write_text("A text.")
    Path("b.txt").write_text("Another text.")
    Path("corpus.jsonl").write_text('{"id": "one", "text": "A line."}\n')
    loader = f"{LOADERS}.TextLoader"

    report = load(["corpus.jsonl"], [f"{loader}:a.txt", f"{loader}:b.txt", f"{loader}:a.txt"])

    assert [document.text for document in report.documents] == [
        "A line.",
        "A text.",
        "Another text.",
    ]
    assert (report.duplicates, report.bad) == (1, [])
