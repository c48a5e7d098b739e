from __future__ import annotations

import pytest

from hopyard.indexes.formats import FORMATS, Content
from hopyard.state.errors import CorpusError


def pdf(text: str, title: str = "") -> bytes:
    """A PDF of one page with one line of text."""
    stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET" if text else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({title}) >>",
    ]
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {count} /Root 1 0 R /Info 6 0 R >>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    ).encode()


def test_plain_text_has_no_title_and_unix_lines() -> None:
    assert FORMATS[".txt"](b"\xef\xbb\xbfone\r\ntwo\rthree") == Content("", "one\ntwo\nthree")


def test_markdown_title_is_the_first_heading_outside_code() -> None:
    markdown = "intro\n```sh\n# a comment\n```\n## The *title* ##\n# Another\n"

    assert FORMATS[".md"](markdown.encode()) == Content("The *title*", markdown)


def test_markdown_without_a_heading() -> None:
    assert FORMATS[".md"](b"#hashtag\n").title == ""


def test_html_keeps_what_a_reader_sees() -> None:
    html = """<html><head><title> A
      title </title><style>p { color: red }</style></head><body><script>var x = "<p>";</script>
      <h1>Heading</h1><p>One <b>bold</b>
      word.<!-- hidden --></p><ul><li>first</li><li>second</li></ul>
      <table><tr><td>a</td><td>b</td></tr></table>line<br>break<pre>x\n  y</pre></body></html>"""

    title, text = FORMATS[".html"](html.encode())

    assert title == "A title"
    assert text.split("\n") == [
        *("Heading", "", "One bold word.", "", "first", "", "second", "", "a b", ""),
        *("line", "", "break", "x", "  y"),
    ]


def test_html_without_a_title_takes_its_heading() -> None:
    assert FORMATS[".htm"](b"<h1>Only <i>this</i></h1>") == Content("Only this", "Only this")


def test_html_may_declare_another_encoding() -> None:
    html = "<meta charset='iso-8859-1'><p>café</p>".encode("latin-1")

    assert FORMATS[".html"](html).text == "café"


def test_pdf() -> None:
    assert FORMATS[".pdf"](pdf("Hello from a page.", "The title")) == Content(
        "The title", "Hello from a page.\n\n\f"
    )


@pytest.mark.parametrize(
    ("suffix", "data", "reason"),
    [
        (".txt", b"caf\xe9", "not valid UTF-8"),
        (".html", b"<meta charset='no-such'>x", "not valid NO-SUCH"),
        (".pdf", b"no PDF at all", "not a readable PDF"),
        (".pdf", pdf("Hello")[:200], "not a readable PDF"),
        (".pdf", pdf(""), "holds no text"),
    ],
)
def test_unreadable_files_say_why(suffix: str, data: bytes, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        FORMATS[suffix](data)
