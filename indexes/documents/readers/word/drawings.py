"""Texts of charts and diagrams, which are parts of their own."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element


def drawn_text(element: Element) -> str:
    """The text of a paragraph or title in a drawing (`a:p`, `a:t`)."""
    pieces = (
        " " if node.tag in ("a_br", "a_p") else node.text or ""
        for node in element.iter()
        if node.tag in ("a_t", "a_br", "a_p")
    )
    return " ".join("".join(pieces).split())


def diagram_texts(root: Element) -> list[str]:
    """The texts of the shapes of a diagram ("SmartArt"), in its order."""
    return [text for point in root.iter("dgm_pt") if (text := drawn_text(point))]


def chart_texts(root: Element) -> list[str]:
    """The titles of a chart and of its axes."""
    return [text for title in root.iter("c_title") if (text := drawn_text(title))]


def chart_rows(root: Element) -> list[list[str]]:
    """The values of a chart: its categories are the header, each series is a row."""
    rows: list[list[str]] = []
    for series in root.iter("c_ser"):
        names = _points(series, "c_cat", "c_xVal")
        if names and [row[1:] for row in rows[-1:]] != [names] and names not in _headers(rows):
            rows.append(["", *names])
        name = " ".join(_points(series, "c_tx"))
        rows.append([name, *_points(series, "c_val", "c_yVal")])
        if sizes := _points(series, "c_bubbleSize"):
            rows.append([name, *sizes])
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _headers(rows: list[list[str]]) -> Iterator[list[str]]:
    return (row[1:] for row in rows if not row[0])


def _points(series: Element, *names: str) -> list[str]:
    """The cached values of one of a series' parts, each at its place."""
    for name in names:
        found: dict[int, list[str]] = {}
        for point in (node for part in series.findall(name) for node in part.iter("c_pt")):
            text = point.findtext("c_v") or ""
            found.setdefault(int(point.get("idx", "0")), []).append(text)
        if found:
            # Categories of several levels: the inner name comes first.
            return [" ".join(reversed(found.get(i, []))) for i in range(max(found) + 1)]
    return []
