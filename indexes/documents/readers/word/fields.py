"""Fields, form fields and content controls: their values and chosen entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.package import is_on, value

BOXES: Final = ("☐", "☒")
"""A box that is empty, and one that is ticked."""
NO_RESULT: Final = frozenset(
    ("EQ", "LISTNUM", "AUTONUM", "AUTONUMLGL", "AUTONUMOUT", "SYMBOL", "BARCODE", "DISPLAYBARCODE")
)
"""Fields that Word shows by their instruction alone."""


@dataclass(slots=True)
class Field:
    """A field that is open. Its result is text, its instruction is not."""

    form: Element | None
    """The form field that it is, if it is one."""
    instruction: str = ""
    """As far as it is read."""
    in_result: bool = False
    """Whether the result has begun."""
    shown: bool = False
    """Whether the result has text."""

    @property
    def name(self) -> str:
        """The first word of its instruction."""
        return next(iter(self.instruction.upper().split()), "")


def form_value(form: Element) -> str:
    """The text of a form field without a result: a box, or the chosen entry of a list."""
    if (box := form.find("checkBox")) is not None:
        ticked = is_on(box, "checked")
        return BOXES[bool(is_on(box, "default") if ticked is None else ticked)]
    entries = [node.get("val", "") for node in form.findall("ddList/listEntry")]
    chosen = value(form, "ddList/result") or value(form, "ddList/default") or "0"
    if entries:
        return entries[int(chosen)] if chosen.isdecimal() and int(chosen) < len(entries) else ""
    return value(form, "textInput/default")


def control_value(properties: Element | None) -> str:
    """The value of a content control without text: the chosen entry of a list, or a day."""
    for name in ("dropDownList", "comboBox"):
        if last := value(properties, name, "lastValue"):
            found = properties.find(name) if properties is not None else None
            named = (
                node.get("displayText")
                for node in (found if found is not None else ())
                if node.get("value") == last
            )
            return next(named, None) or last
    return value(properties, "date", "fullDate")[:10]


def unpaired(root: Element) -> set[Element]:
    """Marks of fields that never begin or never end; some programs write them."""
    wrong: set[Element] = set()
    open_: list[list[Element]] = []
    for mark in root.iter("fldChar"):
        kind = mark.get("fldCharType")
        if kind == "begin":
            open_.append([mark])
        elif not open_:
            wrong.add(mark)
        elif kind == "separate":
            open_[-1].append(mark)
        else:
            open_.pop()
    return wrong.union(*open_)
