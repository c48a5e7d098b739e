"""Pages, running lines, scanned pages and broken files. Columns and tables: the office samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.documents.readers.ocr import check_ocr
from hopyard.indexes.documents.readers.pdf.fonts import bold_font
from hopyard.indexes.documents.readers.pdf.layout import Bookmark, Layout, Line, Page, page_parts
from hopyard.state.errors import CorpusError, UsageError

from .pdfs import pdf, pdf_pages

Read = Any


def text_of(page: Page, layout: Layout, marks: list[Bookmark]) -> str:
    return "\n\n".join(part.text for part in page_parts(page, layout, marks))


def test_text_and_title(read: Read) -> None:
    content, text, _ = read("a.pdf", pdf("Hello from a page.", "The title"))
    assert (content.title, text) == ("The title", "Hello from a page.\n\n\f")


@pytest.mark.parametrize(
    ("title", "name"),
    [("0001234567-21-000042", ""), ("Untitled", ""), ("1984", "1984"), ("10-K", "10-K")],
)
def test_a_serial_number_is_no_title(read: Read, title: str, name: str) -> None:
    content, _, _ = read("a.pdf", pdf("Hello from a page.", title))
    assert content.title == name


def test_lines_that_run_through_the_pages_are_dropped(read: Read) -> None:
    words = ("alpha", "beta", "gamma", "delta")
    pages = [
        ["Annual report", f"Text {word}.", f"Page {n} of 4"] for n, word in enumerate(words, 1)
    ]
    content, text, _ = read("a.pdf", pdf_pages(pages))
    assert content.pages == 4
    assert text == "".join(f"Text {word}.\n\n\f" for word in words)


def test_lines_in_larger_letters_are_headings_where_there_are_no_bookmarks(read: Read) -> None:
    lines = ["{24}Safety", "{18}Fire", "Leave the hall.", "{18}Water", "Call the master."]
    _, text, _ = read("a.pdf", pdf_pages([lines]))
    assert text == "# Safety\n\n## Fire\n\nLeave the hall.\n\n## Water\n\nCall the master.\n\n\f"


def test_bookmarks_are_put_where_their_titles_stand() -> None:
    page = Page(1, [[Line("end of it"), Line("so far")], [Line("2.1 Two"), Line("# text")]], False)
    marks = [Bookmark(1, "Not shown"), Bookmark(2, "two"), Bookmark(1, "Last")]
    layout = Layout(frozenset(), ())
    shown = "end of it\nso far\n\n# Not shown\n\n## 2.1 two\n\n    # text\n\n# Last"
    assert text_of(page, layout, marks) == shown
    assert text_of(page, layout, marks[:1]).startswith("# Not shown\n\nend of it")


@pytest.mark.parametrize(
    ("lines", "bookmark", "heading"),
    [
        ([["4.13 Main events"]], "Main events", "4.13 Main events"),
        ([["4.13 Main events"]], "4.13 Main events", "4.13 Main events"),
        ([["3 Mainevents"]], "Main events", "3 Main events"),
        ([["4.13.1 July 2000: A fire"]], "July 2000: A fire", "4.13.1 July 2000: A fire"),
        ([["July 2000: A fire"]], "4.13.1 July 2000: A fire", "4.13.1 July 2000: A fire"),
        ([["A.1 What is it?"]], "What is it?", "A.1 What is it?"),
        ([["Chapter 4", "Main events"]], "Main events", "Chapter 4 Main events"),
        ([["Kapitel 4"], ["Main events"]], "Main events", "Kapitel 4 Main events"),
        ([["Appendix B:"], ["Main events"]], "Main events", "Appendix B: Main events"),
        ([["Chapter 4"], ["Other"], ["Main events"]], "Main events", "Main events"),
        ([["3 Scope"], ["5 Scope"]], "5 Scope", "5 Scope"),
        ([["Level 3 assets"], ["Level 2 assets"]], "Level 2 assets", "Level 2 assets"),
        ([["Chapter 4. Main events"]], "4 Main events", "4 Main events"),
    ],
)
def test_a_heading_keeps_the_number_that_its_bookmark_leaves_out(
    lines: list[list[str]], bookmark: str, heading: str
) -> None:
    page = Page(1, [list(map(Line, block)) for block in lines], False)
    text = text_of(page, Layout(frozenset(), ()), [Bookmark(1, bookmark)])
    assert text.split("\n\n")[-1] == f"# {heading}"


def test_words_cut_at_the_end_of_a_line_are_joined() -> None:
    lines = [*map(Line, ("Wasser-", "stand am бере-", "гом της θά-", "λασσας und A-", "B"))]
    page = Page(1, [lines], False)
    text = text_of(page, Layout(frozenset(), ()), [])
    assert text == "Wasserstand am берегом της θάλασσας und A-\nB"


def test_two_pages_are_too_few_to_tell(read: Read) -> None:
    _, text, _ = read("a.pdf", pdf_pages([["Report", "One."], ["Report", "Two."]]))
    assert text == "Report\n\nOne.\n\n\fReport\n\nTwo.\n\n\f"


@pytest.mark.parametrize("data", [b"no PDF at all", pdf("Hello")[:200]])
def test_broken_files_say_why(read: Read, data: bytes) -> None:
    with pytest.raises(CorpusError, match="not a readable PDF"):
        read("a.pdf", data)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for ocrmypdf, which gives the PDF `read.pdf`, and tesseract."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "read.pdf").write_bytes(pdf("Recognised words."))
    for name, lines in {
        "tesseract": "echo 'List of languages (2):'\necho deu\necho eng\n",
        "ocrmypdf": f'test "$5" = -l || exit 9\ncp {folder}/read.pdf "$8"\n',
    }.items():
        (folder / name).write_text(f"#!/bin/sh\n{lines}")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def test_ocr_reads_scanned_pages(read: Read, programs: Path) -> None:
    check_ocr("deu+eng")
    _, text, unread = read("a.pdf", pdf(""), ocr="deu+eng")
    assert (text, unread) == ("Recognised words.\n\n\f", [])


def test_ocr_that_fails_says_why(read: Read, programs: Path) -> None:
    (programs / "ocrmypdf").write_text("#!/bin/sh\necho first >&2\necho disk full >&2\nexit 1\n")
    with pytest.raises(CorpusError, match=r"OCR failed \(disk full\)"):
        read("a.pdf", pdf(""), ocr="eng")


def test_ocr_names_what_it_needs(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"does not know the language 'kor' .*tesseract-ocr-kor"):
        check_ocr("eng+kor")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=r"ocrmypdf is not installed: .*apt-get install"):
        check_ocr("eng")


@pytest.mark.parametrize(
    ("name", "weight", "is_bold"),
    [
        ("LMRoman10-Regular", 744, False),  # LaTeX's usual font, by the width of its stems
        ("LMRoman12-Bold", 820, True),
        ("CMMI10", 768, False),
        ("CMBX12", 500, True),
        ("CMSSBX10", 500, True),
        ("CMBR10", 700, False),
        ("Times-Roman", 700, False),
        ("URWPalladioL-Demi", -1, True),
        ("ArialMT", 400, False),
        ("F1", 700, True),
        ("", -1, False),
    ],
)
def test_a_font_is_bold_by_its_name_first(name: str, weight: int, is_bold: bool) -> None:
    assert bold_font(name, weight) == is_bold


def test_a_formula_is_no_heading_and_gives_headings_no_size() -> None:
    formulas = ["È(y1, x1, ˆ¹)^¦", "= Wn \x12 +N^η^t, − Wn, (11)", "n g=1 X"]
    body = [Line("The water rises with the moon.", 10.0)] * 5
    large = [Line(text, 17.0, True) for text in formulas]
    titles = ("Why P = NP is open", "Introduction^1", "3.1 p-values < 0.05")
    headings = [Line(title, 14.0) for title in titles]
    layout = Layout.of([Page(1, [body, large, headings], False)])
    assert layout.sizes == (14.0,)
    assert [layout.level(line) for line in (*large, *headings)] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("name", "author"), [("Windows User", None), ("Ann Ash", "Ann Ash")])
def test_an_author_is_no_program(read: Read, name: str, author: str | None) -> None:
    data = pdf("Tide").replace(b"<< /Title () >>", f"<< /Author ({name}) >>".encode())
    assert read("a.pdf", data)[0].metadata.get("author") == author
