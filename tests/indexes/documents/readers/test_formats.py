"""What each format holds comes out whole, in order, and beside what it belongs to."""

from __future__ import annotations

import io
from typing import Any

import pytest

from hopyard.indexes.documents.readers.archives import read_zip
from hopyard.indexes.documents.readers.base import Part, Source
from hopyard.indexes.documents.readers.number_format import shown

from ..zips import saved, zipped

Read = Any


@pytest.mark.parametrize(
    ("xml", "lines"),
    [
        ("<r><p>Turn <b>off</b> the <i>main</i> tap.</p></r>", "p: Turn off the main tap."),
        ("<r><p>First line<lb/>second line</p></r>", "p: First line second line"),
        ("<p>The whole <b>text</b> is one.</p>", "p: The whole text is one."),
        ("<r><p>10<sup>6</sup> cells</p></r>", "p: 10^6 cells"),
        ("<r><a><b>one</b>tail</a></r>", "a: onetail"),
        ("<r>loose <a>one</a> end</r>", "r: loose one end"),
        ('<r><p>Press <key name="F4"/> now</p></r>', "p: Press F4 now"),
        ("<r><!-- no text --><p>Gate <!-- 4 -->5</p></r>", "p: Gate 5"),
    ],
)  # fmt: skip
def test_xml_keeps_all_text_in_order(read: Read, xml: str, lines: str) -> None:
    _, text, _ = read("a.xml", xml.encode())
    assert "\n".join(line for line in text.splitlines() if line) == lines


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "gb2312", "big5", "euc_kr", "utf-16"])
def test_xml_in_the_encoding_that_it_declares(read: Read, encoding: str) -> None:
    words = {"euc_kr": "서울 날씨", "utf-16": "Wetter in Köln"}.get(encoding, "天文")
    xml = f'<?xml version="1.0" encoding="{encoding}"?><r><p>{words}</p></r>'
    assert f"p: {words}" in read("a.xml", xml.encode(encoding))[1]


def test_objects_of_a_json_list_stay_whole(read: Read) -> None:
    data = """{"crew": [
        {"name": "Ada", "skills": ["welding", "radio"], "home": {"town": "Lund"}},
        {"name": "Ben", "skills": [], "tools": [{"id": 1, "of": {"a": [[1.10, 2e5]]}}]}
    ], "crew": 12.50}"""
    _, text, _ = read("a.json", data.encode())
    lines = [line for line in text.splitlines() if line]
    assert lines == [
        *("crew (2): 12.50", "# crew"),
        *("## Ada", "name: Ada", "skills: welding, radio", "home › town: Lund"),
        *("## Ben", "name: Ben", "skills: ", "### tools"),
        *("#### 1", "id: 1", "of › a: (1.10, 2e5)"),
    ]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (123456789.12, "General", "123456789.12"),
        (987654321.98, "#,##0.00", "987,654,321.98"),
        (987654321.98, "#,##0", "987,654,322 (987654321.98)"),
        (0.075, "0.00%", "7.50%"),
        (1234, "00000", "01234"),
        (42, '"AX-"0000', "AX-0042"),
        (1234.5, "[$$-409]#,##0.00", "$1,234.50"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (-12.5, "#,##0.00_);(#,##0.00)", "(12.50)"),
        (-12.5, "0.0", "-12.5"),
        (0, '0;-0;"none"', "none (0)"),
        (1, '"Yes";"No";"No"', "Yes (1)"),
        (5551234, "000-0000", "555-1234"),
        (12345678, "000-00-0000", "012-34-5678"),
        (2125551234, "[<=9999999]###-####;(###) ###-####", "(212) 555-1234"),
        (5551234, "[<=9999999]###-####;(###) ###-####", "555-1234"),
        (-5000, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "-5000"),
        (-5, "[>=100]0.0;0", "-5"),
        (-5, "[>0]0;(0)", "(5)"),
        (-5, "[<0](0);0", "(5)"),
        (1200, "# ##0", "1 200"),
        (0, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "0"),
        (2500000, '0.0,,"M"', "2.5M"),
        (1 / 3, "0.0", "0.3"),
        (0.1 + 0.2, "General", "0.3"),
        (1e-7, "0.00E+00", "0.0000001"),
        (0.5, "# ?/?", "0.5"),
        (3.10, "0.##", "3.1"),
    ],
)
def test_numbers_are_as_the_spreadsheet_shows_them(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


def test_merged_cells_of_a_sheet_are_in_each_row(read: Read) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [["Pier", "Crane", "Load"], ["North", "C-1", 40], [None, "C-2", 55]]:
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    _, text, _ = read("a.xlsx", saved(book))
    assert "| North | C-1 | 40 |\n| North | C-2 | 55 |" in text


def test_one_wrong_byte_changes_no_other_letter(read: Read) -> None:
    data = "Müller wohnt in Köln.\n".encode() * 5 + b"K\xf6nig\n"
    assert read("a.txt", data)[1] == "Müller wohnt in Köln.\n" * 5 + "König\n"
    page = "<p>Grüße aus Köln</p>".encode() * 5 + b"<p>J\xe4ger</p>"
    assert read("a.html", page)[1].split("\n\n") == [*["Grüße aus Köln"] * 5, "Jäger"]
    table = b"Name;Ort\n" + "Müller;Köln\n".encode() * 5 + b"J\xe4ger;D\xfcren\n"
    assert "| Müller | Köln |\n| Jäger | Düren |" in read("a.csv", table)[1]
    cut = "Müller aus Köln. ".encode() * 3 + "ö".encode()[:1]
    assert read("a.txt", cut)[1] == "Müller aus Köln. " * 3 + "\ufffd"


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "La città è più bella, perché c'è il mare e il caffè è già pronto."),
        ("cp1252", "A reunião será amanhã às nove horas; o preço não inclui instalação."),
        ("cp1252", "Les travaux ont coûté plus cher que prévu. Où va-t-elle ? À côté."),
        ("cp1250", "A szerződés kétezer forintról szól, és a vevő előre fizeti."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
        ("cp1254", "İstanbul'da hava bugün çok güzel, yarın yağmur yağacak ve soğuk olacak."),
        ("cp1257", "Šiandien labai gražus oras, bet rytoj bus lietus ir šalta."),
        ("cp1251", "Срок поставки девять дней, оплата после получения товара."),
        ("cp1255", "הדירה נמצאת ברחוב הזית והמחיר נקבע בנפרד בחוזה."),
        ("cp932", "会議は三階で行われます。時間どおりに来てください。"),
        ("iso2022_jp", "会議は三階で行われます。時間どおりに来てください。"),
        ("iso2022_kr", "회의는 삼층에서 열립니다. 제시간에 오세요."),
        ("big5", "會議在三樓舉行，請準時參加。"),
        ("cp949", "회의는 삼층에서 열립니다. 제시간에 오세요."),
    ],
)
def test_short_texts_in_the_encodings_of_their_countries(
    read: Read, encoding: str, words: str
) -> None:
    assert read("a.txt", words.encode(encoding))[1] == words


@pytest.mark.parametrize(
    ("front", "metadata"),
    [
        ("---\ntitle: Re: berth 7\ndate: 2024-05-02\n---\n", {"date": "2024-05-02"}),
        ("---\ntitle: x\nauthor: @ann\nzip: 01234\n---\n", {"author": "@ann", "zip": "01234"}),
        ("---\ntitle: x\nzip: 01234\nversion: 1.10\n---\n", {"zip": "01234", "version": "1.10"}),
        ('+++\ntitle = "x"\nyear = 2024\n+++\n', {"year": 2024}),
    ],
)
def test_front_matter_that_is_no_valid_yaml(
    read: Read, front: str, metadata: dict[str, object]
) -> None:
    content, text, _ = read("a.md", f"{front}Berth 7 is free.\n".encode())
    assert (content.metadata, text) == (metadata, "Berth 7 is free.\n")
    assert content.title in ("x", "Re: berth 7")


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp850", "Übersicht Größe.txt"), ("cp850", "Été à Nîmes.txt"), ("cp932", "見積書.txt"),
        ("cp932", "テスト.txt"), ("gb18030", "会议记录.txt"), ("cp949", "견적서 2024.txt"),
        ("cp866", "Договор.txt"), ("utf-8", "Prüfung.txt"),
    ],
)  # fmt: skip
def test_names_in_archives(encoding: str, name: str) -> None:
    written = name.encode(encoding)
    data = zipped({"x" * len(written): "text"}).replace(b"x" * len(written), written)
    found = list(read_zip(Source("a.zip", lambda: io.BytesIO(data))))
    assert [each.name for each in found if isinstance(each, Part)] == [name]
