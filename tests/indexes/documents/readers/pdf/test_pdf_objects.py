"""Text in the objects of a PDF beside its pages: forms, notes, files, other scripts.

Faults that users of other tools reported: pypdf 1351, 2138 and 3145,
pdf-inspector 318, pdf2htmlEX 109, pdfplumber 1280.
"""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from hopyard.indexes.documents.readers.base import Part, Source
from hopyard.indexes.documents.readers.table import format_of

from ...zips import saved
from .pdfs import drawn, pdf, raised

Read = Any
pytest.importorskip("reportlab")


def form(canvas: Any, name: str, *lines: str) -> None:
    canvas.beginForm(name)
    canvas.setFont("Helvetica", 10)
    for row, line in enumerate(lines):
        canvas.drawString(60, 780 - 13 * row, line)
    canvas.endForm()


def test_a_page_that_is_one_form_in_another(read: Read) -> None:
    def draw(canvas: Any) -> None:
        form(canvas, "inner", "Licence 40921 of the ferry")
        canvas.beginForm("outer")
        canvas.doForm("inner")
        canvas.endForm()
        canvas.doForm("outer")

    assert read("a.pdf", drawn(draw))[1].strip() == "Licence 40921 of the ferry"


def test_a_letterhead_above_the_text(read: Read) -> None:
    def draw(canvas: Any) -> None:
        form(canvas, "head", "Harbour office, account 55-X")
        canvas.doForm("head")
        canvas.drawString(60, 700, "The fee is due in May.")

    text = read("a.pdf", drawn(draw))[1]
    assert text.strip() == "Harbour office, account 55-X\n\nThe fee is due in May."


def test_two_pages_on_one(read: Read) -> None:
    def draw(canvas: Any) -> None:
        for number, top in ((1, 0), (2, -330)):
            form(canvas, f"p{number}", f"Slide {number}: a crane", f"lifts {40 * number} tonnes.")
            canvas.saveState()
            canvas.translate(0, top)
            canvas.scale(0.9, 0.9)
            canvas.doForm(f"p{number}")
            canvas.restoreState()

    text = read("a.pdf", drawn(draw))[1]
    assert text.split("\n\n")[:2] == [
        f"Slide {number}: a crane\nlifts {40 * number} tonnes." for number in (1, 2)
    ]


@pytest.mark.parametrize("visible", [0, 3])
def test_letters_that_lie_invisible_on_a_scan(read: Read, visible: int) -> None:
    def draw(canvas: Any) -> None:
        canvas.beginForm("ocr")
        text = canvas.beginText(60, 780)
        text.setFont("Helvetica", 10)
        text.setTextRenderMode(visible)
        text.textLine("Permit number 5519")
        canvas.drawText(text)
        canvas.endForm()
        canvas.doForm("ocr")

    assert read("a.pdf", drawn(draw))[1].strip() == "Permit number 5519"


def test_typed_notes_stand_at_their_place_and_comments_after_the_page(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(60, 780, "Guest:")
        canvas.drawString(60, 740, "Arrival:")
        canvas.freeTextAnnotation("Nils Ask", "/Helv 10 Tf", (120, 776, 220, 792))
        canvas.freeTextAnnotation("14 June", "/Helv 10 Tf", (120, 736, 220, 752))
        canvas.textAnnotation("Paid in cash.", (300, 776, 320, 792))

    text = read("a.pdf", drawn(draw))[1]
    assert text.split("\n\n")[:3] == [
        "Guest: Nils Ask",
        "Arrival: 14 June",
        "Comment: Paid in cash.",
    ]


def test_embedded_files_are_parts_and_equal_names_are_kept_apart() -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf("Prices are enclosed."))
    for name in ("prices.csv", "prices.cs2"):
        document.new_attachment(name).set_data(f"in {name}".encode())
    data = saved(document).replace(b"F(prices.cs2)", b"F(prices.csv)")  # not in the list of names
    kind = format_of("a.pdf")
    assert kind is not None
    found = kind.read(Source("a.pdf", lambda: io.BytesIO(data)))
    parts = {}
    for each in found:
        if isinstance(each, Part):
            parts[each.name] = each.source.read()
        elif hasattr(each, "text"):
            assert "Prices" in "".join(each.text)
    assert parts == {"prices.csv (2)": b"in prices.csv", "prices.csv": b"in prices.cs2"}


def lettered(letters: dict[str, str], drawn: str) -> bytes:
    """A PDF of one line, whose font says which letters of Unicode each code draws."""
    codes = "".join(
        f"<{ord(code):02X}> <{signs.encode('utf-16-be').hex()}>\n"
        for code, signs in letters.items()
    )
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /x def "
        "1 begincodespacerange <00> <FF> endcodespacerange "
        f"{len(letters)} beginbfchar\n{codes}endbfchar endcmap end end"
    )
    plain = pdf(drawn).decode()
    font = "/BaseFont /Helvetica >>\nendobj\n"
    assert font in plain
    before, _, after = plain.partition(font)
    extra = f"9 0 obj\n<< /Length {len(table)} >>\nstream\n{table}\nendstream\nendobj\n"
    body = f"{before}/BaseFont /Helvetica /ToUnicode 9 0 R >>\nendobj\n{extra}{after}"
    return body.partition("xref\n")[0].encode() + b"trailer\n<< /Root 1 0 R >>\n"


@pytest.mark.parametrize(
    ("letters", "drawn", "text"),
    [
        ({"a": "ם", "b": "ו", "c": "ל", "d": "ש"}, "abcd", "שלום"),
        ({"a": "ם", "b": "ו", "c": "ל", "d": "ש"}, "4471 abcd", "שלום 4471"),
        ({"a": "ﺪ", "b": "ﻘ", "c": "ﻌ", "d": "ﻟ", "e": "ﺍ"}, "abcde 4471", "4471 العقد"),
    ],
)
def test_hebrew_and_arabic_in_the_order_of_reading(
    read: Read, letters: dict[str, str], drawn: str, text: str
) -> None:
    assert read("a.pdf", lettered(letters, drawn))[1].strip() == text


def test_a_sign_of_two_equal_letters_is_no_letter_drawn_twice(read: Read) -> None:
    data = lettered({"W": "tt", "M": "ff"}, "PeWy cash of the oMice, for skiing")
    assert read("a.pdf", data)[1].strip() == "Petty cash of the office, for skiing"


def test_texts_whose_place_is_in_two_matrices(read: Read) -> None:
    from .pdfs import drawn

    pytest.importorskip("pypdfium2")
    parts = [
        ("Company:", 2, 800),
        ("EAGLE OUTFITTERS", 90, 800),
        ("Period:", 2, 785),
        ("May 2024", 90, 785),
    ]

    def draw(canvas: Any) -> None:
        canvas.transform(1, 0, 0, -1, 0, 842)
        for words, x, y in parts:
            canvas.saveState()
            canvas.translate(x, 842 - y)
            line = canvas.beginText()
            line.setTextTransform(1, 0, 0, -1, 0, 9)
            line.textOut(words)
            canvas.drawText(line)
            canvas.restoreState()

    _, text, _ = read("a.pdf", drawn(draw))
    assert " ".join(text.split()) in (
        "Company: EAGLE OUTFITTERS Period: May 2024",
        "| Company: | EAGLE OUTFITTERS | | --- | --- | | Period: | May 2024 |",
        "| | | | --- | --- | | Company: | EAGLE OUTFITTERS | | Period: | May 2024 |",
    )


@pytest.mark.parametrize("turn", [0, 90])
def test_words_outside_the_page_are_counted_and_not_read(read: Read, turn: int) -> None:
    """A page of two columns that was cut in the middle: the file still has the other column."""

    def draw(canvas: Any) -> None:
        canvas.setPageSize((842, 595) if turn else (595, 842))  # reportlab writes it turned
        for row, words in enumerate(("The rent is", "due in May")):
            canvas.drawString(50, 700 - 14 * row, words)
            canvas.drawString(330, 700 - 14 * row, "Other column")
        canvas.setCropBox((0, 0, 300, 842))
        canvas.setPageRotation(turn)

    text = read("a.pdf", drawn(draw))[1]
    assert " ".join(text.split()) == "The rent is due in May"


def test_letters_that_a_font_gives_no_meaning_are_counted(read: Read) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))  # reportlab has it

    def draw(canvas: Any) -> None:
        canvas.setFont("Vera", 12)
        canvas.drawString(50, 700, "The office is open for all")

    data = drawn(draw, pageCompression=0)
    named = re.sub(rb"<(66|46)> <0066>", rb"<\1> <0000>", data)
    assert named != data
    _, text, unread = read("a.pdf", named)
    assert text.split()[:2] == ["The", "o\ufffd\ufffdice"]
    assert [(each.place, each.reason) for each in unread] == [
        ("page 1", "the file does not say which 3 letters it shows, such as ligatures")
    ]
    assert read("a.pdf", data)[2] == []


def test_the_value_of_a_tall_field_is_beside_its_label(read: Read) -> None:
    pytest.importorskip("reportlab")

    def draw(canvas: Any) -> None:
        canvas.drawString(72, 530, "Berth")
        place = {"x": 150, "y": 500, "width": 100, "height": 60}
        canvas.acroForm.listbox(name="b", value="seven", options=["six", "seven"], **place)
        raised(canvas, (72, 440), [("Fee of 5 %", 10, 0), ("2", 6, 5)])

    words = " ".join(read("a.pdf", drawn(draw))[1].split())
    assert words == "Berth seven Fee of 5 %^2"
