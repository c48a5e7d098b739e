"""Equations as a line of text: `x=(-b±√(b^2-4ac))/(2a)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.package import is_on, value

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


def _limits(element: Element) -> str:
    low, high = _part(element, "sub"), _part(element, "sup")
    return f"_{_whole(low)}" * bool(low) + f"^{_whole(high)}" * bool(high)


def _scripts(element: Element) -> str:
    base, scripts = _part(element, "e"), _limits(element)
    return f"{scripts}{base}" if element.tag == "m_sPre" else f"{_whole(base)}{scripts}"


def _sum(element: Element) -> str:
    return f" {_sign(element, 'm_naryPr/m_chr', '∫')}{_limits(element)} {_part(element, 'e')}"


def _root(element: Element) -> str:
    degree, under = _part(element, "deg"), _part(element, "e")
    if is_on(element, "m_radPr/m_degHide", "m_val"):
        degree = ""
    sign = _ROOTS.get(degree)
    return f"{sign or f'root_{_whole(degree)} '}{_whole(under)}"


def _brackets(element: Element) -> str:
    begin, between, end = (
        _sign(element, f"m_dPr/m_{name}", usual)
        for name, usual in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    inner = between.join(linear(node).strip() for node in element.findall("m_e"))
    return f"{begin}{inner}{end}"


def _function(element: Element) -> str:
    name, argument = _part(element, "fName"), _part(element, "e")
    return f" {name}{argument}" if argument.startswith("(") else f" {name} {argument}"


def _limit(element: Element) -> str:
    mark = "_" if element.tag == "m_limLow" else "^"
    return f" {_part(element, 'e')}{mark}{_whole(_part(element, 'lim'))}"


def _accent(element: Element) -> str:
    return _whole(_part(element, "e")) + _sign(element, "m_accPr/m_chr", "\u0302")


def _matrix(element: Element) -> str:
    rows = [
        [linear(node).strip() for node in row.findall("m_e")] for row in element.findall("m_mr")
    ]
    return "; ".join(", ".join(row) for row in rows)


def _lines(element: Element) -> str:
    return "; ".join(linear(node).replace("&", "").strip() for node in element.findall("m_e"))


def _sign(element: Element, path: str, usual: str) -> str:
    """The sign that a property gives; the usual one if it is not mentioned."""
    found = element.find(path)
    return usual if found is None else found.get("m_val", "")


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
