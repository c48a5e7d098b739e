"""Elements whose text a browser makes itself: fields, pictures, formulas, readings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Final

from hopyard.indexes.documents.readers.base import Notes
from hopyard.indexes.documents.readers.marks import numeral
from hopyard.indexes.documents.readers.web.tree import soup_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_FILE_NAME: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif)$", re.IGNORECASE)
_NOTICE: Final = re.compile(r"java\s?script|\bjs\b|cookie|browser", re.IGNORECASE)
"""Words of a `<noscript>` that has no text of the page."""
_BLOCKS: Final = (
    "header", "footer", "main", "nav", "aside", "figure", "address", "fieldset", "legend", "hgroup",
    "form", "details", "summary", "dialog", "search", "center", "menu",
)  # fmt: skip
"""Elements that are blocks, which markdownify does not know."""
_ROLES: Final = {
    "table": "table", "grid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td",
    "gridcell": "td", "columnheader": "th", "rowheader": "th",
}  # fmt: skip
"""Elements that scripts make of others. Source: WAI-ARIA 1.2, 5.3.3."""
_POWERS: Final = {"msup": "^", "msub": "_", "mfrac": "/", "mroot": "^1/"}


def fill_in(soup: BeautifulSoup, notes: Notes | None = None) -> None:
    """Write out what a browser shows, and drop what it does not show."""
    _open_all(soup)
    present = {tag.name for tag in soup.find_all(True)}

    def each(*names: str) -> Iterable[Tag]:
        return soup(list(names)) if present.intersection(names) else ()

    for tag in each("script", "style", "title", "datalist", "rp"):
        tag.extract()
    for picture in each("svg"):
        words = " ".join(text.get_text(" ") for text in picture("text"))
        picture.replace_with(_apart(picture, words) if words else "")
    for image in each("img", "area"):
        words = " ".join(str(image.get("alt") or "").split())
        image.replace_with(f"[{words}]" if words and not _FILE_NAME.search(words) else "")
    for ruby in each("ruby"):
        readings = "".join(reading.extract().get_text() for reading in ruby(["rt", "rtc"]))
        base = "".join(ruby.get_text().split())
        ruby.replace_with(f"{base}({readings.strip()})" if readings.strip() else base)
    for formula in each("math"):
        source = formula.find("annotation", encoding=re.compile("tex", re.IGNORECASE))
        formula.replace_with(source.get_text().strip() if source else _formula(formula))
    if present & {"input", "select", "textarea", "output", "meter"}:
        _fields(soup, notes or Notes())
    for button in each("button"):
        button.insert_before(" ")
        button.insert_after(" ")
    _gather(soup)
    for items in soup(["ul", "ol"]):
        _number(items)
        _take_out(items)
    named = [(tag, _ROLES[str(tag["role"])]) for tag in soup(role=[*_ROLES])]
    for tag, name in [*((tag, "div") for tag in each(*_BLOCKS)), *named]:
        tag.name = name


def _open_all(soup: BeautifulSoup) -> None:
    """Put in the contents of frames and templates; drop marks of XML."""
    from bs4.element import Declaration, ProcessingInstruction

    for mark in soup.find_all(
        string=lambda text: isinstance(text, (Declaration, ProcessingInstruction))
    ):
        mark.extract()
    for frame in soup("iframe"):
        frame.replace_with(*soup_of(str(frame.get("srcdoc") or "")).contents)
    for tag in soup(["template", "noscript"]):
        _open_up(tag)


def _gather(soup: BeautifulSoup) -> None:
    """Put items that are in no list into one, together with those before them."""
    made = None
    for item in soup("li"):
        if item.parent is None or item.parent.name in ("ul", "ol"):
            continue
        before = item.previous_sibling
        if isinstance(before, str) and before.isspace() and before.previous_sibling is made:
            before.extract()
            before = made
        if made is not None and before is made:
            made.append(item)
        else:
            made = item.wrap(soup.new_tag("ul"))


def _take_out(items: Tag) -> None:
    """Put what is in no item of a list into the item before it; a text may go before the list."""
    from bs4.element import NavigableString, Tag

    if items.li is None:
        items.name = "div"
        return
    item: Tag | None = None
    for part in [*items.contents]:
        if isinstance(part, Tag):
            item = part if part.name == "li" else item
            if item is not None and part.name in ("ul", "ol"):
                item.append(part.extract())
        elif type(part) is NavigableString and part.strip():  # no comment
            if item is not None:
                item.append(f" {part.extract()}")
            else:
                items.insert_before(*soup_of(f"<p>{escape(part.extract())}</p>").contents)


def _number(numbered: Tag) -> None:
    """Note the numbers of a list that does not count from its start by one."""
    items = numbered("li", recursive=False)
    style, is_reversed = str(numbered.get("type") or "1"), numbered.has_attr("reversed")
    plain = style == "1" and not is_reversed and not any(item.has_attr("value") for item in items)
    if plain or numbered.name == "ul":
        return
    number = _whole(numbered.get("start"), len(items) if is_reversed else 1)
    for item in items:
        number = _whole(item.get("value"), number)
        item["data-mark"] = f"{numeral(number, style)}."
        number += -1 if is_reversed else 1


def _whole(value: object, otherwise: int) -> int:
    text = str(value or "").strip()
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else otherwise


def _open_up(tag: Tag) -> None:
    """Keep the text of a shadow tree, and of pages without scripts."""
    text = tag.get_text()
    if tag.name == "template" and not {"shadowrootmode", "shadowmode"}.isdisjoint(tag.attrs):
        tag.replace_with(*soup_of(tag.decode_contents()).contents)
    elif tag.name == "noscript" and text.strip() and not _NOTICE.search(text):
        tag.name = "div"
    else:
        tag.extract()


def _formula(tag: Tag) -> str:
    parts = [
        part.strip() if isinstance(part, str) else _formula(part)  # type: ignore[arg-type]
        for part in tag.contents
        if getattr(part, "name", "") not in ("annotation", "annotation-xml")
    ]
    parts = [part for part in parts if part]
    if tag.name in _POWERS and len(parts) == 2:
        return _POWERS[tag.name].join(
            part if len(part) == 1 or part.isalnum() else f"({part})" for part in parts
        )
    text = "".join(parts)
    return f"√({text})" if tag.name == "msqrt" else text


def _fields(soup: BeautifulSoup, notes: Notes) -> None:
    """Ticked boxes, chosen entries, typed texts."""
    for field in soup("input"):
        kind = str(field.get("type") or "text").casefold()
        if kind in ("checkbox", "radio"):
            after = "" if str(field.next_sibling or "")[:1].isspace() else " "
            before = " " if str(field.previous_sibling or "")[-1:].isalnum() else ""
            field.replace_with(f"{before}[{'x' if field.has_attr('checked') else ' '}]{after}")
        elif kind not in ("hidden", "submit", "button", "image", "password", "reset"):
            field.replace_with(_apart(field, str(field.get("value") or "")))
    for field in soup(["textarea", "output", "meter", "progress"]):
        field.replace_with(_apart(field, field.get_text()))
    for choice in soup("select"):
        chosen = choice.find_all("option", selected=True) or choice.find_all("option", limit=1)
        for option in choice("option"):
            if not any(option is choice for choice in chosen):
                notes.leave_out("entry that is not chosen", option.get_text())
        text = ", ".join(option.get_text(strip=True) for option in chosen)
        choice.replace_with(_apart(choice, text))


def _apart(field: Tag, text: str) -> str:
    """The text of a field, with space between it and its neighbours."""
    around = field.parent or field  # such as its label
    before = str(field.previous_sibling or around.previous_sibling or " ")
    after = str(field.next_sibling or around.next_sibling or " ")
    return f"{'' if before[-1].isspace() else ' '}{text}{'' if after[0].isspace() else ' '}"
