"""Encodings, front matter, plain text and source code."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from hopyard.indexes.documents.readers.text import author_name, plain_metadata
from hopyard.state.errors import CorpusError
from hopyard.state.metadata import known_value

from ..case_tables import cases

Read = Any

PROGRAMS = """
python-docx ¦ openpyxl ¦ LibreOffice ¦ LibreOffice/7.4.2 ¦ OpenOffice.org 3.1 ¦ Apache POI ¦ Pandoc
Microsoft Office User ¦ Microsoft Office-Benutzer ¦ Windows User ¦ Windows-Benutzer ¦ MS Office
Utilisateur Windows ¦ User ¦ Administrator ¦ admin ¦ (anonymous) ¦ unknown ¦ Author ¦ Owner
"""

GERMAN = "Größe: schön, für alle Bücher. Preis: 5 €"
ENCODED = """
utf-8 ⇒ Größe: schön, für alle Bücher. Preis: 5 €
utf-8-sig ⇒ Größe: schön, für alle Bücher. Preis: 5 €
utf-16 ⇒ Größe: schön, für alle Bücher. Preis: 5 €
utf-32 ⇒ Größe: schön, für alle Bücher. Preis: 5 €
cp1252 ⇒ Größe: schön, für alle Bücher. Preis: 5 €
latin-1 ⇒ Café crème à la française, déjà vu, naïve élève.
cp1250 ⇒ Zażółć gęślą jaźń, proszę państwa.
cp1251 ⇒ Привет, как дела? Это простой текст.
utf-16 ⇒ 공지: 10월 9일에는 사무소가 문을 닫습니다.
cp949 ⇒ 공지: 10월 9일에는 사무소가 문을 닫습니다.
shift_jis ⇒ 東京の天気は晴れです。明日も晴れるでしょう。
gb18030 ⇒ 北京的天气很好，我们去公园。
cp1252 ⇒ La città è più bella, perché c'è il mare e il caffè è già pronto.
cp1252 ⇒ A reunião será amanhã às nove horas; o preço não inclui instalação.
cp1252 ⇒ Les travaux ont coûté plus cher que prévu. Où va-t-elle ? À côté.
cp1250 ⇒ A szerződés kétezer forintról szól, és a vevő előre fizeti.
cp1250 ⇒ Příliš žluťoučký kůň úpěl ďábelské ódy.
cp1254 ⇒ İstanbul'da hava bugün çok güzel, yarın yağmur yağacak ve soğuk olacak.
cp1257 ⇒ Šiandien labai gražus oras, bet rytoj bus lietus ir šalta.
cp1251 ⇒ Срок поставки девять дней, оплата после получения товара.
cp1255 ⇒ הדירה נמצאת ברחוב הזית והמחיר נקבע בנפרד בחוזה.
cp932 ⇒ 会議は三階で行われます。時間どおりに来てください。
iso2022_jp ⇒ 会議は三階で行われます。時間どおりに来てください。
iso2022_kr ⇒ 회의는 삼층에서 열립니다. 제시간에 오세요.
big5 ⇒ 會議在三樓舉行，請準時參加。
cp949 ⇒ 회의는 삼층에서 열립니다. 제시간에 오세요.
"""
KOREAN = "공지: 10월 9일에는 사무소가 문을 닫습니다."


@pytest.mark.parametrize(("encoding", "lines"), cases(ENCODED))
def test_an_encoding_is_recognised(read: Read, encoding: str, lines: list[str]) -> None:
    assert [read("a.txt", lines[0].encode(encoding))[1]] == lines


def test_a_byte_order_mark_of_the_other_end(read: Read) -> None:
    data = codecs.BOM_UTF16_BE + KOREAN.encode("utf-16-be")
    assert read("a.txt", data)[1] == KOREAN


def test_an_encoding_can_be_forced(read: Read) -> None:
    assert read("a.txt", b"\xfc", encoding="latin-1")[1] == "ü"
    with pytest.raises(CorpusError, match=r"not valid ASCII text .*name it with --encoding"):
        read("a.txt", b"\xfc", encoding="ascii")


def test_what_is_no_text(read: Read) -> None:
    with pytest.raises(CorpusError, match="not text in a known encoding"):
        read("a.txt", bytes(range(256)) * 4)


def test_plain_text_has_no_title_and_unix_lines(read: Read) -> None:
    content, text, _ = read("a.txt", b"one\r\ntwo\rthree")
    assert (content.title, content.markup, text) == ("", "text", "one\ntwo\nthree")


def test_a_line_break_between_two_blocks_is_one(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.documents.readers.text._BLOCK", 4)
    assert read("a.txt", "ab\r\ncä\r\n\r\nd".encode())[1] == "ab\ncä\n\nd"


def test_front_matter_is_metadata_and_title(read: Read) -> None:
    markdown = (
        "---\ntitle: Brewing\ndate: 2025-03-20\ntags: [green, barley]\nrank: 3\nnone:\n"
        "place: {city: Lund, berths: {north: 4}}\n---\n# Heading\nText.\n"
    )
    content, text, _ = read("a.md", markdown.encode())
    assert (content.title, text) == ("Brewing", "# Heading\nText.\n")
    assert content.metadata == {
        "date": "2025-03-20", "tags": "green, barley", "rank": 3,
        "place.city": "Lund", "place.berths.north": 4,
    }  # fmt: skip
    for groups, kept in (("[hr, board]", "hr, board"), ("[]", ""), ("", "")):
        content, *_ = read("a.md", f"---\ngroups: {groups}\n---\nText.\n".encode())
        assert content.metadata == {"groups": kept}
    for value in ({"hr": 1}, float("nan")):
        assert plain_metadata({"groups": value}) == {"groups": ""}


@pytest.mark.parametrize(
    "markdown", ["---\nno end\n", "---\n- a list\n---\nText.", "---\n[a\n---\nText.", "--- a\n"]
)
def test_what_is_no_front_matter_is_text(read: Read, markdown: str) -> None:
    content, text, _ = read("a.md", markdown.encode())
    assert (text, content.metadata) == (markdown, {})


def test_front_matter_is_never_run(read: Read) -> None:
    markdown = "---\na: !!python/object/apply:os.system ['exit 1']\n---\nText.\n"
    assert read("a.md", markdown.encode())[0].metadata == {"a": "exit 1"}


def test_markdown_title_is_the_first_heading_outside_code(read: Read) -> None:
    markdown = "intro\n```sh\n# a comment\n```\n## The *title* ##\n# Another\n"
    content, text, _ = read("a.md", markdown.encode())
    assert (content.title, text) == ("The title", markdown)
    assert read("a.md", b"#hashtag\n")[0].title == ""


def test_source_code_is_plain_text(read: Read) -> None:
    content, text, _ = read("a.py", b"# not a heading\nx = 1 | 2\n")
    assert (content.markup, text) == ("text", "# not a heading\nx = 1 | 2\n")


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


@pytest.mark.parametrize("name", ["date", "Date", "pubDate", "published_at", "datePublished"])
def test_names_of_a_date(name: str) -> None:
    assert known_value({name: "2024-03-05"}, "date") == "2024-03-05"


def test_a_program_or_an_account_is_no_author() -> None:
    names = [name.strip() for line in PROGRAMS.strip().splitlines() for name in line.split("¦")]
    assert [name for name in names if author_name(name)] == []


@pytest.mark.parametrize(
    "name", ["Ann  User", "Root, Elihu", "Microsoft Corporation", "Word of Mouth", "Otto Admin"]
)
def test_a_person_or_a_company_is_an_author(name: str) -> None:
    assert author_name(name) == " ".join(name.split())
