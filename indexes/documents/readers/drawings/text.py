"""Texts, tables and diagrams in Microsoft Office's language for drawings.

Source: ECMA-376, part 1, 21 (DrawingML).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.marks import join_runs, numeral
from hopyard.indexes.documents.readers.parts import local


def paragraphs(body: Element) -> list[str]:
    """The lines of a text: indented by level, with the numbers of numbered lists.

    Several lines without numbers are a list with dashes.
    """
    found = [node for node in body.iter() if local(node) == "p" and _has_runs(node)]
    lines = [(node, text) for node in found if (text := _paragraph(node).strip())]
    counts: dict[int, int] = {}
    result = []
    for paragraph, text in lines:
        about = paragraph.find("{*}pPr")
        level = int(about.get("lvl", "0")) if about is not None else 0
        counts = {node: count for node, count in counts.items() if node <= level}
        auto = paragraph.find("{*}pPr/{*}buAutoNum")
        if auto is None:
            counts.pop(level, None)
            mark = "- " if len(lines) > 1 else ""
        else:
            counts[level] = counts.get(level, int(auto.get("startAt", "1")) - 1) + 1
            mark = f"{_number(counts[level], auto.get('type', ''))} "
        result.append(f"{'  ' * level}{mark}{text}")
    return result


def _has_runs(paragraph: Element) -> bool:
    return any(local(node) in ("r", "fld", "m", "oMath", "AlternateContent") for node in paragraph)


def _paragraph(paragraph: Element) -> str:
    return join_runs(run for node in paragraph for run in _runs(node))


def _runs(element: Element) -> Iterator[tuple[str, bool]]:
    kind = local(element)
    if kind == "br":
        yield " ", False
    elif kind == "AlternateContent":  # the first way of saying it is the richest
        for node in next(iter(element), ()):
            yield from _runs(node)
    elif kind == "r" or (kind == "fld" and element.get("type") not in ("slidenum", "sldNum")):
        about = element.find("{*}rPr")
        shift = "0" if about is None else about.get("baseline", "0")
        raised = not shift.startswith("-") and shift.rstrip("%") != "0"
        yield element.findtext("{*}t", ""), raised
    elif kind in ("m", "oMath", "oMathPara"):
        yield "".join(node.text or "" for node in element.iterfind(".//{*}t")), False


def _number(count: int, kind: str) -> str:
    """The number of a list item, such as `2.` or `(b)`.

    Source: ECMA-376, part 1, 20.1.10.61, ST_TextAutonumberScheme.
    """
    style = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
    text = numeral(count, next((style[name] for name in style if kind.startswith(name)), "1"))
    if kind.endswith("ParenBoth"):
        return f"({text})"
    return f"{text})" if kind.endswith("ParenR") else f"{text}."


def table_rows(table: Element) -> list[list[str]]:
    """The cells of a table; a cell over several rows is in each of them."""
    rows: list[list[str]] = []
    for row in table.iterfind("{*}tr"):
        cells: list[str] = []
        for number, cell in enumerate(row.iterfind("{*}tc")):
            is_below = cell.get("vMerge") in ("1", "true")
            if is_below and rows and number < len(rows[-1]):
                cells.append(rows[-1][number])
            else:
                cells.append(" ".join(line.strip() for line in lines_of(cell)))
        rows.append(cells)
    return rows


def lines_of(body: Element) -> Iterator[str]:
    """The paragraphs of a text without marks of lists."""
    return (_paragraph(node) for node in body.iter() if local(node) == "p" and _has_runs(node))


def diagram_texts(model: Element) -> list[str]:
    """The texts of a SmartArt diagram. Source: 21.4.2.10, dgm:dataModel."""
    points = (node for node in model.iterfind(".//{*}pt") if node.get("type") != "pres")
    texts = (" ".join(" ".join(lines_of(point)).split()) for point in points)
    return [text for text in texts if text]
