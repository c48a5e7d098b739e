"""`hopyard index sync`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from model_server import WordEmbedder

from hopyard.indexes.documents import loaders
from hopyard.indexes.documents.files import read_file
from hopyard.indexes.listing import list_documents
from hopyard.indexes.unread import unread_note
from hopyard.state.errors import UsageError

from ..conftest import Run


@pytest.fixture(autouse=True)
def embedding(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")


@pytest.fixture
def notes(folder: Path, hopyard: Run) -> Path:
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("Alpha is a letter.")
    (notes / "b.txt").write_text("Beta is another.")
    assert hopyard("index", "build", "notes", "--out", "i").code == 0
    return notes


def test_sync_once(hopyard: Run, notes: Path) -> None:
    (notes / "a.txt").unlink()
    (notes / "b.txt").write_text("Beta has changed.")
    (notes / "c.txt").write_text("Gamma is new.")

    changes = hopyard("index", "sync", "i", "notes", "--json").json["documents"]

    assert changes == {"added": 1, "updated": 1, "removed": 1, "unchanged": 0}
    again = hopyard("index", "sync", "i", "notes", "--json").json["documents"]
    assert again == {"added": 0, "updated": 0, "removed": 0, "unchanged": 2}


def test_sync_needs_an_index(hopyard: Run, notes: Path) -> None:
    assert hopyard("index", "sync", "nowhere", "notes").code == 3


def test_watching_follows_the_folder(
    hopyard: Run, notes: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[list[str]] = []
    sleep = asyncio.sleep

    async def turn(seconds: float) -> None:
        """Between two looks: change something; at last end it."""
        if seconds != 5.0:
            await sleep(seconds)
            return
        looks.append(sorted(Path(entry.source).name for entry in list_documents(folder / "i")))
        if len(looks) == 1:
            (notes / "c.txt").write_text("Gamma is new.")
        elif len(looks) == 3:
            (notes / "a.txt").unlink()
        elif len(looks) == 6:
            raise UsageError("enough")

    monkeypatch.setattr("hopyard.cli.index.sync.asyncio.sleep", turn)

    ended = hopyard("index", "sync", "i", "notes", "--watch")

    assert ended.err.splitlines()[-1] == "Error: enough"
    # A change is seen at one look, and read at the next where it has rested.
    assert looks == [
        ["a.txt", "b.txt"],
        ["a.txt", "b.txt"],
        ["a.txt", "b.txt", "c.txt"],
        ["a.txt", "b.txt", "c.txt"],
        ["b.txt", "c.txt"],
        ["b.txt", "c.txt"],
    ]


def test_a_sync_reads_only_files_whose_time_or_size_changed(
    hopyard: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        "hopyard.indexes.documents.loaders.read_file",
        lambda path, *given: read.append(path.name) or read_file(path, *given),
    )
    # The build has read both.
    assert hopyard("index", "sync", "i", "notes", "--json").json["documents"]["unchanged"] == 2
    assert read == []
    (notes / "b.txt").write_text("Beta has changed.")
    (notes / "c.txt").write_text("Gamma is new.")
    changes = hopyard("index", "sync", "i", "notes", "--json").json["documents"]
    assert changes == {"added": 1, "updated": 1, "removed": 0, "unchanged": 1}
    assert read == ["b.txt", "c.txt"]
    read.clear()
    # Another change of the index: what `remove` took out comes back, as the folder has it.
    hopyard("index", "remove", "i", "a.txt")
    changes = hopyard("index", "sync", "i", "notes", "--json").json["documents"]
    assert changes == {"added": 1, "updated": 0, "removed": 0, "unchanged": 2}
    assert read == ["a.txt", "b.txt", "c.txt"]
    read.clear()
    (notes / "a.txt").unlink()
    changes = hopyard("index", "sync", "i", "notes", "--json").json["documents"]
    assert changes == {"added": 0, "updated": 0, "removed": 1, "unchanged": 2}
    assert read == []
    # Another encoding reads other texts.
    hopyard("index", "sync", "i", "notes", "--encoding", "cp1250")
    assert read == ["b.txt", "c.txt"]


def test_a_broken_file_is_named_each_time_and_read_once(
    hopyard: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "c.json").write_bytes(b"{")
    (notes / "d.jsonl").write_text('{"text": "Delta."}\n{}\n')
    said = ["c.json: not valid JSON (", "d.jsonl:2: text: Field required"]
    read: list[str] = []
    once = loaders.read_file
    monkeypatch.setattr(
        loaders, "read_file", lambda path, *args: (read.append(path.name), *once(path, *args))[1:]
    )
    for names in (["c.json", "d.jsonl"], [], []):
        read.clear()
        ended = hopyard("index", "sync", "i", "notes")
        assert (ended.code, read) == (1, names)
        assert all(f"left out notes/{each}" in ended.err for each in said)
    (notes / "c.json").write_bytes(b"{}")
    (notes / "d.jsonl").write_text('{"text": "Delta."}\n')
    assert hopyard("index", "sync", "i", "notes").code == 0


def test_a_dry_run_lists_what_would_change(hopyard: Run, notes: Path) -> None:
    assert hopyard("index", "sync", "i", "notes", "--dry-run").out == (
        "documents: nothing would change\n"
    )
    (notes / "a.txt").unlink()
    (notes / "b.txt").write_text("Beta has changed.")
    (notes / "c.txt").write_text("Gamma is new.")
    assert hopyard("index", "sync", "i", "notes", "--dry-run").out.splitlines() == [
        "added    notes/c.txt",
        "updated  notes/b.txt",
        "removed  notes/a.txt",
        "documents: 1 added, 1 updated, 1 removed",
    ]
    found = hopyard("index", "sync", "i", "notes", "--dry-run", "--json").json["documents"]
    assert found == {
        "added": ["notes/c.txt"],
        "updated": ["notes/b.txt"],
        "removed": ["notes/a.txt"],
    }
    assert hopyard("index", "list", "i", "--json").json["passages"] == 2


def test_skipped_paths_are_named_as_they_were_given(hopyard: Run, notes: Path) -> None:
    (notes / "photo.png").write_bytes(b"")
    said = "left out notes/photo.png: .png files are not read: save it as .pdf for --ocr"
    assert said in hopyard("index", "build", "notes", "--out", "i").err
    assert said in hopyard("index", "sync", "i", "notes").err


def test_two_folders_of_one_name_are_followed_apart(hopyard: Run, folder: Path) -> None:
    for name, text in (("one", "Alpha."), ("two", "Beta.")):
        (folder / name / "docs").mkdir(parents=True)
        (folder / name / "docs" / "README.md").write_text(text)
    hopyard("index", "build", "one/docs", "--out", "j")

    added = hopyard("index", "add", "j", "two/docs", "--json")

    assert added.json["documents"]["added"] == 1
    assert "is another folder than the 'docs' that the index has" in added.err
    (folder / "two" / "docs" / "README.md").write_text("Beta has changed.")
    changes = hopyard("index", "sync", "j", "two/docs", "--json").json["documents"]
    assert changes == {"added": 0, "updated": 1, "removed": 0, "unchanged": 0}
    changes = hopyard("index", "sync", "j", "one/docs", "two/docs", "--json").json["documents"]
    assert changes["unchanged"] == 2
    hopyard("index", "build", "two/docs", "one/docs", "--out", "k")
    listed = hopyard("index", "list", "k", "--json").json["documents"]
    assert [entry["source"] for entry in listed] == ["one/docs/README.md", "two/docs/README.md"]


def test_what_was_not_read_is_known_until_it_is_read(
    hopyard: Run, notes: Path, folder: Path
) -> None:
    (notes / "photo.png").write_bytes(b"")
    (notes / "c.json").write_bytes(b"{")
    hopyard("index", "sync", "i", "notes")
    hopyard("index", "sync", "i", "notes")  # c.json is not read again
    said = unread_note(folder / "i")
    assert said.startswith("2 files of the index could not be read or not in full, and the answer ")
    assert "c.json (not valid JSON" in said
    assert said.endswith("photo.png (.png files are not read: save it as .pdf for --ocr).")
    (notes / "photo.png").unlink()
    (notes / "c.json").write_bytes(b'{"a": 1}')
    hopyard("index", "sync", "i", "notes")
    assert unread_note(folder / "i") == ""


def test_what_was_not_read_goes_with_its_document_and_its_index(
    hopyard: Run, notes: Path, folder: Path
) -> None:
    (notes / "c.json").write_bytes(b'{"a": 1}')
    hopyard("index", "sync", "i", "notes")
    (notes / "c.json").write_bytes(b"{")  # its last readable version stays
    hopyard("index", "sync", "i", "notes")
    hopyard("index", "copy", "i", "j")
    assert "c.json" in unread_note(folder / "i") and "c.json" in unread_note(folder / "j")
    hopyard("index", "remove", "i", "c.json")
    assert unread_note(folder / "i") == ""
    hopyard("index", "delete", "j", "--yes")
    assert not (folder / "j").exists()


def test_an_index_with_rights_says_who_may_read_what(
    hopyard: Run, notes: Path, folder: Path
) -> None:
    (notes / "pay").mkdir()
    (notes / "pay" / "c.md").write_text("---\ngroups: board\n---\nThe pay.")
    for rules, pay, other in (
        ('{".": "everyone", "pay": "hr, staff"}', "hr or staff and board", "everyone"),
        ('{"pay": "everyone"}', "board", "no group: no rule is about it"),
        ("{}", "board", ""),
    ):
        hopyard("index", "build", "notes", "--out", "k", "--set", f"indexing.rights={rules}")
        shown = " ".join(hopyard("index", "show", "k", "pay/c.md").out.split())
        assert f"readers {pay} passages" in shown
        shown = " ".join(hopyard("index", "show", "k", "a.txt").out.split())
        assert f"readers {other} passages" in shown if other else "readers" not in shown
        rights = [line for line in hopyard("index", "status", "k").out.splitlines() if "hr" in line]
        assert bool(rights) == ("hr" in rules)


def test_what_was_not_read_of_a_document_is_told_to_its_readers(
    hopyard: Run, notes: Path, folder: Path
) -> None:
    (notes / "c.jsonl").write_text('{"text": "The ferry runs.", "metadata": {"groups": "board"}}')
    rights = ("--set", 'indexing.rights={".": "everyone"}')
    hopyard("index", "build", "notes", "--out", "k", *rights)
    (notes / "c.jsonl").write_bytes(b"{")
    hopyard("index", "sync", "k", "notes")
    assert "c.jsonl" in unread_note(folder / "k")
    assert "c.jsonl" in unread_note(folder / "k", ["board"])
    assert unread_note(folder / "k", ["hr"]) == ""


def test_a_touched_file_is_not_read_again(
    hopyard: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(notes / "a.txt", (1_600_000_000, 1_600_000_000))
    monkeypatch.setattr("hopyard.indexes.documents.loaders.read_file", None)
    assert hopyard("index", "sync", "i", "notes", "--json").json["documents"]["unchanged"] == 2


def test_documents_without_a_date_are_counted(hopyard: Run, notes: Path) -> None:
    (notes / "2025-04-08-c.txt").write_text("Gamma is new.")
    hopyard("index", "sync", "i", "notes")
    said = "2 documents have no date that can be read and were left out by the filter."
    listed = hopyard("index", "list", "i", "--where", "date>=2025", "--json")
    assert (len(listed.json["documents"]), listed.json["notes"]) == (1, [said])
    found = hopyard("search", "letter", "-i", "i", "--where", "date>=2025", "--json")
    assert (len(found.json["evidence"]), found.json["problem"]) == (1, said)
    assert said in found.err


def test_a_sync_of_settled_files_opens_none_of_them(
    hopyard: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.documents.stamps._TICK", -(1 << 40))  # all are settled
    (notes / "b.txt").write_text("Beta has changed.")
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open" and str(arguments[0]).endswith(".txt"):
            opened.append(Path(str(arguments[0])).name)

    sys.addaudithook(watch)
    hopyard("index", "sync", "i", "notes")
    assert "b.txt" in opened
    opened.clear()
    again = hopyard("index", "sync", "i", "notes", "--json").json["documents"]
    watching = False
    assert (again["unchanged"], opened) == (2, [])


@pytest.mark.parametrize("real", [False, True], ids=["said", "tmpfs"])
def test_a_disk_that_is_not_mounted_keeps_its_documents(
    hopyard: Run, notes: Path, monkeypatch: pytest.MonkeyPatch, real: bool
) -> None:
    disk = notes / "disk"
    disk.mkdir()
    if real and subprocess.run(["mount", "-t", "tmpfs", "none", disk], check=False).returncode:
        pytest.skip("no right to mount")
    try:
        (disk / "c.txt").write_text("Gamma is on a disk.")
        with monkeypatch.context() as mounted:
            if not real:
                mounted.setattr("os.path.ismount", lambda path: Path(path) == disk)
            hopyard("index", "sync", "i", "notes")
    finally:
        if real:
            subprocess.run(["umount", disk], check=True)
    (disk / "c.txt").unlink(missing_ok=True)
    (notes / "a.txt").unlink()
    for _ in range(2):  # it is remembered
        ended = hopyard("index", "sync", "i", "notes")
        assert "disk' is empty, and another disk was mounted there: its documents stay" in ended.err
        listed = hopyard("index", "list", "i", "--json").json["documents"]
        assert [each["source"] for each in listed] == ["notes/b.txt", "notes/disk/c.txt"]
    disk.rmdir()
    assert hopyard("index", "sync", "i", "notes", "--json").json["documents"]["removed"] == 1
