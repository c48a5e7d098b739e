"""Charts of Microsoft Office as tables of their values.

Source: ECMA-376, part 1, 21.2; MS-ODRAWXML, 2.24.3 (newer charts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.drawings.text import lines_of
from hopyard.indexes.documents.readers.number_format import shown_text
from hopyard.indexes.documents.readers.parts import local

_WIDEST: Final = 12
"""Categories of a chart that are columns, at most; more are rows."""
_FIELD: Final = re.compile(r"\[[A-Z ]+\]")


def chart_titles(space: Element) -> list[str]:
    """The titles of a chart and of its axes."""
    titles = (" ".join(" ".join(lines_of(node)).split()) for node in space.iterfind(".//{*}title"))
    return [*filter(None, titles)]


def chart_tables(space: Element) -> Iterator[list[list[str]]]:
    """The values of a chart of any kind: series of the same categories are one table."""
    series = [node for node in space.iter() if local(node) in ("ser", "series")]
    tables: dict[tuple[str, ...], list[list[str]]] = {}
    for node in series:
        names, values = _newer(space, node) if local(node) == "series" else _series(node)
        tables.setdefault(tuple(names), []).append([_series_name(node), *values])
    for names_of, rows in tables.items():
        whole = [["", *names_of], *rows]
        if not any(map(any, rows)):  # the values are in cells alone
            continue
        width = max(map(len, whole))
        whole = [[*row, *[""] * (width - len(row))] for row in whole]
        if width > _WIDEST + 1:
            whole = [list(column) for column in zip(*whole, strict=True)]
        yield whole


def _series_name(series: Element) -> str:
    return " ".join(_values(series.find("{*}tx")))


def _series(series: Element) -> tuple[list[str], list[str]]:
    """The categories and values of a series, as long as each other or longer."""
    names = _first(series, "cat", "xVal")
    values = _values(_first(series, "val", "yVal"))
    if sizes := _values(series.find("{*}bubbleSize")):
        values = [f"{value} ({size})" for value, size in zip(values, sizes, strict=False)]
    for place, label in _labels(series).items():
        if place < len(values) and label != values[place]:
            values[place] = f"{values[place]} ({label})"
    return _categories(names), values


def _labels(series: Element) -> dict[int, str]:
    """The texts that are shown beside points, from cells or written by hand, without fields."""
    cells = series.find(".//{*}datalabelsRange")
    found = {} if cells is None else _points(cells)
    for label in series.iterfind(".//{*}dLbl"):
        text, place = label.find("{*}tx"), label.find("{*}idx")
        if text is not None and place is not None and place.get("val", "").isdecimal():
            own = " ".join(_FIELD.sub("", " ".join(lines_of(text))).split())
            number = int(place.get("val", ""))
            found[number] = f"{found.get(number, '')} {own}".strip()
    return {place: label for place, label in found.items() if label}


def _first(element: Element, *names: str) -> Element | None:
    return next((node for node in element if local(node) in names), None)


def _categories(element: Element | None) -> list[str]:
    levels = [] if element is None else element.findall(".//{*}lvl")
    if len(levels) < 2:
        return _values(element)
    inner, *outer = (_points(node) for node in levels)  # the innermost level is the first
    names = []
    for place in range(max(inner, default=-1) + 1):
        above = [_before(level, place) for level in reversed(outer)]
        names.append(" ".join(filter(None, [*above, inner.get(place, "")])))
    return names


def _before(points: dict[int, str], place: int) -> str:
    """The label of an outer level, which is written at the first of its categories."""
    return next((points[node] for node in range(place, -1, -1) if node in points), "")


def _values(element: Element | None) -> list[str]:
    """The points of a series; what is missing is empty."""
    if element is None:
        return []
    points = _points(element)
    if not points:
        return [node.text for node in element.iterfind(".//{*}v") if node.text]
    return [points.get(place, "") for place in range(max(points) + 1)]


def _points(element: Element) -> dict[int, str]:
    codes = (
        node.text if local(node) == "formatCode" else node.get("formatCode")
        for node in element.iter()
        if local(node) in ("formatCode", "lvl")
    )
    code = next(filter(None, codes), "")
    is_number = any(local(node) in ("numCache", "numLit", "numDim") for node in element.iter())
    found: dict[int, str] = {}
    for number, point in enumerate(element.iterfind(".//{*}pt")):
        text = point.findtext("{*}v", point.text or "").strip()
        own = point.get("formatCode", code)
        found[int(point.get("idx", number))] = shown_text(text, own) if is_number else text
    return found


def _newer(space: Element, series: Element) -> tuple[list[str], list[str]]:
    """The categories and values of a waterfall, treemap, funnel or another newer chart."""
    wanted = series.find("{*}dataId")
    of = "" if wanted is None else wanted.get("val", "")
    for data in space.iterfind(".//{*}data"):
        if data.get("id", "") == of:
            return _categories(data.find("{*}strDim")), _values(data.find("{*}numDim"))
    return [], []
