"""`hopyard index list|show|remove|delete` and the status of an interrupted build."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import typer
from building import build
from model_server import WordEmbedder
from rich.console import Console
from rich.progress import Progress

from hopyard.cli.console import ProgressBar
from hopyard.cli.index.options import reading
from hopyard.indexes.building.deleting import delete_index
from hopyard.indexes.corpus import vectors
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.folders import FolderNames
from hopyard.indexes.index import Index
from hopyard.state.errors import IndexMissingError

from ..conftest import Run

DOCUMENTS = [
    Document(
        "h1",
        "Staff Handbook",
        "The desk opens at nine.\n\n\fThe desk closes at five.\n\n\f",
        {"date": "2024-01-05T10:00:00", "author": "Ann Ash"},
        "hr/handbook.docx",
    ),
    Document("mars", "Mars", "Mars has two moons.", {"date": "2019"}, "data/corpus.jsonl"),
    Document("venus", "Venus", "Venus has no moon.", {}, "data/corpus.jsonl"),
]


@pytest.fixture(autouse=True)
def embedding(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")


@pytest.fixture
def made(folder: Path) -> str:
    options = {"directory": folder / "i", "embedder": WordEmbedder()}
    build(DOCUMENTS, chunk_tokens=8, **options)  # type: ignore[arg-type]
    return "i"


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_documents_are_listed_within_80_columns(hopyard: Run, made: str) -> None:
    shown = lines(hopyard("index", "list", made).out)
    assert shown[0].split() == ["document", "passages", "date", "indexed"]
    assert shown[1].startswith("hr/handbook.docx         2  2024-01-05  20")
    assert shown[2] == "  Staff Handbook"
    assert [line.split()[0] for line in shown[3:5]] == ["mars", "venus"]
    assert shown[5] == "3 documents, 4 passages"
    assert max(map(len, shown)) <= 80


def test_the_folder_that_all_documents_are_in_is_named_once(hopyard: Run, folder: Path) -> None:
    paths = ["contracts/C-2024-003-framework-agreement.docx", "minutes/a.txt"]
    documents = [Document(path, path[-5:-4], "Text.", {}, f"company/{path}") for path in paths]
    build(documents, directory=folder / "j", embedder=WordEmbedder())
    shown = lines(hopyard("index", "list", "j").out)
    assert [line.split()[0] for line in shown[1:3]] == paths
    assert shown[3:] == ["2 documents, 2 passages; all in company/"]
    one = hopyard("index", "list", "j", "--where", "source=minutes/*").out
    assert "company/minutes/a.txt" in one


def test_the_list_is_filtered(hopyard: Run, made: str) -> None:
    listed = hopyard("index", "list", made, "--where", "date>=2020", "--json").json
    assert listed["passages"] == 2
    [entry] = listed["documents"]
    indexed = entry.pop("indexed")
    assert indexed.startswith("20")
    assert entry == {
        "id": "h1",
        "title": "Staff Handbook",
        "source": "hr/handbook.docx",
        "passages": 2,
        "date": "2024-01-05",
        "metadata": DOCUMENTS[0].metadata,
    }
    assert hopyard("index", "list", made, "--where", "page=2", "--json").json["passages"] == 1
    none = hopyard("index", "list", made, "--where", "date>2030")
    assert (none.code, none.out) == (0, "0 documents, 0 passages\n")
    wrong = hopyard("index", "list", made, "--where", "date")
    assert wrong.code == 2
    assert "'date' is not a condition" in wrong.error


def test_a_document_is_shown(hopyard: Run, made: str) -> None:
    shown = lines(hopyard("index", "show", made, "handbook.docx").out)
    assert shown[:3] == [
        "document  hr/handbook.docx",
        "title     Staff Handbook",
        "id        h1",
    ]
    assert "author    Ann Ash" in shown
    assert "passages  2" in shown
    place = shown.index("    The desk opens at nine.")
    assert shown[place - 1].startswith(" 1  p. 1  h1#")
    assert "    The desk closes at five." in shown

    found = hopyard("index", "show", made, "h1", "--json").json
    assert [passage["pages"] for passage in found["passages"]] == ["1", "2"]
    assert found["passages"][0]["text"] == "The desk opens at nine."
    assert found["passages"][0]["derived"] == {}
    assert found["sections"] == {}


def test_a_long_passage_is_cut_unless_its_text_is_asked_for(hopyard: Run, folder: Path) -> None:
    text = "[red]word[/red] \x1b[2J" + "word " * 100
    build([Document("a", "", text)], directory=folder / "j", embedder=WordEmbedder())
    short, whole = (hopyard("index", "show", "j", "a", *more).out for more in ((), ("--texts",)))
    assert short.count("word") < 50
    assert short.rstrip().endswith("…")
    assert whole.count("word") == 101
    assert "[red]word[/red]" in short
    assert "\x1b" not in short + whole


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (["hr/handbook.docx"], ["mars", "venus"]),
        (["*.docx"], ["mars", "venus"]),
        (["mars"], ["h1", "venus"]),
        (["--where", "date<2020"], ["h1", "venus"]),
        (["data/corpus.jsonl"], ["h1"]),
    ],
)
def test_documents_are_removed(
    hopyard: Run, made: str, arguments: list[str], left: list[str]
) -> None:
    going = hopyard("index", "remove", made, *arguments, "--dry-run", "--json").json
    assert sorted(entry["id"] for entry in going["documents"]) == sorted(
        {"h1", "mars", "venus"} - set(left)
    )
    assert len(hopyard("index", "list", made, "--json").json["documents"]) == 3
    removed = hopyard("index", "remove", made, *arguments, "--json").json
    assert removed["documents"]["removed"] == 3 - len(left)
    entries = hopyard("index", "list", made, "--json").json["documents"]
    assert [entry["id"] for entry in entries] == left


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["list", "nowhere"], 3, "no index in 'nowhere'"),
        (["show", "nowhere", "x"], 3, "no index in 'nowhere'"),
        (["show", "i", "x.pdf"], 2, "hopyard index list i"),
        (["show", "i", "corpus.jsonl"], 2, "names 2 documents (mars, venus)"),
        (["remove", "i", "*.txt"], 2, "is named '*.txt'"),
        (["remove", "i"], 2, "nothing to remove"),
        (["remove", "i", "--where", "page=2"], 2, "filter on page"),
        (["remove", "i", "--where", "topic=x"], 2, "'topic'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    hopyard: Run, made: str, arguments: list[str], code: int, said: str
) -> None:
    ended = hopyard("index", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.error


def test_an_index_is_deleted_and_other_files_stay(hopyard: Run, made: str, folder: Path) -> None:
    own = {path.name for path in (folder / made).iterdir()}
    assert {"manifest.json", "corpus.sqlite", "gen-0000001"} <= own
    for name, text in (("notes.txt", "Mine."), ("mine.sqlite", ""), ("gen-mine.txt", "Mine.")):
        (folder / made / name).write_text(text)
    (folder / made / "gen-1").mkdir()
    with closing(sqlite3.connect(folder / made / "letters.sqlite")) as letters:
        letters.execute("CREATE TABLE written (letter TEXT)")
    refused = hopyard("index", "delete", made)
    assert refused.error == "Nobody can be asked here: add --yes to delete the index 'i'."
    assert own <= {path.name for path in (folder / made).iterdir()}
    size = sum(path.stat().st_size for path in (folder / made).rglob("*") if path.is_file())
    ended = hopyard("index", "delete", made, "--yes", "--json")
    kept = ["gen-1", "gen-mine.txt", "letters.sqlite", "mine.sqlite", "notes.txt"]
    assert (ended.json["deleted"], ended.json["left"]) == ("i", kept)
    others = sum((folder / made / name).stat().st_size for name in kept[1:])
    assert size - others - 50 < ended.json["bytes"] <= size - others  # but for the lock
    assert sorted(path.name for path in (folder / made).iterdir()) == kept
    missing = hopyard("index", "delete", made, "--yes")
    assert missing.error == "There is no index 'i': nothing was deleted."


def test_the_folder_of_a_deleted_index_goes(
    hopyard: Run, made: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.cli.approve.can_ask", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, abort, **__: exit_if(abort))
    hopyard("index", "delete", made)
    assert (folder / made / "manifest.json").exists(), "the answer was no"
    with hold_lock(folder / made):
        busy = hopyard("index", "delete", made, "--yes")
    assert "is being built by process" in busy.error and (folder / made / "manifest.json").exists()
    (folder / made / "manifest.json").unlink()  # as after a kill
    assert hopyard("index", "delete", made, "--yes").code == 0
    assert not (folder / made).exists()


@pytest.mark.parametrize("corpus", [False, True])
def test_a_folder_of_another_program_is_no_index(hopyard: Run, folder: Path, corpus: bool) -> None:
    """Browsers have extensions with a manifest.json, too."""
    own = folder / "extension"
    (own / "gen-0000001").mkdir(parents=True)
    (own / "manifest.json").write_text('{"manifest_version": 3, "name": "Mine"}')
    if corpus:
        with closing(sqlite3.connect(own / "corpus.sqlite")) as texts:
            texts.execute("CREATE TABLE passages (verse TEXT)")
    before = sorted(own.iterdir())
    for name in ("extension", "extension/../extension", "nothing"):
        ended = hopyard("index", "delete", name, "--yes")
        assert ended.error == f"There is no index {name!r}: nothing was deleted."
        with pytest.raises(IndexMissingError):
            delete_index(name)
    assert sorted(own.iterdir()) == before and not (folder / "nothing").exists()


def test_an_index_that_is_linked_and_read_is_deleted(made: str, folder: Path) -> None:
    (folder / "link").symlink_to(folder / made, target_is_directory=True)
    with Index.open(folder / made) as index:
        words = index.reader("sparse")
        assert delete_index(str(folder / "link")) == []
        assert words.search("moons", 1), "a reader keeps the files that it has opened"
    assert (folder / "link").is_symlink() and not [*(folder / made).iterdir()]


def exit_if(abort: bool) -> None:
    if abort:
        raise typer.Abort


def test_the_status_of_an_interrupted_build(
    hopyard: Run, folder: Path, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "BATCH", 2)
    docs = folder / "docs"
    docs.mkdir()
    for number in range(5):
        (docs / f"{number}.txt").write_text("word " * (number + 1))
    command = ("index", "build", docs, "--out", "i")
    usual, asked = words.embed_documents, []

    def embed(texts: list[str]) -> object:
        asked.append(texts)
        if len(asked) > 1:
            raise KeyboardInterrupt
        return usual(texts)

    monkeypatch.setattr(words, "embed_documents", embed)
    assert hopyard(*command).code == 130
    said = "interrupted: 2 of 5 passages embedded; run the same command to continue"
    assert lines(hopyard("index", "status", "i").out) == ["index  i", f"state  {said}"]
    assert hopyard("index", "status", "i", "--json").json["interrupted"] == said
    asking = hopyard("search", "word", "-i", "i")
    assert asking.code == 3
    assert "`hopyard index status " in asking.error

    monkeypatch.setattr(words, "embed_documents", usual)
    assert hopyard(*command).code == 0
    assert hopyard("index", "status", "i", "--json").json["interrupted"] == ""


def test_a_build_names_the_file_that_it_reads(tmp_path: Path) -> None:
    for name in ("a.txt", "slow.txt"):
        (tmp_path / name).write_text("Tide.")
    progress = Progress(console=Console(quiet=True))
    names = FolderNames([tmp_path], tmp_path / "i")
    with progress:
        _, documents = reading([tmp_path], [], "", "", ProgressBar(progress), names)
        shown = [(each.title, progress.tasks[0].fields["file"]) for each in documents]
    assert shown == [("a", "a.txt"), ("slow", "slow.txt")]
