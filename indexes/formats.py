"""One function a file format: the bytes of a file in, its title and text out.

A format that finds no title gives an empty one, and the loader falls back to the file's name.
Whatever keeps a file from being read is a `CorpusError` whose message is the reason alone; the
loader knows the file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector
from bs4.element import PreformattedString
from pypdf import PdfReader

from hopyard.indexes.records import PAGE_END
from hopyard.state.errors import CorpusError

__all__ = ("FORMATS", "Content")

_HEADING: Final = re.compile(r" {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")

_DROPPED: Final = ("script", "style", "noscript", "template", "head", "title")
_BLOCKS: Final = (
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption"),
    *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
    *("nav", "ol", "p", "pre", "section", "table", "tr", "ul"),
)
_CELLS: Final = ("td", "th")
_INDENT: Final = "\N{NO-BREAK SPACE}"  # stands for the spaces in code, so that they are kept


class Content(NamedTuple):
    """What a file says."""

    title: str
    text: str


def read_plain_text(data: bytes) -> Content:
    """Plain UTF-8 text; it has no title of its own."""
    return Content("", _decode(data))


def read_markdown(data: bytes) -> Content:
    """Markdown as written; the title is its first `#` heading outside a code fence."""
    text = _decode(data)
    return Content(_first_heading(text), text)


def read_html(data: bytes) -> Content:
    """The visible text of a page, a line a block; the title is `<title>`, else the first `<h1>`.

    A page may declare another encoding than UTF-8, and many do.
    """
    encoding = EncodingDetector.find_declared_encoding(data, is_html=True) or "utf-8"
    soup = BeautifulSoup(_decode(data, encoding), "html.parser")
    heading = soup.title or soup.h1
    title = " ".join(heading.get_text().split()) if heading else ""
    for tag in soup(_DROPPED):
        tag.decompose()
    return Content(title, _visible_text(soup))


def read_pdf(data: bytes) -> Content:
    """The text of all pages, each ended by a form feed; the title is the one in the metadata."""
    try:
        reader = PdfReader(io.BytesIO(data))
        title = reader.metadata.title if reader.metadata else None
        pages = [page.extract_text() for page in reader.pages]
    except Exception as error:  # pypdf meets broken files with any exception there is
        raise CorpusError(f"not a readable PDF ({type(error).__name__}: {error})") from error
    text = "".join(f"{page.strip()}\n\n{PAGE_END}" for page in pages)
    if not text.strip():
        raise CorpusError("the PDF holds no text; pages that were scanned need OCR first")
    return Content(_without_surrogates(title or ""), _without_surrogates(text))


FORMATS: Final[Mapping[str, Callable[[bytes], Content]]] = {
    ".txt": read_plain_text,
    ".md": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": read_pdf,
}
"""Reader by lower-case suffix. Corpus files (`.jsonl`) hold many documents: see `loaders`."""


def _decode(data: bytes, encoding: str = "utf-8") -> str:
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise CorpusError(f"not valid {encoding.upper()} text ({error})") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _first_heading(markdown: str) -> str:
    fenced = False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (heading := _HEADING.match(line)):
            return heading[1]
    return ""


def _visible_text(soup: BeautifulSoup) -> str:
    # In HTML a line break in the source is a space, and only a block starts a new line.
    for node in soup.find_all(string=True):
        if isinstance(node, PreformattedString):  # a comment, a doctype, …
            node.extract()
        elif node.find_parent("pre") is None:
            node.replace_with(re.sub(r"\s+", " ", node))
        else:
            node.replace_with(node.replace(" ", _INDENT))
    for cell in soup(_CELLS):
        cell.append(" ")
    for block in soup(_BLOCKS):
        block.insert_before("\n")
        block.append("\n")
    lines = "\n".join(line.strip(" ") for line in soup.get_text().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).replace(_INDENT, " ").strip()


def _without_surrogates(text: str) -> str:
    # A PDF's character map may produce half a surrogate pair, which no encoding can hold.
    return text.encode("utf-8", "replace").decode("utf-8")
