"""Large files: limits, memory, and how far reading is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from hopyard.indexes.corpus.long_text import LongText
from hopyard.indexes.documents.loaders import LoadReport, load, read
from hopyard.state.errors import UsageError

from .readers.pdf.pdfs import pdf_pages


def test_bytes_are_told_while_a_large_file_is_read(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    (tmp_path / "a.txt").write_text("word " * 200)
    (tmp_path / "b.txt").write_text("line\n" * 1_000_000)

    documents = read([tmp_path], (), LoadReport(), progress=lambda *done: told.append(done))

    assert [len(document.text) for document in documents] == [1000, 5_000_000]
    total = 5_001_000
    assert told[:2] == [("files", 0, 2), ("bytes", 0, total)]
    assert told[-2:] == [("files", 2, 2), ("bytes", total, total)]
    done = [count for stage, count, _ in told if stage == "bytes"]
    assert done == sorted(done)  # it is read twice: to see whether it is UTF-8, and for its text
    assert len(done) >= 6


def test_a_long_file_is_not_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.long_text._IN_MEMORY", 1000)
    text = "Ein Satz, und noch einer.\n" * 100
    for name in ("a.txt", "b.md", "c.txt"):
        (tmp_path / name).write_text(f"{text}{name}\0" if name < "c" else f"{text}a.txt")

    report = load([tmp_path, tmp_path / "c.txt"])

    assert [str(document.text) for document in report.documents] == [
        f"{text}a.txt", f"{text}b.md", f"{text}a.txt",
    ]  # fmt: skip
    assert all(isinstance(document.text, LongText) for document in report.documents)
    assert report.duplicates == 1


def test_a_file_that_is_read_at_once_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, book = tmp_path / "page.html", tmp_path / "book.epub"
    page.write_text(f"<p>{'word ' * 500_000}</p>")
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chapter.xhtml", "word " * 600_000)
        archive.writestr("picture.png", b"0" * 9_000_000)

    monkeypatch.setenv("HOPYARD_LARGEST_FILE", "2")
    small, large = load([tmp_path]).bad

    assert small.source == str(book)
    assert "3 MB of it" in small.reason
    assert large.source == str(page)
    assert large.reason == (
        "3 MB of it would be in memory many times over, and a .html file may have 2: split it, "
        "convert it to text, or set HOPYARD_LARGEST_FILE=3"
    )
    monkeypatch.setenv("HOPYARD_LARGEST_FILE", "3")
    assert len(load([page]).documents) == 1
    monkeypatch.setenv("HOPYARD_LARGEST_FILE", "2 MB")
    with pytest.raises(UsageError, match="'2 MB'; set it to a number of megabytes"):
        load([page])


def test_pages_are_told_while_they_are_read_and_counted_over_all_files(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    (tmp_path / "a.pdf").write_bytes(pdf_pages([["One."], ["Two."]]))
    (tmp_path / "b.pdf").write_bytes(pdf_pages([["One."]]))
    (tmp_path / "c.pdf").write_bytes(pdf_pages([["One."], ["Two."]]))
    list(read([tmp_path], (), LoadReport(), progress=lambda *done: told.append(done)))
    counts = [(done, total) for stage, done, total in told if stage == "pages"]
    assert counts == [(1, 2), (2, 2), (3, 3), (4, 5), (5, 5)]
