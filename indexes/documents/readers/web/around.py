"""Menus, banners and footers around the text of a web page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hopyard.indexes.documents.readers.base import Notes
from hopyard.indexes.documents.readers.web.fill import fill_in
from hopyard.indexes.documents.readers.web.tree import length_of, soup_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_AROUND: Final = ("nav", "footer", "aside", "form", "button", "dialog")
_KINDS: Final = {"nav": "menu", "aside": "part beside the text"}
"""Names of parts that are left out, where the tag says less."""
_OF_TEXT: Final = (
    *("main", "article", "details", "summary", "dt", "label"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
)
"""Elements whose asides, footers and buttons are part of the text."""
_UNFOLDS: Final = ("aria-controls", "aria-expanded", "data-toggle", "data-bs-toggle", "data-target")
"""Attributes of a button that names a part which it shows."""
_FORM_SHARE: Final = 0.1
"""A form with more of the text holds the page, not a search field."""
_FIELDS: Final = 3
"""A form with more fields is no search field or subscription."""
_HIDDEN: Final = 40
"""Characters of a part that is hidden from screen readers, at most; a longer part is text."""
_AROUND_ROLES: Final = frozenset(("navigation", "banner", "contentinfo", "search", "menu"))
_NOTICE_ROLES: Final = frozenset(("dialog", "alert", "alertdialog", "complementary"))
_OF_LINKS: Final = re.compile(
    r"(?:^|[-_])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|pagination|skip-link)(?=$|[-_])",
    re.IGNORECASE,
)
"""Names of parts that are left out if they are links."""
_OF_NOTICES: Final = re.compile(
    r"(?:^|[-_])(?:cookies?|consent|newsletter)(?=$|[-_])|^(?:(?:site|page|main|global)[-_]?)?footer$",
    re.IGNORECASE,
)
"""Names of parts that are left out."""
_NOTICE: Final = re.compile(r"cookie|consent|newsletter|subscribe|javascript", re.IGNORECASE)
_LINKED: Final = 0.5
"""Share of a menu's text that is in links, at least."""
_LISTING: Final = ("ul", "ol", "div", "section", "table", "header")
_LINK_SHARE: Final = 0.75
"""A list or division with more of its text in links is a menu, if it has some links."""
_LINKS: Final = 4
_LEAST_KEPT: Final = 0.25
"""Share of a page's text that is left at least; else the page itself is a list of links."""


def main_part(soup: BeautifulSoup, notes: Notes) -> BeautifulSoup:
    """The page without menus, banners and footers."""
    before = length_of(soup)
    has_main = bool(soup.find(["main", "article"]))
    around = [tag for tag in soup(list(_AROUND)) if _is_around(tag, before, has_main)]
    kinds = [_KINDS.get(tag.name, tag.name) for tag in around]
    named = [tag for tag in soup.find_all(True) if _is_named_so(tag)]
    fill_in(soup, notes)
    whole = str(soup)
    before = length_of(soup)
    left_out = [(kind, tag.extract()) for kind, tag in zip(kinds, around, strict=True)]
    left_out += [
        ("surrounding part", tag.extract()) for tag in named if length_of(tag) < before / 2
    ]
    left_out += [("menu", menu.extract()) for menu in _menus(soup)]
    if length_of(soup) < _LEAST_KEPT * before:
        return soup_of(whole)
    for kind, tag in left_out:
        notes.leave_out(kind, tag.get_text(" "))
    return soup


def _is_small(form: Tag) -> bool:
    """Whether a form is a search field, a subscription or a login, and none that is filled in."""
    fields = [
        field
        for field in form(["input", "select", "textarea"])
        if field.get("type") not in ("hidden", "submit", "button", "image", "reset")
    ]
    is_filled = any(
        field.get("value")
        or field.has_attr("checked")
        or (field.name == "textarea" and field.get_text().strip())
        for field in fields
    )
    return len(fields) <= _FIELDS and not is_filled


def _is_around(tag: Tag, before: int, has_main: bool) -> bool:
    if tag.name == "nav":
        return True
    if tag.name == "form":
        return length_of(tag) <= _FORM_SHARE * before and _is_small(tag)
    if tag.find_parent(list(_OF_TEXT)):
        return False
    if tag.name == "button":
        return tag.get("role") != "tab" and not any(map(tag.has_attr, _UNFOLDS))
    if tag.name == "aside":
        return has_main or _linked(tag) >= _LINKED
    return tag.name != "dialog" or _is_notice(tag)


def _is_named_so(tag: Tag) -> bool:
    """Whether the role or the names of an element say that it is no text of the page."""
    if tag.name in ("html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6"):
        return False
    role = tag.get("role")
    if role in _AROUND_ROLES or (role in _NOTICE_ROLES and _is_notice(tag)):
        return True
    if tag.get("aria-hidden") == "true":
        return length_of(tag) < _HIDDEN
    classes = tag.get("class")
    names = [*(classes if isinstance(classes, list) else []), str(tag.get("id") or "")]
    if any(_OF_NOTICES.search(name) for name in names if name):
        return True
    return any(_OF_LINKS.search(name) for name in names if name) and _linked(tag) >= _LINKED


def _is_notice(tag: Tag) -> bool:
    return bool(_NOTICE.search(tag.get_text())) or _linked(tag) >= _LINKED


def _linked(tag: Tag) -> float:
    """The share of an element's text that is in links."""
    return sum(map(length_of, tag("a"))) / max(length_of(tag), 1)


def _menus(soup: BeautifulSoup) -> list[Tag]:
    """The blocks that are nearly all links."""
    linked: dict[int, tuple[Tag, int, int]] = {}
    for link in soup("a"):
        length = length_of(link)
        for block in link.find_parents(_LISTING):
            _, count, total = linked.get(id(block), (block, 0, 0))
            linked[id(block)] = block, count + 1, total + length
    return [
        block
        for block, count, total in linked.values()
        if count >= _LINKS and not block.find_parent("article")
        if total > _LINK_SHARE * length_of(block)
    ]
