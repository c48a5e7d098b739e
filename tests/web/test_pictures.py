"""Quotes in pictures of their pages: the marked pixels are those of the quote, or none are.

The cases are those of reports to other tools: unsloth 11329 and PdfiumViewer 106 (turned and cut
pages), ragflow 16735 (a quote on two pages of which one was marked), databerry 280 (the next page
was shown), ragflow 13097 (marks beside the words).
"""

from __future__ import annotations

import io
import os
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopyard
from hopyard.indexes.listing import open_corpus
from hopyard.state.settings.given import read_given
from hopyard.web.originals import Originals
from hopyard.web.pictures import PictureError, count_pages, draw_page
from hopyard.web.viewing import Place, find_place

from .conftest import served

pytest.importorskip("reportlab")
Image = pytest.importorskip("PIL.Image")

QUOTE = "The north pier was closed for repair in 1987."
TURNS = [*product((0, 90, 180, 270), (False, True))]
SPLIT = "The ferry to the island takes forty minutes in summer and sixty in winter."


def write_pdf(path: Path, *, turn: int = 0, cut: bool = False) -> None:
    """Three pages: the quote in red on the second, and a sentence that the third page ends."""
    import pypdfium2
    from reportlab.pdfgen.canvas import Canvas

    written = io.BytesIO()
    canvas = Canvas(written, pagesize=(595, 842))
    for lines in (
        ["Harbour report"],
        ["Another line of the report stands above.", QUOTE, "Below it is one more.", SPLIT[:40]],
        [SPLIT[40:].strip(), "The end."],
    ):
        for row, line in enumerate(lines):
            canvas.setFillColorRGB(line == QUOTE, 0, 0)
            canvas.drawString(100, 700 - 14 * row, line)
        canvas.showPage()
    canvas.save()
    document = pypdfium2.PdfDocument(written.getvalue())
    for page in document:
        page.set_rotation(turn)
        if cut:
            page.set_cropbox(50, 80, 500, 760)
    document.save(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("harbour")
    (made / "reports").mkdir()
    for turn, cut in TURNS:
        write_pdf(made / "reports" / f"{turn}-{cut}.pdf", turn=turn, cut=cut)
    write_pdf(made / "reports" / "changed.pdf")
    (made / "reports" / "note.md").write_text("# Note\n\nThe pier is open.")
    hopyard.build_index(made / "index", made / "reports", kinds=["sparse"])
    return made


def found(folder: Path, name: str, quotes: list[str]) -> tuple[Path | None, Place]:
    index, source = folder / "index", f"reports/{name}"
    originals = Originals(index, [folder / "reports"])
    with open_corpus(index) as corpus:
        [passage] = [each for each in corpus.passages() if each.source == source]
    return originals.find(source), find_place(index, originals, passage.id, quotes)


def reds(picture: Any) -> Any:
    """Which pixels are redder than black and white are."""
    colours = np.asarray(picture.convert("RGB")).astype(int)
    return colours[..., 0] - colours[..., 1] > 60


@pytest.mark.parametrize(("turn", "cut"), TURNS)
def test_the_marked_pixels_are_those_of_the_quote(folder: Path, turn: int, cut: bool) -> None:
    file, place = found(folder, f"{turn}-{cut}.pdf", [QUOTE])
    assert file is not None
    assert (place.why, place.count, list(place.marks)) == ("", 3, [2])
    drawn = draw_page(file, 2, 1000)
    assert len(drawn) < 100_000
    picture = Image.open(io.BytesIO(drawn))
    width, height = picture.size
    boxes = np.array(place.marks[2])  # of a turned page one for each word
    (left, top), (right, bottom) = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    rows, columns = np.nonzero(reds(picture))
    assert left * width - 2 <= columns.min() < columns.max() <= right * width + 2
    assert top * height - 2 <= rows.min() < rows.max() <= bottom * height + 2
    assert columns.max() - columns.min() > 0.9 * (right - left) * width - 4
    assert not reds(Image.open(io.BytesIO(draw_page(file, 1, 1000)))).any()


def test_a_quote_on_two_pages_is_marked_on_both(folder: Path) -> None:
    _, place = found(folder, "0-False.pdf", [f"{SPLIT[:40].strip()}\n\n{SPLIT[40:].strip()}"])
    assert list(place.marks) == [2, 3]
    _, whole = found(folder, "0-False.pdf", [])
    assert {page: len(boxes) for page, boxes in whole.marks.items()} == {1: 1, 2: 4, 3: 2}


def test_a_wrong_mark_is_worse_than_none(folder: Path) -> None:
    _, place = found(folder, "0-False.pdf", ["Words that nobody wrote there."])
    assert (place.why[:9], place.marks, place.count) == ("The index", {}, 0)
    _, both = found(folder, "0-False.pdf", ["Words that nobody wrote there.", QUOTE])
    assert (bool(both.why), list(both.marks)) == (True, [2])
    changed = folder / "reports" / "changed.pdf"
    changed.write_bytes((folder / "reports" / "180-True.pdf").read_bytes())
    _, place = found(folder, "changed.pdf", [QUOTE])
    assert (place.why, place.marks) == (
        "The file does not have these words at the place that the index has.", {},
    )  # fmt: skip
    changed.write_text("no PDF")
    assert "cannot be drawn" in found(folder, "changed.pdf", [QUOTE])[1].why
    changed.unlink()
    assert "--documents" in found(folder, "changed.pdf", [QUOTE])[1].why


def test_other_formats_have_a_text_and_an_original(folder: Path) -> None:
    file, place = found(folder, "note.md", ["The pier is open."])
    assert file == folder / "reports" / "note.md"
    assert (place.why, place.marks) == ("", {})
    assert place.original.startswith("/api/original?document=")


def test_a_page_that_is_not_there_is_named(folder: Path) -> None:
    file = folder / "reports" / "0-False.pdf"
    assert count_pages(file) == 3
    for number in (0, 4):
        with pytest.raises(PictureError, match=f"no page {number}"):
            draw_page(file, number, 1000)


def test_a_very_high_page_is_drawn_as_high_as_a_picture_can_be(tmp_path: Path) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument.new()
    document.new_page(70, 14_000)
    document.save(tmp_path / "receipt.pdf")
    picture = Image.open(io.BytesIO(draw_page(tmp_path / "receipt.pdf", 1, 1000)))
    assert picture.size == (80, 16_000)


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_file_whose_name_is_not_utf_8_is_shown(folder: Path, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    name = os.fsdecode(b"pier-\xff.pdf")
    (reports / name).write_bytes((folder / "reports" / "0-False.pdf").read_bytes())
    hopyard.build_index(tmp_path / "index", reports, kinds=["sparse"])
    file, place = found(tmp_path, "pier-\N{REPLACEMENT CHARACTER}.pdf", [QUOTE])
    assert file == reports / name
    assert 2 in place.marks
    given = read_given({"index": str(tmp_path / "index"), "model": "scripted"}.items())
    with served(given) as client:
        assert client.get(place.original).content == file.read_bytes()


def test_files_are_found_in_their_folders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports, index, other = tmp_path / "reports", tmp_path / "index", tmp_path / "copies"
    reports.mkdir()
    other.mkdir()
    (reports / "note.md").write_text("The pier is open.")
    (other / "Cafe\u0301.md").write_text("Text.")
    (tmp_path / "secret.txt").write_text("Secret.")
    (reports / "link.txt").symlink_to(tmp_path / "secret.txt")
    hopyard.build_index(index, reports, kinds=["sparse"])
    assert str(tmp_path) not in "".join(
        file.read_bytes().decode("latin-1") for file in index.rglob("*") if file.is_file()
    )
    known = Originals(index)  # by the data folder
    assert known.find("reports/note.md") == reports / "note.md"
    assert known.find("reports/note.md › part.pdf") == reports / "note.md"
    for outside in ("reports/../secret.txt", "reports//etc/passwd", "reports/link.txt", "reports"):
        assert known.find(outside) is None, outside
    monkeypatch.setenv("HOPYARD_HOME", str(other))  # of another person, who has copies
    assert Originals(index).find("reports/note.md") is None
    assert Originals(index, [other]).find("reports/Café.md") == other / "Cafe\u0301.md"
