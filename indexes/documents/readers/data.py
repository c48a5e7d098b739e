"""JSON, XML and notebooks as text that can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import plain_metadata, text_blocks
from hopyard.indexes.passages.markdown import first_heading, table_lines
from hopyard.state.errors import CorpusError

__all__ = ("read_json", "read_notebook", "read_xml")

_LONGEST_OUTPUT: Final = 10_000
"""Characters of what a notebook's cell printed."""
_DEEPEST_HEADING: Final = 6


def read_json(source: Source) -> Iterator[Content]:
    """JSON: names become headings and labels; a list of flat objects becomes a table."""
    text = "".join(text_blocks(source))
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorpusError(f"not valid JSON ({error})") from error
    yield Content("", _value_text(value, 1))


def read_xml(source: Source) -> Iterator[Content]:
    """XML: a line an element with its names, attributes and text."""
    from defusedxml.ElementTree import iterparse

    def lines() -> Iterator[str]:
        open_: list[Element] = []
        name = ""  # of an element that has begun and is not written yet
        for event, element in iterparse(stream, events=("start", "end")):
            if event == "start":
                open_.append(element)
                if name.endswith(")"):  # what it holds follows
                    yield f"{name}\n"
                values = (f"{_local(key)} {value}" for key, value in element.attrib.items())
                about = ", ".join(values)
                name = f"{_local(element.tag)} ({about})" if about else _local(element.tag)
                continue
            open_.pop()
            if text := " ".join((element.text or "").split()):
                yield f"{name or _local(element.tag)}: {text}\n"
            elif name.endswith(")"):
                yield f"{name}\n"
            name = ""
            if len(open_) == 1:  # an entry of the whole ends here
                yield "\n"
            if open_:
                del open_[-1][:]  # else all elements stay in memory

    with source.open() as stream:
        yield Content("", lines(), "text")


def read_notebook(source: Source) -> Iterator[Content]:
    """A Jupyter notebook: its text, its code, and what the code printed."""
    try:
        book = json.loads("".join(text_blocks(source)))
        cells, about = book["cells"], book.get("metadata", {})
        language = about.get("kernelspec", {}).get("language", "python")
        blocks = [block for cell in cells for block in _cell(cell, language)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorpusError(f"not a readable notebook ({type(error).__name__}: {error})") from error
    authors = [one.get("name", "") for one in about.get("authors", []) if isinstance(one, dict)]
    metadata = plain_metadata({"author": ", ".join(filter(None, authors))})
    text = "\n\n".join(blocks)
    yield Content(str(about.get("title") or first_heading(text)), [text], "markdown", metadata)


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    text = _joined(cell.get("source", "")).strip()
    if not text:
        return
    if cell.get("cell_type") != "code":
        yield text
        return
    yield f"```{language}\n{text}\n```"
    for output in cell.get("outputs", []):
        printed = output.get("text") or output.get("data", {}).get("text/plain", "")
        if shown := _joined(printed).strip()[:_LONGEST_OUTPUT]:
            yield f"```\n{shown}\n```"


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _value_text(value: Any, level: int) -> Iterator[str]:
    if isinstance(value, dict):
        plain = {name: one for name, one in value.items() if not isinstance(one, (dict, list))}
        for name, one in plain.items():
            yield f"{name}: {_scalar(one)}\n"
        yield "\n"
        for name, one in value.items():
            if name not in plain:
                mark = "#" * min(level, _DEEPEST_HEADING)
                yield f"{mark} {' '.join(str(name).split())}\n\n"
                yield from _value_text(one, level + 1)
    elif isinstance(value, list) and _is_table(value):
        names = list(dict.fromkeys(name for row in value for name in row))
        rows = ([_scalar(row.get(name, "")) for name in names] for row in value)
        yield from (f"{line}\n" for line in table_lines([names]))
        yield from (f"{line}\n" for row in rows for line in _row(row))
        yield "\n"
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, (dict, list)):
                yield from _value_text(one, level)
            else:
                yield f"- {_scalar(one)}\n"
        yield "\n"
    else:
        yield f"{_scalar(value)}\n"


def _is_table(rows: list[Any]) -> bool:
    return len(rows) > 1 and all(
        isinstance(row, dict) and row and not any(isinstance(v, (dict, list)) for v in row.values())
        for row in rows
    )


def _row(row: list[str]) -> list[str]:
    return list(table_lines([row]))[:1]


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
