"""Equations as a line of text: `x=(-b±√(b^2-4ac))/(2a)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.package import value

_ROOTS: Final = {"": "√", "2": "√", "3": "∛", "4": "∜"}


def linear(element: Element) -> str:
    """An equation, or a part of one, on one line.

    Args:
        element: `oMath` of Office's mathematics (ECMA-376, part 1, 22.1), or an element in it.
    """
    if form := _FORMS.get(element.tag):
        return form(element)
    if element.tag in ("m_t", "t"):
        return element.text or ""
    if element.tag.endswith("Pr") or element.tag in ("del", "moveFrom"):
        return ""
    return "".join(map(linear, element))


def _part(element: Element, name: str) -> str:
    found = element.find(f"m_{name}")
    return linear(found).strip() if found is not None else ""


def _whole(text: str) -> str:
    """A part in brackets, where it is more than a number or a name."""
    simple = len(text) < 2 or text.isalpha() or text.replace(".", "").isdigit()
    return text if simple or _in_brackets(text) else f"({text})"


def _in_brackets(text: str) -> bool:
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return text[0] == "(" and place == len(text) - 1
    return False


def _fraction(element: Element) -> str:
    over, under = _part(element, "num"), _part(element, "den")
    if value(element, "m_fPr/m_type", "m_val") == "noBar":
        return f"({over} over {under})"
    return f"{_whole(over)}/{_whole(under)}"


def _scripts(element: Element) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    scripts = f"_{_whole(low)}" * bool(low) + f"^{_whole(high)}" * bool(high)
    base = _part(element, "e")
    return f"{scripts}{base}" if element.tag == "m_sPre" else f"{_whole(base)}{scripts}"


def _sum(element: Element) -> str:
    sign = element.find("m_naryPr/m_chr")
    low, high = _part(element, "sub"), _part(element, "sup")
    scripts = f"_{_whole(low)}" * bool(low) + f"^{_whole(high)}" * bool(high)
    return f" {'∫' if sign is None else sign.get('m_val', '')}{scripts} {_part(element, 'e')}"


def _root(element: Element) -> str:
    degree, under = _part(element, "deg"), _part(element, "e")
    if _is_on(element, "m_radPr/m_degHide"):
        degree = ""
    sign = _ROOTS.get(degree)
    return f"{sign or f'root_{_whole(degree)} '}{_whole(under)}"


def _brackets(element: Element) -> str:
    marks = [
        found.get("m_val", "") if (found := element.find(f"m_dPr/m_{name}")) is not None else usual
        for name, usual in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    ]
    inner = marks[1].join(linear(node).strip() for node in element.findall("m_e"))
    return f"{marks[0]}{inner}{marks[2]}"


def _function(element: Element) -> str:
    name, argument = _part(element, "fName"), _part(element, "e")
    return f" {name}{argument}" if argument.startswith("(") else f" {name} {argument}"


def _limit(element: Element) -> str:
    mark = "_" if element.tag == "m_limLow" else "^"
    return f" {_part(element, 'e')}{mark}{_whole(_part(element, 'lim'))}"


def _accent(element: Element) -> str:
    sign = element.find("m_accPr/m_chr")
    base = _part(element, "e")
    mark = "\u0302" if sign is None else sign.get("m_val", "")
    return f"{base}{mark}" if len(base) == 1 else f"{_whole(base)}{mark}"


def _matrix(element: Element) -> str:
    rows = [
        [linear(node).strip() for node in row.findall("m_e")] for row in element.findall("m_mr")
    ]
    return "; ".join(", ".join(row) for row in rows)


def _lines(element: Element) -> str:
    return "; ".join(linear(node).replace("&", "").strip() for node in element.findall("m_e"))


def _is_on(element: Element, path: str) -> bool:
    """Whether a property of an equation is switched on."""
    found = element.find(path)
    return found is not None and found.get("m_val", "1") not in ("0", "off", "false")


_FORMS: Final[Mapping[str, Callable[[Element], str]]] = {
    "m_f": _fraction,
    "m_sSup": _scripts,
    "m_sSub": _scripts,
    "m_sSubSup": _scripts,
    "m_sPre": _scripts,
    "m_nary": _sum,
    "m_rad": _root,
    "m_d": _brackets,
    "m_func": _function,
    "m_limLow": _limit,
    "m_limUpp": _limit,
    "m_acc": _accent,
    "m_m": _matrix,
    "m_eqArr": _lines,
}
