"""The Markdown of answers as HTML for the page.

A model writes answers, and documents may speak through it. So HTML in an answer stays text, nothing
is loaded (no images), and a link leads only to `http`, `https` or `mailto`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

from hopyard.state.text.unicode import without_controls

_MARK: Final = re.compile(r"\[(\d+)\]")
_HIGHEST: Final = 3
"""The level of an answer's highest headings: they stand below those of the page."""
_TABLE: Final = '<div class="table" role="group" aria-label="Table" tabindex="0">'
"""Around a table, which may be wider than a telephone: the arrow keys move it."""


def prose(text: str, sources: int = 0) -> str:
    """Markdown as HTML.

    Args:
        sources: How many sources the page lists. A mark such as `[2]` leads to its source.
    """
    tokens = _parsed(without_controls(text))
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    first = min((int(token.tag[1:]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1:]) - first + _HIGHEST)}"
    for token in tokens:
        if side := token.attrs.pop("style", ""):  # the page's policy allows no style of its own
            token.attrs["class"] = str(side).rpartition(":")[2]
        if token.children:
            token.children = list(_with_marks(token.children, sources))
    html: str = _parser.renderer.render(tokens, _parser.options, {})
    if tokens and tokens[0].type == "inline":
        html = f"<p>{html}</p>"
    return html.replace("<table>", f"{_TABLE}<table>").replace("</table>", "</table></div>")


def _parsed(text: str) -> list[Token]:
    """A single line has no blocks: "1781." is a year, not the beginning of a list."""
    text = text.strip()
    return _parser.parse(text) if "\n" in text else _parser.parseInline(text)


def _with_marks(tokens: Sequence[Token], sources: int) -> Iterator[Token]:
    """Inline tokens; those of text are cut at the marks of sources, which become links."""
    in_link = 0
    for token in tokens:
        in_link += token.type == "link_open"
        in_link -= token.type == "link_close"
        if token.type == "link_open":
            token.attrSet("rel", "noopener noreferrer")
        if token.type != "text" or in_link:
            yield token
            continue
        place = 0
        for found in _MARK.finditer(token.content):
            if 1 <= int(found[1]) <= sources:
                yield _text(token.content[place : found.start()])
                yield _mark(found[1])
                place = found.end()
        yield _text(token.content[place:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _mark(number: str) -> Token:
    return Token(
        "html_inline", "", 0, content=f'<a class="mark" href="#source-{number}">[{number}]</a>'
    )


def _may_lead_to(address: str) -> bool:
    try:
        return urlsplit(address.strip()).scheme.lower() in {"http", "https", "mailto"}
    except ValueError:
        return False


def _escape_fence(tokens: Sequence[Token], place: int, *_: object) -> str:
    return f"<pre><code>{escape(tokens[place].content)}</code></pre>\n"


def _made_parser() -> MarkdownIt:
    # `[1]: https://…` would turn a mark of a source into a link to somewhere else.
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "xhtmlOut": False}).enable(
        "table"
    )
    parser.disable(["image", "reference", "html_block", "html_inline"])
    parser.validateLink = _may_lead_to  # type: ignore[method-assign, assignment]
    # The model chooses a fence's language, so it becomes no attribute.
    parser.renderer.rules["fence"] = _escape_fence  # type: ignore[attr-defined]
    return parser


_parser: Final = _made_parser()
