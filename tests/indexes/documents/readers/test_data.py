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

Read = Any


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


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ('<!DOCTYPE r [<!ENTITY co "Quay &amp; Sons"><!ENTITY by "by &co;">]>'
         "<r><p>Sold &by;</p></r>",
         "p: Sold by Quay & Sons"),
        ("<r><p>Caf&eacute;&nbsp;7 &ndash; 9 &lt; 10 &unknown</p></r>", ""),
        ("<r><p>Caf&eacute;&nbsp;7 &ndash; 9 &lt; 10</p></r>", "p: Café 7 – 9 < 10"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">'
         "<html><p>&Uuml;ber</p></html>",
         "p: Über"),
        ('<!DOCTYPE r [<!ENTITY nbsp "[space]">]><r><p>a&nbsp;b</p></r>', "p: a[space]b"),
        ("<r><p>" + "x" * 70_000 + "&auml;</p></r>", "p: " + "x" * 70_000 + "ä"),
    ],
)  # fmt: skip
def test_entities_of_xml_are_replaced_by_their_text(read: Read, xml: str, text: str) -> None:
    if not text:
        with pytest.raises(Exception, match="not well-formed"):
            read("a.xml", xml.encode())
        return
    assert read("a.xml", xml.encode())[1].strip() == text


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
