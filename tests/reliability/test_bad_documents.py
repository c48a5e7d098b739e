"""Documents that no one would want: a clear error, or an item that is skipped and counted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from building import build
from model_server import WordEmbedder

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.loaders import LoadReport, load
from hopyard.indexes.index import Index
from hopyard.models.embedder import Vector, Vectors

PDF_THAT_LIES = (
    b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    b"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n"
    b"3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>\nendobj\n"
    b"4 0 obj\n<< /Length 999999999 >>\nstream\nBT (cut) Tj\nstartxref\n77\n%%EOF\n"
)


class OneVector(WordEmbedder):
    """As quick as can be: the vector hangs on the length of the text alone."""

    def embed_documents(self, texts: list[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            angle = (len(text) % 97 + hash(text) % 1000) / 1000
            rows[row, :2] = np.cos(angle), np.sin(angle)
        return rows

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_documents([text])[0]
        return vector


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "good.txt").write_text("Mars has two moons.")
    return folder


def _index(folder: Path, out: Path) -> LoadReport:
    """Load and build; everything else in the parent folder stays as it is."""
    before = {each: each.stat().st_mtime_ns for each in out.parent.rglob("*") if each.is_file()}
    report = load([folder])
    build(report.documents, directory=out, embedder=OneVector())
    after = {each: each.stat().st_mtime_ns for each in out.parent.rglob("*") if each.is_file()}
    assert {k: v for k, v in after.items() if not k.is_relative_to(out)} == before
    Index.open(out, OneVector()).close()
    return report


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"\x81\x00\xff\xfe", "not text in a known encoding"),
        ("a.md", bytes(range(256)) * 40, "not text in a known encoding"),
        ("a.jsonl", b'{"text": "' + b"x" * 50_000_000, "line: Invalid JSON"),
        ("a.jsonl", b"\xff" * 50_000_000, "not valid UTF-8"),
        ("a.jsonl", b"[" * 100_000, "line: Invalid JSON"),
        ("a.jsonl", b'{"text": "\\ud83d}', "line: Invalid JSON"),
        ("a.jsonl", b'{"text": "\\ud83d"}', ""),
        ("a.jsonl", b'{"text": "x", "metadata": {"a": {"b": 1}}}', "metadata.a"),
        ("a.pdf", PDF_THAT_LIES, "PDF"),
        ("a.pdf", b"%PDF-1.7\n" + os.urandom(1000), "not a readable PDF"),
        ("a.html", b'<meta charset="utf-7">+ADw-script+AD4-', ""),
    ],
)
def test_a_bad_item_is_counted_and_the_others_are_kept(
    name: str, data: bytes, reason: str, folder: Path, tmp_path: Path
) -> None:
    (folder / name).write_bytes(data)
    report = _index(folder, tmp_path / "index")
    if reason:
        [bad] = report.bad
        assert reason in bad.reason
        assert name in bad.source
        assert len(bad.reason) < 500
    assert any(document.text == "Mars has two moons." for document in report.documents)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b""),
        ("a.txt", b" \n\t\x00\n"),
        ("a.html", b"<script>alert(1)</script><style>p {}</style>"),
    ],
)
def test_an_empty_file_is_named_and_is_no_error(
    name: str, data: bytes, folder: Path, tmp_path: Path
) -> None:
    (folder / name).write_bytes(data)
    report = _index(folder, tmp_path / "index")
    assert report.bad == []
    [skipped] = report.skipped
    assert (Path(skipped.path).name, skipped.reason) == (name, "the text is empty")


def test_a_long_line_is_cut_into_passages(folder: Path, tmp_path: Path) -> None:
    (folder / "long.txt").write_text("Mars has two moons. " * 10_000)
    (folder / "unbroken.txt").write_text("x" * 200_000)
    report = _index(folder, tmp_path / "index")
    assert (len(report.documents), report.bad) == (3, [])


def test_odd_characters_are_kept_and_found(folder: Path, tmp_path: Path) -> None:
    text = "\u202eמאדים\u202c has\u200b two\u2060 moons\ufeff, \u0645\u0631\u064a\u062e"
    (folder / "odd.txt").write_text(text)
    _index(folder, tmp_path / "index")
    with Index.open(tmp_path / "index") as index:
        assert text in {passage.text for passage in index.corpus.passages()}


def test_half_characters_are_replaced_in_texts_metadata_and_names(
    folder: Path, tmp_path: Path
) -> None:
    """JSON may escape half of an emoji, and a file name may be no UTF-8."""
    line = (
        b'{"id": "m\\ud800", "title": "Mo\\udc00", "text": "It has a moon \\ud83d\\ude00\\ud83d.", '
        b'"metadata": {"a\\udfff": "Ann\\ud83d"}}'
    )
    (folder / "moons.jsonl").write_bytes(line)
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("A cafe on Mars.")
    except OSError:
        pytest.skip("this file system takes only UTF-8")
    report = _index(folder, tmp_path / "index")
    assert report.bad == []
    with Index.open(tmp_path / "index") as index:
        found = {passage.text: passage for passage in index.corpus.passages()}
    moon = found["It has a moon \U0001f600\ufffd."]
    assert (moon.document_id, moon.title) == ("m\ufffd", "Mo\ufffd")
    assert moon.metadata == {"a\ufffd": "Ann\ufffd"}
    assert found["A cafe on Mars."].source == "documents/caf\ufffd.txt"


def test_scripts_of_a_page_are_no_text(folder: Path, tmp_path: Path) -> None:
    page = "<title>Mars</title><body onload=x()>Two moons.<script>steal()</script><!-- hid -->"
    (folder / "page.html").write_text(page)
    [_, document] = _index(folder, tmp_path / "index").documents
    assert (document.title, document.text) == ("Mars", "Two moons.")


def test_a_deeply_nested_page_is_read_or_counted(folder: Path, tmp_path: Path) -> None:
    (folder / "deep.html").write_text("<div>" * 5000 + "deep")
    report = _index(folder, tmp_path / "index")
    assert len(report.documents) + len(report.bad) == 2


def test_names_and_links_lead_nowhere(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("A secret of another folder.")
    (folder / "link.txt").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "..mars...txt").write_text("hidden by its name")
    (folder / "a..b.txt").write_text("Deimos is a moon.")
    ids = ("../../etc/passwd", "/etc/passwd", "..", "a/../../b", "con", "x" * 5000, "\u202e")
    lines = [{"id": each, "title": "../t", "text": f"text {n}"} for n, each in enumerate(ids)]
    (folder / "ids.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = _index(folder, tmp_path / "index")
    assert {Path(each.path).name for each in report.skipped} == {"link.txt", "loop", "..mars...txt"}
    assert {each.id for each in report.documents} >= set(ids)
    assert all("secret" not in each.text for each in report.documents)
    names = {each.name for each in (tmp_path / "index").rglob("*")}
    assert not names & {"passwd", "b", "con", "t"}


def test_two_thousand_near_duplicates_are_indexed(tmp_path: Path) -> None:
    documents = [
        Document(f"d{number}", "Moons", f"Mars has two moons, {number}.") for number in range(2_000)
    ]
    report = build(documents, directory=tmp_path / "index", embedder=OneVector())
    assert report.passages == 2_000
    with Index.open(tmp_path / "index", OneVector()) as index:
        [(passage_id, _)] = index.reader("sparse").search("1242", 1)
        assert passage_id.startswith("d1242")


@pytest.mark.parametrize(
    "make", [lambda folder: folder / "missing", lambda folder: folder / "bare"]
)
def test_nothing_to_index_is_an_error(make: Callable[[Path], Path], tmp_path: Path) -> None:
    from hopyard.state.errors import HopyardError

    (tmp_path / "bare").mkdir()
    with pytest.raises(HopyardError, match=r"check the path|would hold no document"):
        report = load([make(tmp_path)])
        build(report.documents, directory=tmp_path / "index", embedder=OneVector())
