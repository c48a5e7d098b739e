"""The tree of a web page, with the end tags that HTML allows to be omitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

CELL: Final = ["td", "th"]
_DEEPEST: Final = 200
"""Elements within one another, at most, because Python's stack ends. The text of deeper
elements belongs to the last of them, as in browsers."""
_RAW: Final = frozenset(("script", "style", "textarea"))
_CELLS: Final = frozenset(CELL)
_GROUPS: Final = frozenset(("thead", "tbody", "tfoot", "caption", "colgroup"))
_TABLE: Final = frozenset(("table",))
_LISTS: Final = frozenset(("ul", "ol", "menu"))
_TERMS: Final = frozenset(("dt", "dd"))
_HOLDERS: Final = frozenset(("td", "th", "li", "dd", "div", "section", "article", "blockquote"))
_CHOICES: Final = frozenset(("select", "optgroup", "datalist"))
_NOTHING: Final[tuple[frozenset[str], frozenset[str]]] = (frozenset(), frozenset())
_ENDED_BY: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset(("li", "p")), _LISTS),
    **dict.fromkeys(_TERMS, (_TERMS | {"p"}, frozenset(("dl",)))),
    **dict.fromkeys(_CELLS, (_CELLS | {"p", "caption", "colgroup"}, _TABLE)),
    "tr": (_CELLS | {"tr", "p", "caption", "colgroup"}, _TABLE),
    **dict.fromkeys(_GROUPS, (_CELLS | _GROUPS | {"tr", "p"}, _TABLE)),
    **dict.fromkeys(
        ("p", "div", "ul", "ol", "dl", "table", "blockquote", "pre", "section", "article",
         "h1", "h2", "h3", "h4", "h5", "h6", "hr", "address", "aside", "details", "fieldset",
         "figure", "footer", "form", "header", "hgroup", "main", "menu", "nav"),
        (frozenset(("p", "head")), _HOLDERS),
    ),
    "body": (frozenset(("head",)), frozenset()),
    "option": (frozenset(("option",)), _CHOICES),
    "optgroup": (frozenset(("option", "optgroup")), frozenset(("select",))),
}  # fmt: skip
"""Which open elements the start of an element ends, and the elements outside of which it looks for
none. Source: HTML Living Standard, 13.1.2.4, "Optional tags"."""


def soup_of(html: str) -> BeautifulSoup:
    """The tree of a page or a part of one."""
    from bs4 import BeautifulSoup

    class Soup(BeautifulSoup):
        """Python's parser leaves elements open whose end tags HTML allows to be omitted."""

        def handle_starttag(self, name: str, *given: Any, **named: Any) -> Any:
            if len(self.tagStack) > _DEEPEST and not self._has_no_elements(name):
                if self.current_data[-1:] != [" "]:
                    self.handle_data(" ")
                return None
            ended, within = _ENDED_BY.get(name, _NOTHING)
            for tag in reversed(self.tagStack[:]):
                if tag.name in within:
                    break
                if tag.name in ended:
                    self.handle_endtag(tag.name)
            return super().handle_starttag(name, *given, **named)

        def _has_no_elements(self, name: str) -> bool:
            return name in _RAW or self.builder.can_be_empty_element(name)

    return Soup(html, "html.parser")


def length_of(tag: Tag) -> int:
    """The letters and signs of a text."""
    return len("".join(tag.get_text().split()))
