"""Web pages without what stands around their text."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<table><tr><th>Site<th>Quay<tr><td>Rostock<td>1,150 m<tr><td>Kiel<td>900 m</table>",
            "| Site | Quay |\n| --- | --- |\n| Rostock | 1,150 m |\n| Kiel | 900 m |",
        ),
        (
            "<table><thead><tr><th>A<th>B<tbody><tr><td>1<td>2<tr><td>3<td>4</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
        ),
        ("<ul><li>a<li>b<ul><li>c<li>d</ul><li>e</ul>", "- a\n- b\n  - c\n  - d\n- e"),
        ("<p>a<p>b<ul><li>c</ul><p>d<h2>e</h2>", "a\n\nb\n\n- c\n\nd\n\n## e"),
        ("<div><p>a<div>b</div></div><p>c", "a\n\nb\n\nc"),
    ],
)
def test_end_tags_may_be_omitted(read: Read, html: str, markdown: str) -> None:
    assert read("a.html", f"<main>{html}</main>".encode())[1] == markdown
