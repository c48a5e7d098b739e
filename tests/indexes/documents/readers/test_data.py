# ruff: noqa: E501 - rows of cases in long lines
"""Tables of values, JSON, XML and notebooks."""

from __future__ import annotations

import io
import json
import time
import tracemalloc
from typing import Any

import pytest

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.xml_text import read_xml
from hopyard.state.errors import CorpusError

from ..case_tables import cases
from ..zips import lines

Read = Any
XML = """
<r><p>Turn <b>off</b> the <i>main</i> tap.</p></r> ⇒ p: Turn off the main tap.
<r><p>First line<lb/>second line</p></r> ⇒ p: First line second line
<p>The whole <b>text</b> is one.</p> ⇒ p: The whole text is one.
<r><p>10<sup>6</sup> cells</p></r> ⇒ p: 10^6 cells
<r><a><b>one</b>tail</a></r> ⇒ a: onetail
<r>loose <a>one</a> end</r> ⇒ r: loose one end
<r><p>Press <key name="F4"/> now</p></r> ⇒ p: Press F4 now
<r><!-- no text --><p>Gate <!-- 4 -->5</p></r> ⇒ p: Gate 5
<!DOCTYPE r [<!ENTITY co "Quay &amp; Sons"><!ENTITY by "by &co;">]><r><p>Sold &by;</p></r> ⇒ p: Sold by Quay & Sons
<r><p>Caf&eacute;&nbsp;7 &ndash; 9 &lt; 10</p></r> ⇒ p: Café 7 – 9 < 10
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html><p>&Uuml;ber</p></html> ⇒ p: Über
<!DOCTYPE r [<!ENTITY nbsp "[space]">]><r><p>a&nbsp;b</p></r> ⇒ p: a[space]b
"""
JSON = """
{"time": ["08:00", "09:00"], "tide": [1.20, 0.8]} ⇒ | time | tide | ¦ |---|---| ¦ | 08:00 | 1.20 | ¦ | 09:00 | 0.8 |
{"columns": ["Berth", "Fee"], "data": [["A", 5], ["B", 6]]} ⇒ columns: Berth, Fee ¦ # data ¦ | Berth | Fee | ¦ |---|---| ¦ | A | 5 | ¦ | B | 6 |
{"pros": ["near", "dry"], "cons": ["old", "far"]} ⇒ pros: near, dry ¦ cons: old, far
{"empty": {}, "at": [1, 2], "to": [3, 4]} ⇒ empty:  ¦ at: 1, 2 ¦ to: 3, 4
[{"name": "Ada", "tags": {"a": [{"b": 1}]}}, "a note"] ⇒ # Ada ¦ name: Ada ¦ ## tags ¦ ### a ¦ #### 1 ¦ b: 1 ¦ # 2 ¦ a note
"""


@pytest.mark.parametrize(
    ("name", "delimiter"), [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.tsv", "\t")]
)
def test_values_become_a_table(read: Read, name: str, delimiter: str) -> None:
    rows = [["Tea", "Price"], ["Sejak | A", "14.90"], ['"two\nlines"', ""]]
    data = "\n".join(delimiter.join(row) for row in rows)
    assert read(name, data.encode())[1] == (
        "| Tea | Price |\n|---|---|\n| Sejak \\| A | 14.90 |\n| two lines |  |\n\n"
    )


def test_commas_in_values_between_semicolons(read: Read) -> None:
    text = read("a.csv", b"Artikel;Preis\nSejak;14,90\nJungjak;17,50\n")[1]
    assert "| Sejak | 14,90 |" in text


def test_lines_above_a_table_and_empty_rows(read: Read) -> None:
    text = read("a.csv", b"Prices of May,\n,\nTea,Price\nSejak,14\n,\nCup,Price\nM,9\n")[1]
    assert text == (
        "Prices of May\n\n| Tea | Price |\n|---|---|\n| Sejak | 14 |\n\n"
        "| Cup | Price |\n|---|---|\n| M | 9 |\n\n"
    )


def test_a_line_that_is_no_row_ends_the_reading(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.documents.readers.delimited._LONGEST", 1000)
    with pytest.raises(CorpusError, match="so it is no table"):
        read("a.csv", b"a,b\n" + b"1," * 1000)


def test_json_becomes_headings_labels_and_tables(read: Read) -> None:
    value = {
        "name": "Dasan",
        "open": True,
        "teas": [{"name": "Sejak", "price": 14.5}, {"name": "녹차"}],
        "office": {"town": "Bremen", "halls": [4, 5]},
    }
    assert read("a.json", json.dumps(value).encode())[1] == (
        "name: Dasan\nopen: true\noffice › town: Bremen\noffice › halls: 4, 5\n\n"
        "# teas\n\n| name | price |\n|---|---|\n| Sejak | 14.5 |\n| 녹차 |  |\n\n"
    )


@pytest.mark.parametrize("data", [b"{", b"[" * 100_000])
def test_json_that_is_not_valid(read: Read, data: bytes) -> None:
    with pytest.raises(CorpusError, match="not valid JSON"):
        read("a.json", data)


def test_xml_becomes_lines(read: Read) -> None:
    xml = '<r><cup sku="C-1"><name>Ebbe</name><size unit="ml">240</size></cup><cup sku="C-2"/></r>'
    assert read("a.xml", xml.encode())[1] == (
        "cup (sku C-1)\nname: Ebbe\nsize (unit ml): 240\n\ncup (sku C-2)\n\n"
    )


def test_text_of_another_file_is_refused(read: Read) -> None:
    xml = b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>'
    with pytest.raises(CorpusError, match="takes text from another file"):
        read("a.xml", xml)


def test_entities_of_html_that_are_far_from_the_beginning_or_unknown(read: Read) -> None:
    words = "x" * 70_000
    assert read("a.xml", f"<r><p>{words}&auml;</p></r>".encode())[1].strip() == f"p: {words}ä"
    with pytest.raises(Exception, match="not well-formed"):
        read("a.xml", b"<r><p>Caf&eacute;&nbsp;7 &ndash; 9 &lt; 10 &unknown</p></r>")


def test_entities_that_stand_for_gigabytes_are_refused(read: Read) -> None:
    names = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f'<!DOCTYPE r [<!ENTITY e0 "ha">{names}]><r>&e9;</r>'
    with pytest.raises(CorpusError, match="stand for too much text"):
        read("a.xml", bomb.encode())
    long = f'<!DOCTYPE r [<!ENTITY a "{"x" * 20_000}">]><r>{"&a;" * 1000}</r>'
    with pytest.raises(CorpusError, match="stand for too much text"):
        read("a.xml", long.encode())


@pytest.mark.parametrize("data", [b'{"a": 1}\n{"a": 2.50}\n', b'\xef\xbb\xbf {"a": 1} {"a": 2.50}'])
def test_json_values_one_after_the_other_are_a_list(read: Read, data: bytes) -> None:
    assert read("a.ndjson", data)[1] == "| a |\n|---|\n| 1 |\n| 2.50 |\n\n"


def test_json_lines_that_are_cut_off_or_no_json(read: Read) -> None:
    _, text, unread = read("a.ndjson", b'{"a": 1}\n{"a": [7,\n{"a": 2}\nx\n{"a": 3}\n')
    assert text == "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n\n"
    assert [each.place for each in unread] == ["line 2", "line 4"]
    with pytest.raises(CorpusError, match="more than 500 lines"):
        read("a.ndjson", b"1\n" + b"x\n" * 501)


def test_json_lists_that_never_end_are_read_once(read: Read) -> None:
    began = time.process_time()
    with pytest.raises(CorpusError, match="not valid JSON"):
        read("a.ndjson", b"1\n" + (b"[" + b"1," * 500 + b"\n") * 400)
    assert time.process_time() - began < 5


def test_a_notebook(read: Read) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Scores\n", "Text."]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [{"text": ["1\n"]}, {"data": {"text/plain": "2", "image/png": "…"}}, {}],
        },
        {"cell_type": "raw", "source": " "},
    ]
    content, text, _ = read("a.ipynb", json.dumps({"cells": cells}).encode())
    assert content.title == "Scores"
    assert text == ("# Scores\nText.\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\n```\n2\n```")


@pytest.mark.parametrize("data", [b"{}", b"[]", b"{", b'{"cells": [1]}'])
def test_what_is_no_notebook(read: Read, data: bytes) -> None:
    with pytest.raises(CorpusError, match="not a readable notebook"):
        read("a.ipynb", data)


def test_a_long_xml_file_is_not_in_memory() -> None:
    data = b"<all>" + b"<list><one><name>Tea</name></one></list>" * 20_000 + b"</all>"
    content = next(found := read_xml(Source("a.xml", lambda: io.BytesIO(data))))
    tracemalloc.start()
    try:
        lines = sum(line == "name: Tea\n" for line in content.text)
        assert tracemalloc.get_traced_memory()[1] < 1_300_000  # the elements take twice that
    finally:
        tracemalloc.stop()
    assert lines == 20_000
    assert list(found) == []


@pytest.mark.parametrize(("xml", "shown"), cases(XML))
def test_xml_keeps_all_text_in_order(read: Read, xml: str, shown: list[str]) -> None:
    assert lines(read("a.xml", xml.encode())[1]) == shown


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


@pytest.mark.parametrize(("json", "shown"), cases(JSON))
def test_tables_by_columns_and_notes_between_objects(
    read: Read, json: str, shown: list[str]
) -> None:
    assert lines(read("a.json", json.encode())[1]) == shown


def test_pages_within_a_feed(read: Read) -> None:
    feed = (
        "<rss><channel><item><title>Ebb</title><description>&lt;p&gt;Dry &lt;b&gt;pier&lt;/b&gt;, "
        "R&amp;amp;D&lt;/p&gt;</description><body><![CDATA[<ul><li>one</li><li>two</li></ul>]]>"
        "</body><note>5 &lt; 6</note></item></channel></rss>"
    )
    assert read("a.rss", feed.encode())[1] == (
        "title: Ebb\ndescription: Dry **pier**, R&D\nbody: - one\n- two\nnote: 5 < 6\n\n"
    )


@pytest.mark.parametrize("name", ["a.ndjson", "a.json"])
def test_a_wrong_line_among_values_is_named(read: Read, name: str) -> None:
    data = b'{"a": 1, "t": "x"}\n{"a": 2 "t"\n\n{"a": 3, "t": "z"}\nend'
    _, text, unread = read(name, data)
    assert text.splitlines()[2:4] == ["| 1 | x |", "| 3 | z |"]
    assert [each.place for each in unread] == ["line 2", "line 5"]


def test_outputs_of_a_notebook_in_other_forms(read: Read) -> None:
    shown = {"text/plain": "<IPython.core.display.HTML object>", "text/html": ["<p>Fee 4</p>"]}
    outputs = [
        {"data": shown},
        {"data": {"text/markdown": "**Toll**"}},
        {"data": {"text/plain": "7"}},
    ]
    cells = [{"cell_type": "code", "source": "x", "outputs": outputs}]
    text = read("a.ipynb", json.dumps({"cells": cells}).encode())[1]
    assert text == "```python\nx\n```\n\nFee 4\n\n```\n**Toll**\n```\n\n```\n7\n```"
