"""Web pages without what stands around their text."""

from __future__ import annotations

import io
from typing import Any

import pytest

from hopyard.indexes.documents.readers.base import Part, Source
from hopyard.indexes.documents.readers.mail import read_mhtml
from hopyard.indexes.documents.readers.web import read_html

Read = Any

PAGE = """<html><head><title>Prices | Shop</title><meta name="author" content="Ann Ash">
<meta property="article:published_time" content="2024-05-06"></head><body class="has-menu">
<nav><a href="/">Home</a></nav><div class="main-menu"><a href="/s">Shop</a></div>
<div id="cookie-banner">We use cookies.</div><div role="search">Find</div>
<div><a href=1>One</a> <a href=2>Two</a> <a href=3>Three</a> <a href=4>Four</a></div>
<h1>Prices</h1>
<p>All prices hold until the end of the year, and they <b>include</b> tax.<!-- x --></p>
<table><tr><td>Tea</td><td>Price</td></tr><tr><td>Sejak</td><td>14 | 15</td></tr></table>
<h2>Shipping</h2><ul><li>Inland: 3 euro</li><li>Abroad: see <a href="x">the table</a></li></ul>
<pre>def f(x):
    return x</pre><footer>Imprint</footer><script>var x = "<p>";</script></body></html>"""


def test_a_page_keeps_its_text_headings_lists_and_tables(read: Read) -> None:
    content, text, _ = read("a.html", PAGE.encode())
    assert content.title == "Prices | Shop"
    assert content.metadata == {"author": "Ann Ash", "date": "2024-05-06"}
    without = read("a.html", PAGE.replace("Ann Ash", "admin").encode())[0]
    assert not without.metadata.get("author")
    assert text.split("\n\n") == [
        "# Prices",
        "All prices hold until the end of the year, and they **include** tax.",
        "| Tea | Price |\n| --- | --- |\n| Sejak | 14 \\| 15 |",
        "## Shipping",
        "- Inland: 3 euro\n- Abroad: see the table",
        "```\ndef f(x):\n    return x\n```",
    ]


def test_a_page_of_links_is_not_taken_for_a_menu(read: Read) -> None:
    links = "".join(f'<li><a href="/{number}">Chapter {number}</a></li>' for number in range(9))
    _, text, _ = read("a.html", f"<h1>Book</h1><ul>{links}</ul>".encode())
    assert "Chapter 7" in text


def test_a_name_on_the_whole_page_drops_nothing(read: Read) -> None:
    _, text, _ = read("a.html", b'<div class="with-sidebar menu"><p>The whole text.</p></div>')
    assert text == "The whole text."


def test_without_a_title_the_heading_is_one(read: Read) -> None:
    content, text, _ = read("a.htm", b"<h1>Only <i>this</i></h1>")
    assert (content.title, text) == ("Only this", "# Only *this*")


@pytest.mark.parametrize("declared", ["iso-8859-1", "no-such", "utf-8"])
def test_a_page_may_declare_its_encoding_and_be_wrong(read: Read, declared: str) -> None:
    html = f"<meta charset='{declared}'><p>Café für alle</p>".encode("latin-1")
    assert read("a.html", html)[1] == "Café für alle"


SAVED = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://quay.example/fees\r\n"
    "Subject: =?utf-8?Q?H=C3=A4fen?=\r\nMIME-Version: 1.0\r\n"
    'Content-Type: multipart/related; type="text/html"; boundary="B"\r\n\r\n'
    "--B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n"
    "Content-Location: https://quay.example/fees\r\n\r\n"
    '<html><head><meta charset=3D"utf-8"><title>Fees</title><style>p{{}}</style></head><body>'
    "<nav><a href=3D'/a'>Home</a> <a href=3D'/b'>Map</a></nav><h1>H=C3=A4fen</h1><p>A berth costs "
    "40 euros a n=\r\night.</p><table><tr><th>Quay</th><th>Fee</th></tr><tr><td>North</td>"
    '<td>12</td></tr></table><iframe src=3D"cid:f"></iframe></body></html>\r\n'
    "--B\r\nContent-Type: text/css\r\nContent-Location: https://quay.example/a.css\r\n\r\n"
    "p {{ color: red }}\r\n"
    "--B\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n"
    "{frame}--B--\r\n"
)
FRAME = (
    "--B\r\nContent-Type: text/html; charset=windows-1257\r\n"
    "Content-Transfer-Encoding: base64\r\n\r\nPHA+Uu5nYTwvcD4=\r\n"
)


@pytest.mark.parametrize("name", ["page.mht", "page.mhtml"])
def test_a_saved_web_page_is_read_as_the_page(read: Read, name: str) -> None:
    content, text, unread = read(name, SAVED.format(frame="").encode())
    assert content.title == "Fees"
    table = "| Quay | Fee |\n| --- | --- |\n| North | 12 |"
    assert text == f"# Häfen\n\nA berth costs 40 euros a night.\n\n{table}"
    assert unread == []


def test_the_frames_of_a_saved_page_are_files_in_it() -> None:
    source = Source("a.mht", lambda: io.BytesIO(SAVED.format(frame=FRAME).encode()))
    _, frame = read_mhtml(source)
    assert isinstance(frame, Part)
    assert frame.name == "frame 1.html"
    [content] = read_html(frame.source)
    assert "".join(content.text) == "Rīga"


def test_the_page_that_start_names_comes_first(read: Read) -> None:
    """MimeKit 489: the root of a saved page need not be its first part."""
    mail = (
        b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=B; start='<main>'\n\n"
        b"--B\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
        b"--B\nContent-Type: text/html\nContent-ID: <side>\n\n<p>Menu</p>\n"
        b"--B\nContent-Type: text/html\nContent-ID: <main>\n\n<p>The quay is 40 m long.</p>\n"
        b"--B--\n"
    ).replace(b"'", b'"')
    source = Source("a.mht", lambda: io.BytesIO(mail))
    page, frame = read_mhtml(source)
    assert not isinstance(page, Part) and "".join(page.text) == "The quay is 40 m long."
    assert isinstance(frame, Part) and frame.name == "frame 1.html"
    first = read("a.mht", mail.replace(b'; start="<main>"', b""))[1]
    assert first == "Menu"


def test_a_saved_page_names_the_encoding_of_its_page(read: Read) -> None:
    mail = (
        b"MIME-Version: 1.0\nContent-Type: text/html; charset=iso-8859-7\n"
        b"Content-Transfer-Encoding: 8bit\n\n<p>\xcb\xe9\xec\xdc\xed\xe9</p>"
    )
    assert read("a.mht", mail)[1] == "Λιμάνι"
    assert read("a.mht", b"\r\n\r\n" + mail)[1] == "Λιμάνι"
