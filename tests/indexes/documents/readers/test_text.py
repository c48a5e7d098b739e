"""Encodings, front matter, plain text and source code."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from hopyard.indexes.documents.readers.text import plain_metadata
from hopyard.state.errors import CorpusError

Read = Any

GERMAN = "Größe: schön, für alle Bücher. Preis: 5 €"
KOREAN = "공지: 10월 9일에는 사무소가 문을 닫습니다."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        ("Café crème à la française, déjà vu, naïve élève.", "latin-1"),
        ("Zażółć gęślą jaźń, proszę państwa.", "cp1250"),
        ("Привет, как дела? Это простой текст.", "cp1251"),
        (KOREAN, "utf-16"),
        (KOREAN, "cp949"),
        ("東京の天気は晴れです。明日も晴れるでしょう。", "shift_jis"),
        ("北京的天气很好，我们去公园。", "gb18030"),
    ],
)
def test_an_encoding_is_recognised(read: Read, text: str, encoding: str) -> None:
    assert read("a.txt", text.encode(encoding))[1] == text


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
