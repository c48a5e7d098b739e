"""Word files: what is left out, names of parts, titles and properties."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any

import docx as docx_library
import pptx
import pytest

from hopyard.indexes.documents.readers import parts as office
from hopyard.state.errors import CorpusError

from ..zips import rewritten
from .conftest import Read
from .docxs import LETTERS, OUTLINE, docx, style


def test_what_is_left_out_is_counted(read: Read) -> None:
    body = (
        "<p>Seen <r><rPr><vanish/></rPr><t>two words</t></r><r><rPr><vanish val='0'/></rPr><t>.</t>"
        "</r></p><p><r><object><o:OLEObject/></object><drawing><a:blip/></drawing></r></p>"
        "<p><del id='1'><r><delText>old text here</delText></r></del></p>"
        "<p><r><fldChar fldCharType='begin'/></r><r><instrText> EQ \\f(1,2) </instrText></r>"
        "<r><fldChar fldCharType='end'/></r></p><p style='Secret'>not seen</p>"
        "<altChunk r:id='aFChunk1'/><sectPr><headerReference type='first' r:id='header1'/></sectPr>"
    )
    parts = {
        "styles.xml": style("Secret", run_properties="<vanish/>"),
        "aFChunk1.wps": b"\x00\x01",
        "header1.xml": "<p>Old title</p>",
        "footnotes.xml": "<footnote id='2'><p>Nobody refers to it.</p></footnote>",
    }
    _, text, unread = read("a.docx", docx(body, parts))
    assert text == "Seen ."
    assert [str(each.place) for each in unread] == [
        "1 unused header, 4 hidden words, 1 embedded object, 1 picture, 3 deleted words, "
        "1 EQ field, 1 imported part, 1 footnote without a mark"
    ]


def test_names_of_parts_in_other_forms(read: Read) -> None:
    data = docx("<p>Text</p><li>one</li>", LETTERS)
    odd = rewritten(
        data, lambda _, text: text.replace("word/document.xml", "/word/Document.xml")
    ).replace(b"word/document.xml", b"word\\document.xml")
    assert read("a.docx", odd)[1] == "Text\n\na) one"


def test_files_that_are_none(read: Read) -> None:
    with pytest.raises(CorpusError, match="protected with a password"):
        read("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1")
    with pytest.raises(CorpusError, match="has no readable part"):
        read("a.docx", rewritten(docx(""), lambda _, text: text.replace("</w:body>", "")))


@pytest.mark.parametrize("make", [docx_library.Document, pptx.Presentation])
def test_what_a_file_has_of_its_librarys_template_is_no_metadata(make: Callable[[], Any]) -> None:
    def properties() -> dict[str, Any]:
        document.save(written := BytesIO())
        return dict(office.Parts(written).properties())

    document = make()
    assert {"author", "date"}.isdisjoint(key for key, value in properties().items() if value)
    for program in ("openpyxl", "Apache POI", "Microsoft Office User"):
        document.core_properties.author = program
        assert not properties().get("author")
    document.core_properties.author = "Mira Kessler"
    document.core_properties.modified = datetime(2023, 1, 12)
    assert (properties()["author"], properties()["date"]) == ("Mira Kessler", "2023-01-12")


def test_a_title_has_no_number(read: Read) -> None:
    content, _, _ = read("a.docx", docx('<p style="heading1">Scope</p>', OUTLINE))
    assert content.title == "Scope"
    body = '<p style="heading1">Scope</p><p style="Title">Lease</p>'
    assert read("a.docx", docx(body, {"styles.xml": style("Title")}))[0].title == "Lease"
