# ruff: noqa: E501 - markup in long lines
"""Books: chapters whose paths are written oddly, their order, and what is left out by name.

Faults that users of other tools reported: epubx.dart 26, xberg 1489,
onyx 14773, bookworm 419.
"""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.state.errors import CorpusError

from ..zips import zipped

Read = Any

PAGE = 'media-type="application/xhtml+xml"'
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{path}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def book(
    files: dict[str, str | bytes],
    items: dict[str, str],
    spine: list[str],
    path: str = "OEBPS/book.opf",
    **more: str,
) -> bytes:
    """A book.

    Args:
        files: Its files.
        items: The references of its items, by id, which may have attributes behind a blank.
        spine: The ids in order.
        path: Where the list of its contents is.
        more: `container`: another path in the container.
    """
    manifest = "".join(
        f'<item id="{name}" href="{href.partition(" ")[0]}" {href.partition(" ")[2] or PAGE}/>'
        for name, href in items.items()
    )
    refs = "".join(f'<itemref idref="{name}"/>' for name in spine)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title></metadata>'
        f"<manifest>{manifest}</manifest><spine>{refs}</spine></package>"
    )
    container = more.get("container", path)
    named = {"META-INF/container.xml": CONTAINER.format(path=container)} if container else {}
    return zipped({**named, path: package, **files})


def page(text: str, head: str = "") -> str:
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/>{head}</head><body><a id="x"/>'
        f"<p>{text}</p></body></html>"
    )


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("OEBPS/Chapter 1.xhtml", "Chapter%201.xhtml"),
        ("OEBPS/Kapitel_Müller.xhtml", "Kapitel_M%C3%BCller.xhtml"),
        ("OEBPS/Kapitel_Mu\u0308ller.xhtml", "Kapitel_Müller.xhtml"),
        ("OEBPS/a.xhtml", "a.xhtml#part-2"),
        ("a.xhtml", "../a.xhtml"),
        ("text/a.xhtml", "../OEBPS/../text/a.xhtml"),
        ("OEBPS/Text/a.xhtml", "Text\\a.xhtml"),
        ("OEBPS/Text/a.xhtml", "./text/A.xhtml"),
        ("OEBPS/100%25.xhtml", "100%25.xhtml"),
        ("OEBPS/50%.xhtml", "50%25.xhtml"),
        ("OEBPS/50%.xhtml", "50%.xhtml"),
        ("OEBPS\\a.xhtml", "a.xhtml"),
    ],
)
def test_chapters_are_found_by_odd_paths(read: Read, name: str, href: str) -> None:
    _, text, unread = read("a.epub", book({name: page("The sea rose.")}, {"c": href}, ["c"]))
    assert (text.strip(), unread) == ("The sea rose.", [])


@pytest.mark.parametrize("container", ["", "oebps/book.opf", "OEBPS\\book.opf", "missing.opf"])
def test_the_list_of_contents_is_found(read: Read, container: str) -> None:
    data = book({"OEBPS/a.xhtml": page("Text.")}, {"a": "a.xhtml"}, ["a"], container=container)
    assert read("a.epub", data)[1].strip() == "Text."


def test_the_order_is_that_of_the_spine_and_contents_give_names(read: Read) -> None:
    nav = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><nav><a href="b.xhtml">The ebb</a>'
        '<a href="a.xhtml#x">The flood</a></nav></body></html>'
    )
    ncx = (
        '<ncx xmlns="urn:n"><navMap><navPoint><navLabel><text>A note</text></navLabel>'
        '<content src="notes.xhtml"/></navPoint></navMap></ncx>'
    )
    files = {
        "OEBPS/a.xhtml": page("Second."),
        "OEBPS/b.xhtml": page("First."),
        "OEBPS/notes.xhtml": page("A note<sup>1</sup>."),
        "OEBPS/nav.xhtml": nav,
        "OEBPS/toc.ncx": ncx,
    }
    items = {
        "a": "a.xhtml",
        "b": "b.xhtml",
        "n": "notes.xhtml",
        "nav": f'nav.xhtml properties="nav" {PAGE}',
        "ncx": 'toc.ncx media-type="application/x-dtbncx+xml"',
    }
    _, text, unread = read("a.epub", book(files, items, ["nav", "b", "a", "n"]))
    assert text.split("\n\n")[:-1] == [
        "# The ebb",
        "First.",
        "# The flood",
        "Second.",
        "# A note",
        "A note^1.",
    ]
    assert unread == []


def test_missing_and_encrypted_chapters_are_named(read: Read) -> None:
    encryption = (
        '<encryption xmlns="urn:e"><EncryptedData><EncryptionMethod Algorithm="http://x/aes"/><CipherData>'
        '<CipherReference URI="OEBPS/b.xhtml"/></CipherData></EncryptedData><EncryptedData>'
        '<EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><CipherData>'
        '<CipherReference URI="OEBPS/a.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    files = {
        "OEBPS/a.xhtml": page("Open."),
        "OEBPS/b.xhtml": b"\x01\x02",
        "META-INF/encryption.xml": encryption,
    }
    items = {"a": "a.xhtml", "b": "b.xhtml", "c": "c.xhtml", "d": "http://x.org/d.html"}
    _, text, unread = read("a.epub", book(files, items, ["a", "b", "c", "d", "e"]))
    assert text.strip() == "Open."
    assert sorted((each.place, each.reason) for each in unread) == [
        ("b.xhtml", "encrypted"),
        ("c.xhtml", "the book has no such file"),
        ("e", "the book has no such item"),
        ("http://x.org/d.html", "the book has no such file"),
    ]


def test_a_book_whose_chapters_are_all_encrypted(read: Read) -> None:
    encryption = (
        '<encryption xmlns="urn:e"><EncryptedData><CipherData><CipherReference '
        'URI="OEBPS/a.xhtml"/>'
        "</CipherData></EncryptedData></encryption>"
    )
    files = {"OEBPS/a.xhtml": b"\x01", "META-INF/encryption.xml": encryption}
    with pytest.raises(CorpusError, match="encrypted"):
        read("a.epub", book(files, {"a": "a.xhtml"}, ["a"]))


def test_a_book_without_a_spine_and_with_a_declared_encoding(read: Read) -> None:
    text = f'<?xml version="1.0" encoding="iso-8859-2"?>{page("Příliš žluťoučký kůň")}'
    data = book({"OEBPS/a.xhtml": text.encode("iso-8859-2")}, {"a": "a.xhtml", "c": "x.css"}, [])
    assert read("a.epub", data)[1].strip() == "Příliš žluťoučký kůň"


LINKS = '</p><h1>Further Reading</h1><ul><li><a href="http://a.example">Ebb by Ann Ash</a></li>' \
    '<li><a href="http://b.example">Flow by Ben Croft</a></li></ul><p>'  # fmt: skip


def test_books_are_read_in_the_order_of_their_spine(read: Read) -> None:
    nav = '<html xmlns:e="http://www.idpf.org/2007/ops"><body><nav e:type="toc"><a href="b.xhtml">Two' \
        "</a></nav></body></html>"  # fmt: skip
    files: dict[str, str | bytes] = {
        "OEBPS/a.xhtml": page("Comes last."), "OEBPS/b.xhtml": page("Comes first."),
        "OEBPS/c.xhtml": page(LINKS), "OEBPS/nav.xhtml": nav, "OEBPS/d.xhtml": page("Not in the spine."),
    }  # fmt: skip
    items = {"n": f"nav.xhtml properties='nav' {PAGE}", "a": "a.xhtml", "b": "b.xhtml", "c": "c.xhtml",
             "d": "d.xhtml"}  # fmt: skip
    _, text, _ = read("a.epub", book(files, items, ["b", "gone", "c", "a"]))
    places = [
        text.index(each)
        for each in (
            "Comes first.",
            "Further Reading",
            "Ebb by Ann Ash",
            "Comes last.",
            "Not in the spine.",
        )
    ]
    assert places == sorted(places)  # fmt: skip
