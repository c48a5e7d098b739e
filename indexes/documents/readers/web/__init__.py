"""Web pages as Markdown, without menus, banners and footers.

Headings, lists and tables are kept, because sections and cells decide what a passage says. Tried
on pages of several kinds, trafilatura and readability drop headings before lists, and whole pages
that are lists of links; so tags, roles, names and links alone decide what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import author_name, decode
from hopyard.indexes.documents.readers.web.around import main_part
from hopyard.indexes.documents.readers.web.fill import fill_in
from hopyard.indexes.documents.readers.web.tables import prepare_tables
from hopyard.indexes.documents.readers.web.tree import soup_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_AUTHOR: Final = ("author", "article:author", "dc.creator")
_DATE: Final = ("article:published_time", "date", "dc.date", "datePublished", "last-modified")


def read_html(source: Source, declared: str = "") -> Iterator[Content]:
    """A web page; the title is `<title>`, else the first `<h1>`.

    A page may declare another encoding than UTF-8, and many do. A mail declares that of its pages.
    """
    from bs4.dammit import EncodingDetector

    data = source.read()
    declared = declared or EncodingDetector.find_declared_encoding(data, is_html=True) or ""
    soup = soup_of(decode(data, source, declared))
    titles = (title for title in soup("title") if not title.find_parent("svg"))
    heading = next(titles, None) or soup.h1
    title = " ".join(heading.get_text().split()) if heading else ""
    metadata = _metadata(soup)
    yield Content(title, [_markdown(main_part(soup, source.notes))], "markdown", metadata)


def html_to_markdown(html: str) -> str:
    """Markdown of HTML that is all text, such as a chapter of a book."""
    soup = soup_of(html)
    fill_in(soup)
    return _markdown(soup)


def _metadata(soup: BeautifulSoup) -> dict[str, MetadataValue]:
    named = {
        str(tag.get("name") or tag.get("property") or tag.get("itemprop") or ""): str(
            tag.get("content") or ""
        ).strip()
        for tag in soup("meta")
    }
    found = {
        field: next((named[name] for name in names if named.get(name)), "")
        for field, names in (("author", _AUTHOR), ("date", _DATE))
    }
    found["author"] = author_name(found["author"])
    return {field: value for field, value in found.items() if value}


def _markdown(soup: BeautifulSoup) -> str:
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):
        """Writes the numbers of lists as a browser shows them."""

        def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
            item = str(super().convert_li(el, text, parent_tags))  # type: ignore[misc]
            mark = str(el.get("data-mark") or "")
            return re.sub(r"\d+\.", mark, item, count=1) if mark else item

    prepare_tables(soup)
    for raised in soup("sup"):
        if not raised.get_text().startswith("["):  # the mark of a note as it is
            raised.insert_before("^")
        raised.unwrap()
    converter = Converter(
        heading_style="ATX",
        bullets="-",
        strip=["a", "img"],
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    text = str(converter.convert_soup(soup)).replace("\u00ad", "")  # where a word may be divided
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip()
