from __future__ import annotations

import hashlib
import json
import os
from datetime import datetime
from pathlib import Path

import docx
import pytest

from hopyard.indexes.documents import loaders
from hopyard.indexes.documents.loaders import default_kinds, load
from hopyard.state.errors import UsageError

from .readers.pdf.pdfs import drawn


def derived(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return tmp_path / "corpus.jsonl"


def write(path: Path, *lines: object) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_a_corpus_line(corpus: Path) -> None:
    write(
        corpus,
        {"id": "a", "title": "T", "text": "One.", "metadata": {"year": 1990, "x": None}, "url": ""},
        {"id": 7, "text": "Two\0."},
        {"title": "T", "text": "Three."},
    )

    report = load([corpus])

    a, seven, three = report.documents
    assert (a.id, a.title, a.text, a.metadata) == ("a", "T", "One.", {"year": 1990})
    assert (seven.id, seven.title, seven.text) == ("7", "", "Two.")
    assert three.id == derived("T\nThree.")
    assert {document.source for document in report.documents} == {
        f"{corpus.parent.name}/corpus.jsonl"
    }
    assert not report.bad


def test_bad_lines_are_named_and_the_others_kept(corpus: Path) -> None:
    corpus.write_bytes(
        b'\xef\xbb\xbf{"id": "good", "text": "kept"}\n'
        b"{not json}\n"
        b"\n"
        b'{"id": "no text"}\n'
        b'{"text": " \\u0000 "}\n'
        b'{"text": "caf\xe9"}\n'
        b'{"text": "x", "metadata": {"nested": {"a": 1}}}\n'
        b'{"text": "x", "id": " "}\n'
        b'{"text": "x", "metadata": {"n": NaN}}\n'
        b"[1]\n"
        b'{"id": "half", "text": "half a pair \\ud800"}\n'
        b'{"id": "last", "text": "also kept"}'
    )

    report = load([corpus])

    assert [document.id for document in report.documents] == ["good", "half", "last"]
    assert report.documents[1].text == "half a pair \ufffd"
    assert [item.line for item in report.bad] == [2, 4, 5, 6, 7, 8, 9, 10]
    reasons = [item.reason for item in report.bad]
    assert "JSON" in reasons[0]
    assert reasons[1:3] == ["text: Field required", "the text is empty"]
    assert "UTF-8" in reasons[3]
    assert reasons[4].startswith("metadata.nested")
    assert reasons[5] == "the id is empty"
    assert str(report.bad[0]).startswith(f"{corpus}:2: ")


def test_the_same_id_twice(corpus: Path) -> None:
    write(
        corpus,
        {"id": "a", "text": "one"},
        {"id": "a", "text": "one", "metadata": {"x": 1}},
        {"id": "a", "text": "two"},
    )

    report = load([corpus])

    assert [document.text for document in report.documents] == ["one"]
    assert report.duplicates == 1
    (bad,) = report.bad
    assert str(bad) == f"{corpus}:3: id 'a' is taken by another text, {corpus}:1"


def test_a_folder_is_read_in_order_and_says_what_it_skips(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / ".git").mkdir()
    (docs / ".git" / "x.txt").write_text("hidden")
    (docs / "b.txt").write_text("Text B")
    (docs / "a.md").write_text("# Heading A\nText A")
    (docs / "sub" / "c.HTML").write_text("<p>Text C")
    (docs / "image.png").write_bytes(b"\x89PNG")
    (docs / "empty.txt").write_text(" \n")
    (tmp_path / "outside.txt").write_text("outside")
    (docs / "link.txt").symlink_to(tmp_path / "outside.txt")
    (docs / "loop").symlink_to(docs)
    os.mkfifo(docs / "pipe.txt")

    report = load([docs])

    assert [(document.title, document.source) for document in report.documents] == [
        ("Heading A", "docs/a.md"),
        ("b", "docs/b.txt"),
        ("c", "docs/sub/c.HTML"),
    ]
    assert {Path(skipped.path).name: skipped.reason for skipped in report.skipped} == {
        ".git": "hidden",
        "image.png": ".png files are not read: save it as .pdf for --ocr",
        "link.txt": "a symbolic link",
        "loop": "a symbolic link",
        "pipe.txt": "not a plain file",
        "empty.txt": "the text is empty",
    }
    assert report.bad == []


def test_a_files_id_is_that_of_its_path_and_survives_an_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "docs" / "a.txt"
    file.parent.mkdir()
    file.write_text("before")
    (before,) = load([tmp_path / "docs"]).documents

    file.write_text("after")
    (after,) = load([tmp_path / "docs"]).documents
    monkeypatch.chdir(tmp_path / "docs")

    assert before.id == after.id == derived("docs/a.txt")
    assert load(["."]).documents == load(["a.txt"]).documents == [after]


def test_a_file_name_that_is_no_unicode(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("text")

    (document,) = load([tmp_path]).documents

    assert document.source == f"{tmp_path.name}/caf\ufffd.txt"
    assert document.title == "caf\ufffd"


def test_a_given_file_of_unknown_kind_is_bad(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"PK")

    [bad] = load([tmp_path / "x.bin"]).bad
    assert bad.reason.startswith("unknown suffix '.bin' (known: .jsonl, .txt, .md,")


@pytest.mark.parametrize(("suffix", "newer"), [(".doc", ".docx"), (".PPT", ".pptx")])
def test_for_an_old_format_the_new_one_is_named(tmp_path: Path, suffix: str, newer: str) -> None:
    (tmp_path / f"x{suffix}").write_bytes(b"PK")

    report = load([tmp_path / f"x{suffix}", tmp_path])

    said = f"{suffix} files are not read: save it as {newer}"
    assert [item.reason for item in (*report.bad, *report.skipped)] == [said, said]


def test_a_file_that_its_library_cannot_read_is_bad(tmp_path: Path) -> None:
    for suffix in ("docx", "pptx", "xlsx", "odt", "epub", "rtf", "msg", "ipynb", "xml"):
        (tmp_path / f"x.{suffix}").write_bytes(b"PK\x03\x04 not really")
    (tmp_path / "good.txt").write_text("good")

    report = load([tmp_path])

    assert [document.text for document in report.documents] == ["good"]
    assert len(report.bad) == 9
    assert all("not a readable" in item.reason for item in report.bad)
    assert max(len(item.reason) for item in report.bad) < 300


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="encoding 'klingon' is not known"):
        load([tmp_path], encoding="klingon")


def test_a_corpus_line_may_be_markdown(corpus: Path) -> None:
    write(corpus, {"text": "# A\nText.", "markup": "markdown"}, {"text": "x", "markup": "wiki"})
    report = load([corpus])
    assert [document.markup for document in report.documents] == ["markdown"]
    assert report.bad[0].reason.startswith("markup: ")


def test_a_missing_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file or folder"):
        load([tmp_path / "nowhere"])


def test_a_corpus_line_has_a_limit_too(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(corpus, {"text": "one"}, {"text": "w" * 2_500_000}, {"text": "three"})
    monkeypatch.setenv("HOPYARD_LARGEST_FILE", "1")

    report = load([corpus])

    assert [document.text for document in report.documents] == ["one", "three"]
    assert [str(item) for item in report.bad] == [
        f"{corpus}:2: a line of more than 1 MB, which is read at once: cut the document"
    ]


@pytest.mark.parametrize(
    ("name", "text", "date"),
    [
        ("2025-04-08-it-meeting.txt", "Minutes.", "2025-04-08"),
        ("2025-04-08.md", "Minutes.", "2025-04-08"),
        ("2025-04-08 notes.md", "---\ndate: 2024-01-01\n---\nMinutes.", "2024-01-01"),
        ("2025-13-40-x.txt", "Minutes.", None),
        ("2025-04-081.txt", "Minutes.", None),
        ("it-2025-04-08.txt", "Minutes.", "2025-04-08"),
        ("Invoice_20250408.txt", "Minutes.", "2025-04-08"),
        ("08.04.2025 Protokoll.txt", "Minutes.", "2025-04-08"),
        ("2025-04-08 to 2025-05-09.txt", "Minutes.", "2025-04-08"),
        ("from 2025-04-08 to 2025-05-09.txt", "Minutes.", None),
        ("part 20259999.txt", "Minutes.", None),
        ("minutes.md", "# Minutes\n\nDate: 9 March 2026\n\n## Fees\n\nAs before.", "2026-03-09"),
        ("minutes.md", "---\ndate: 2024-01-01\n---\nDate: 9 March 2026", "2024-01-01"),
    ],
)
def test_a_day_in_a_files_name_or_head_is_its_date(
    tmp_path: Path, name: str, text: str, date: str | None
) -> None:
    (tmp_path / name).write_text(text)
    [document] = load([tmp_path]).documents
    assert document.metadata.get("date") == date


@pytest.mark.parametrize(
    ("name", "text", "date"),
    [
        ("plan.docx", "Minutes.", "2020-05-06"),
        ("2025-04-08 plan.docx", "Minutes.", "2025-04-08"),
        ("plan.docx", "Date: 9 March 2026", "2026-03-09"),
    ],
)
def test_a_day_in_name_or_head_replaces_the_day_on_which_an_office_file_was_made(
    tmp_path: Path, name: str, text: str, date: str
) -> None:
    made = docx.Document()
    made.add_paragraph(text)
    made.core_properties.modified = datetime(2020, 5, 6)
    made.save(str(tmp_path / name))
    [document] = load([tmp_path]).documents
    assert document.metadata.get("date") == date


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        (["a.md", "b.txt"], ("dense", "sparse")),
        (["a.md", "sub/prices.csv"], ("dense", "sparse", "tables")),
        (["members.XLSX"], ("dense", "sparse", "tables")),
    ],
)
def test_spreadsheets_are_indexed_as_tables(
    tmp_path: Path, files: list[str], kinds: tuple[str, ...]
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n")
    assert default_kinds([tmp_path]) == kinds


def test_tables_need_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(loaders, "missing_modules", lambda extra: ["duckdb"])
    assert default_kinds([tmp_path]) == ("dense", "sparse")


MEETING = "Die Sitzung beginnt um neun Uhr, und alle sind eingeladen."


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        ([], "eng reads English"),
        (["The meeting begins at nine, and all members are invited."], "eng reads English"),
        ([MEETING], "deu reads German"),
        (
            [MEETING, MEETING, "Le contrat prend fin le dernier jour de cette année."],
            "deu+fra reads German and French",
        ),
    ],
)
def test_the_advice_for_scans_is_the_language_of_the_other_files(
    tmp_path: Path, texts: list[str], languages: str
) -> None:
    from PIL import Image

    picture = Image.new("L", (600, 800))
    (tmp_path / "a.pdf").write_bytes(drawn(lambda page: page.drawInlineImage(picture, 0, 0)))
    for number, text in enumerate(texts):
        (tmp_path / f"b{number}.txt").write_text(text)
    [skipped] = [item for item in load([tmp_path]).skipped if "page" in item.path]
    assert skipped.reason == f"scanned, without text; --ocr {languages} text"
