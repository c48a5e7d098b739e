"""Answers in Markdown: what the page shows of them, and that a hostile one stays text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.tracing.prose import prose


def mark(number: int) -> str:
    return f'<a class="mark" href="#source-{number}">[{number}]</a>'


THERE = '<a href="https://example.org/a" title="t" rel="noopener noreferrer">there</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("1781.", "<p>1781.</p>"),
        ("# of gates: **2** [1]", f"<p># of gates: <strong>2</strong> {mark(1)}</p>"),
        ("Two [1][2], not [3].", f"<p>Two {mark(1)}{mark(2)}, not [3].</p>"),
        ("Two\nlines", "<p>Two<br>\nlines</p>\n"),
        (
            "## Risks\n\n- one [1]\n- two",
            f"<h3>Risks</h3>\n<ul>\n<li>one {mark(1)}</li>\n<li>two</li>\n</ul>\n",
        ),
        ("## A\n# B\n###### C\nd", "<h4>A</h4>\n<h3>B</h3>\n<h6>C</h6>\n<p>d</p>\n"),
        (
            "`x [1]`\n\n```py\na < b [1]\n```",
            "<p><code>x [1]</code></p>\n<pre><code>a &lt; b [1]\n</code></pre>\n",
        ),
        (
            'See https://example.org or [there](https://example.org/a "t").',
            f"<p>See https://example.org or {THERE}.</p>",
        ),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert prose(text, sources=2) == html


def test_a_table_is_a_table() -> None:
    html = prose("| City | Rate |\n|---|--:|\n| Oslo | 170 |")
    assert html.startswith(
        '<div class="table" role="group" aria-label="Table" tabindex="0"><table>'
    )
    assert "<th>City</th>" in html
    assert '<td class="right">170</td>' in html


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "text\n\n<script>window.hacked = 1</script>\n\n<img src=x onerror=alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "[1](javascript:alert(1)) [a](JaVaScript:alert(1)) [b](data:text/html,x) [c](//evil.example)",
    "[a](&#106;avascript:alert(1)) [b](java\tscript:alert(1)) <javascript:alert(1)>",
    "Read [1].\n\n[1]: https://evil.example 'x'",
    '[a](https://example.org "x\\" onmouseover=\\"alert(1)")',
    '```"><script>alert(1)</script>\nx\n```',
    "<a href='https://evil.example'>[1]</a>",
    "# <svg/onload=alert(1)>\n| <b>a</b> |\n|---|\n| <iframe src=x> |",
]
PLAIN = {"p", "a", "strong", "em", "code", "pre", "ul", "ol", "li", "h3", "h4", "h5", "h6", "br",
         "hr", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "div"}  # fmt: skip


class Found(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


def check_inert(text: str) -> None:
    found = Found(prose(text, sources=3))
    assert found.tags <= PLAIN
    assert {name for name, _ in found.attributes} <= {
        "href", "rel", "class", "title", "start", "role", "tabindex", "aria-label",
    }  # fmt: skip
    for name, value in found.attributes:
        if name == "href":
            assert value.startswith(("#source-", "https:", "http:", "mailto:")), value
        if name == "class":
            assert value in {"mark", "table", "left", "right", "center"}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_stays_text(text: str) -> None:
    check_inert(text)
    assert "evil.example/pixel" not in prose(text) or 'src="' not in prose(text)


@given(st.text(alphabet="<>[]()!:#*_`|-\n \"'&;ahrefscriptjv1/\\", max_size=60))
def test_any_answer_stays_text(text: str) -> None:
    check_inert(text)


def test_a_mark_leads_to_its_source_and_nowhere_else() -> None:
    html = prose("Read [1].\n\n[1]: https://evil.example", sources=1)
    assert '<a class="mark" href="#source-1">[1]</a>' in html
    assert 'href="https://evil' not in html
