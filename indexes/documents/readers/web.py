"""Web pages as Markdown, without menus, banners and footers.

Headings, lists and tables are kept, because sections and cells decide what a passage says. Tried
on pages of several kinds, trafilatura and readability drop headings before lists, and whole pages
that are lists of links; so tags, roles, names and links alone decide what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import decode

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

__all__ = ("html_to_markdown", "read_html")

_NO_TEXT: Final = ("script", "style", "noscript", "template", "svg", "iframe", "head", "title")
_AROUND: Final = ("nav", "footer", "aside", "form", "button", "dialog", "menu")
_OF_TEXT: Final = (
    *("main", "article", "details", "summary", "dt", "label"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
)
"""Elements whose asides, footers and buttons are part of the text."""
_FORM_SHARE: Final = 0.1
"""A form with more of the text holds the page, not a search field."""
_HIDDEN: Final = 40
"""Characters of a hidden part, at most; a longer part is a tab or an answer that unfolds."""
_WIDEST_SPAN: Final = 100
_AROUND_ROLES: Final = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alert", "menu")
)
_AROUND_NAMES: Final = re.compile(
    r"(?:^|[-_])(?:nav|navbar|navigation|menu|footer|sidebar|breadcrumbs?|cookies?|consent|"
    r"newsletter|pagination|skip-link)(?=$|[-_])",
    re.IGNORECASE,
)
_CELL: Final = ["td", "th"]
_CELLS: Final = frozenset(_CELL)
_GROUPS: Final = frozenset(("thead", "tbody", "tfoot", "caption", "colgroup"))
_TABLE: Final = frozenset(("table",))
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_TERMS: Final = frozenset(("dt", "dd"))
_HOLDERS: Final = frozenset(("td", "th", "li", "dd", "div", "section", "article", "blockquote"))
_NOTHING: Final[tuple[frozenset[str], frozenset[str]]] = (frozenset(), frozenset())
_ENDED_BY: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset(("li", "p")), _LISTS),
    **dict.fromkeys(_TERMS, (_TERMS | {"p"}, frozenset(("dl",)))),
    **dict.fromkeys(_CELLS, (_CELLS | {"p", "caption", "colgroup"}, _TABLE)),
    "tr": (_CELLS | {"tr", "p", "caption", "colgroup"}, _TABLE),
    **dict.fromkeys(_GROUPS, (_CELLS | _GROUPS | {"tr", "p"}, _TABLE)),
    **dict.fromkeys(
        ("p", "div", "ul", "ol", "dl", "table", "blockquote", "pre", "section", "article",
         "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
        (frozenset(("p",)), _HOLDERS),
    ),
}  # fmt: skip
"""Which open elements the start of an element ends, and the elements outside of which it looks for
none. Source: HTML Living Standard, 13.1.2.4, "Optional tags"."""
_LISTING: Final = ("ul", "ol", "div", "section", "table", "header")
_LINK_SHARE: Final = 0.75
"""A list or division with more of its text in links is a menu, if it has some links."""
_LINKS: Final = 4
_LEAST_KEPT: Final = 0.25
"""Share of a page's text that is left at least; else the page itself is a list of links."""
_AUTHOR: Final = ("author", "article:author", "dc.creator")
_DATE: Final = ("article:published_time", "date", "dc.date", "datePublished", "last-modified")


def read_html(source: Source) -> Iterator[Content]:
    """A web page; the title is `<title>`, else the first `<h1>`.

    A page may declare another encoding than UTF-8, and many do.
    """
    from bs4.dammit import EncodingDetector

    data = source.read()
    declared = EncodingDetector.find_declared_encoding(data, is_html=True) or ""
    soup = _soup(decode(data, source, declared))
    heading = soup.title or soup.h1
    title = " ".join(heading.get_text().split()) if heading else ""
    metadata = _metadata(soup)
    yield Content(title, [_markdown(_main(soup))], "markdown", metadata)


def html_to_markdown(html: str) -> str:
    """Markdown of HTML that is all text, such as a chapter of a book."""
    soup = _soup(html)
    _drop(soup, _NO_TEXT)
    _fill_in(soup)
    return _markdown(soup)


def _soup(html: str) -> BeautifulSoup:
    from bs4 import BeautifulSoup

    class Soup(BeautifulSoup):
        """Python's parser leaves elements open whose end tags HTML allows to be omitted."""

        def handle_starttag(self, name: str, *given: Any, **named: Any) -> Any:
            ended, within = _ENDED_BY.get(name, _NOTHING)
            for tag in reversed(self.tagStack[:]):
                if tag.name in within:
                    break
                if tag.name in ended:
                    self.handle_endtag(tag.name)
            return super().handle_starttag(name, *given, **named)

    return Soup(html, "html.parser")


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
    return {field: value for field, value in found.items() if value}


def _main(soup: BeautifulSoup) -> BeautifulSoup:
    """The page without what stands around its text."""
    _drop(soup, _NO_TEXT)
    _fill_in(soup)
    whole = str(soup)
    before = _length(soup)
    for tag in soup(list(_AROUND)):
        share = _length(tag) / max(before, 1)
        is_form = tag.name == "form" and share > _FORM_SHARE
        in_text = tag.name not in ("nav", "menu", "form") and tag.find_parent(list(_OF_TEXT))
        if not (is_form or in_text or tag.has_attr("aria-controls")):
            tag.extract()
    for tag in filter(_is_around, soup.find_all(True)):
        if _length(tag) < before / 2:
            tag.extract()
    for menu in _menus(soup):
        menu.extract()
    if _length(soup) < _LEAST_KEPT * before:
        return _soup(whole)
    return soup


def _is_around(tag: Tag) -> bool:
    if tag.name in ("html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6"):
        return False
    if tag.get("role") in _AROUND_ROLES:
        return True
    if tag.get("aria-hidden") == "true" or tag.has_attr("hidden"):
        return _length(tag) < _HIDDEN
    classes = tag.get("class")
    names = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    return any(_AROUND_NAMES.search(name) for name in names if name)


def _menus(soup: BeautifulSoup) -> list[Tag]:
    """The blocks that are nearly all links."""
    linked: dict[int, tuple[Tag, int, int]] = {}
    for link in soup("a"):
        length = _length(link)
        for block in link.find_parents(_LISTING):
            _, count, total = linked.get(id(block), (block, 0, 0))
            linked[id(block)] = block, count + 1, total + length
    return [
        block
        for block, count, total in linked.values()
        if count >= _LINKS and not block.find_parent("article")
        if total > _LINK_SHARE * _length(block)
    ]


def _length(tag: Tag) -> int:
    return len("".join(tag.get_text().split()))


def _drop(soup: BeautifulSoup, names: tuple[str, ...]) -> None:
    for tag in soup(list(names)):
        tag.extract()


def _fill_in(soup: BeautifulSoup) -> None:
    """Write out what a browser shows of fields: ticked boxes, chosen entries, typed texts."""
    for field in soup("input"):
        kind = str(field.get("type") or "text").casefold()
        if kind in ("checkbox", "radio"):
            space = "" if str(field.next_sibling or "")[:1].isspace() else " "
            field.replace_with(f"[{'x' if field.has_attr('checked') else ' '}]{space}")
        elif kind not in ("hidden", "submit", "button", "image", "password", "reset"):
            field.replace_with(str(field.get("value") or ""))
    for choice in soup("select"):
        chosen = choice.find_all("option", selected=True) or choice.find_all("option", limit=1)
        choice.replace_with(", ".join(option.get_text(strip=True) for option in chosen))
    for summary in soup("summary"):
        summary.name = "p"


def _markdown(soup: BeautifulSoup) -> str:
    from markdownify import MarkdownConverter

    for table in soup("table"):
        _complete(table)
    for raised in soup("sup"):
        if not raised.get_text().startswith("["):  # the mark of a note as it is
            raised.insert_before("^")
        raised.unwrap()
    converter = MarkdownConverter(
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


def _complete(table: Tag) -> None:
    """Prepare a table for Markdown: bars do not end cells, and the first row is the header.

    Office programs seldom mark the header. A cell over several rows is in each of them, and a
    header over several columns in each. The rows of a header become one.
    """
    for text in table.find_all(string=lambda text: "|" in text):
        text.replace_with(text.replace("|", "\\|"))
    rows = [row for row in table("tr") if row.find_parent("table") is table]
    if not rows:
        return
    _spread(rows)
    heads = [row for row in rows if _in_head(row) or not row.find("td")]
    for row in heads[1:] if heads and rows[: len(heads)] == heads else ():
        for above, cell in zip(heads[0](_CELL, recursive=False), row(_CELL), strict=False):
            if (name := cell.get_text().strip()) and name != above.get_text().strip():
                above.append(f" {name}")
        row.extract()
    if not table.find("th"):
        for cell in rows[0]("td", recursive=False):
            cell.name = "th"


def _in_head(row: Tag) -> bool:
    return row.parent is not None and row.parent.name == "thead"


def _spread(rows: Sequence[Tag]) -> None:
    """Give each row a cell for every column."""
    below: dict[int, tuple[int, Tag]] = {}
    for row in rows:
        cells = row(_CELL, recursive=False)
        is_head = _in_head(row)
        column = 0
        for cell in cells:
            column = _copy_down(below, column, cell.insert_before)
            across = _span(cell, "colspan", 1)
            down = _span(cell, "rowspan", len(rows))
            for added in range(across):
                if added:
                    repeated = is_head or cell.name == "th"
                    cell.insert_after(copy(cell) if repeated else _blank(cell))
                if down > 1:
                    below[column] = (
                        down - 1,
                        cell if not added or cell.name == "th" else _blank(cell),
                    )
                column += 1
        while below and column <= max(below):
            column = _copy_down(below, column, row.append) if column in below else column + 1


def _copy_down(below: dict[int, tuple[int, Tag]], column: int, add: Callable[[Tag], Any]) -> int:
    """Add the cells that reach from above into these columns; the column after them."""
    while column in below:
        left, cell = below.pop(column)
        add(copy(cell))
        if left > 1:
            below[column] = (left - 1, cell)
        column += 1
    return column


def _span(cell: Tag, name: str, whole: int) -> int:
    """The number of columns or rows of a cell; the attribute goes. 0 means all that follow."""
    value = str(cell.attrs.pop(name, "1")).strip()
    return min(int(value) or whole, _WIDEST_SPAN) if value.isdecimal() else 1


def _blank(cell: Tag) -> Tag:
    blank = copy(cell)
    blank.clear()
    return blank
