"""The output of `hopyard index list` and `hopyard index show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hopyard.cli.console import out, print_json, printable, tell
from hopyard.cli.index.report import left_out_words
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.listing import DocumentDetails, DocumentEntry
from hopyard.state.references import name_sources
from hopyard.state.settings.rights import EVERYONE
from hopyard.state.text.counting import counted

_LONGEST: Final = 200
"""Characters of a passage that the terminal shows, unless it is asked for the whole text."""
_DAY: Final = 10
"""Characters of an ISO time that are its date."""
_INDENT: Final = 4


def show_documents(entries: Sequence[DocumentEntry], *, as_json: bool, note: str = "") -> None:
    """Print documents, one a line, and a note on those that a filter left out."""
    passages = sum(entry.passages for entry in entries)
    if note:
        tell(note, style="yellow")
    if as_json:
        notes = [note] if note else []
        documents = [asdict(entry) for entry in entries]
        print_json({"documents": documents, "passages": passages, "notes": notes})
        return
    dated = any(entry.date for entry in entries)
    table = Table(box=None, pad_edge=False, header_style="dim", show_header=bool(entries))
    table.add_column("document", overflow="fold")
    table.add_column("passages", justify="right", no_wrap=True)
    if dated:
        table.add_column("date", no_wrap=True)
    table.add_column("indexed", no_wrap=True)
    folder = _common_folder(entries)
    for entry in entries:
        date = [entry.date[:_DAY]] if dated else []
        cells = [f"{entry.passages:,}", *date, entry.indexed[:_DAY]]
        table.add_row(_name(entry, folder), *(Text(printable(cell)) for cell in cells))
    if entries:
        out.print(table)
    below = f"; all in {printable(folder)}" if folder else ""
    out.print(
        f"{counted(len(entries), 'document')}, {counted(passages, 'passage')}{below}",
        style="dim",
        markup=False,
    )


def _common_folder(entries: Sequence[DocumentEntry]) -> str:
    """The indexed folder that all documents are in, as in `docs/`; "" without such a folder."""
    folders = {entry.name.partition("/")[0] if "/" in entry.name else "" for entry in entries}
    folder = folders.pop() if len(folders) == 1 and len(entries) > 1 else ""
    return f"{folder}/" if folder and all(entry.name == entry.source for entry in entries) else ""


def _name(entry: DocumentEntry, folder: str) -> Text:
    """The name below the common folder, and the title where it says more."""
    text = Text(printable(entry.name.removeprefix(folder)))
    if entry.title.casefold() not in entry.name.casefold():
        text.append(f"\n  {printable(entry.title)}", style="dim")
    return text


def show_document(details: DocumentDetails, *, texts: bool, as_json: bool) -> None:
    """Print a document, its passages, and what is derived from them.

    Args:
        texts: Whether the terminal shows the passages whole. JSON always has them.
    """
    if as_json:
        print_json(_as_json(details))
        return
    entry = details.entry
    rows = [
        ("document", entry.name),
        ("title", entry.title),
        ("id", entry.id if entry.id != entry.name else ""),
        ("source", entry.source if entry.source != entry.name else ""),
        ("indexed", entry.indexed.replace("T", " ").replace("+00:00", " UTC")),
        *((name, str(value)) for name, value in entry.metadata.items()),
        ("readers", _readers(details.readers)),
        ("passages", f"{entry.passages:,}"),
        *_reading(details.reading, texts=texts),
    ]
    sections = [f"{name} ({count})" for name, count in details.sections.items()]
    head = Table.grid(padding=(0, 2))
    for name, value in [*filter(lambda row: row[1], rows), ("sections", "\n".join(sections))]:
        if value:
            head.add_row(Text(printable(name), style="dim"), Text(printable(value)))
    out.print(head)
    names = name_sources(passage.as_source() for passage in details.passages)
    for passage in details.passages:
        out.print()
        out.print(_title(passage))
        for line in _lines(passage, details.derived[passage.id], names, texts=texts):
            out.print(Padding(line, (0, 0, 0, _INDENT), expand=False))


def _readers(readers: Sequence[Sequence[str]] | None) -> str:
    """The groups that may read a document; "" where rights are not used."""
    if readers is None:
        return ""
    alike = [" or ".join(names) or "no group" for names in readers if EVERYONE not in names]
    return " and ".join(alike) or (EVERYONE if readers else "no group: no rule is about it")


def _reading(reading: Mapping[str, Any], *, texts: bool) -> Iterator[tuple[str, str]]:
    """The words that the document lacks, and the parts left out on purpose, counted or in full."""
    yield "words", reading.get("said", "")
    yield "left out", left_out_words(reading.get("left_out", {}))
    for omission in reading.get("left_out_texts", ()) if texts else ():
        times = f" ({omission['times']} times)" if omission["times"] > 1 else ""
        yield f"  {omission['kind']}", f"{omission['text']}{times}"


def _title(passage: Passage) -> Text:
    about = [passage.section, f"p. {passage.pages}" if passage.pages else ""]
    line = Text(f"{passage.position + 1:>2}  ", style="cyan")
    line.append(printable(", ".join(filter(None, about)) or "passage"), style="not cyan bold")
    return line.append(
        f"  {printable(passage.id)}, {counted(passage.tokens, 'token')}", style="not cyan dim"
    )


def _lines(
    passage: Passage,
    derived: Mapping[str, Mapping[str, Any]],
    names: Mapping[str, str],
    *,
    texts: bool,
) -> Iterator[Text]:
    text = passage.text if texts else " ".join(passage.text.split())
    if not texts and len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(None, 1)[0] + " …"
    yield Text(printable(text))
    for kind, values in derived.items():
        for name, value in values.items():
            for said in _derived(value, names):
                line = Text(f"{kind.replace('-', ' ')} · {name.replace('_', ' ')}: ", style="dim")
                yield line.append(printable(said), style="not dim")


def _derived(value: Any, names: Mapping[str, str]) -> Iterator[str]:
    """A value a kind derived, in lines: a text, a list of texts, or a line for each mapping."""
    items = value if isinstance(value, (list, tuple)) else [value]
    if texts := [str(item) for item in items if not isinstance(item, Mapping)]:
        yield ", ".join(texts)
    for item in items:
        if isinstance(item, Mapping):
            yield ", ".join(_part(part, names) for part in item.values())


def _part(value: Any, names: Mapping[str, str]) -> str:
    return f"{value:.2f}" if isinstance(value, float) else names.get(str(value), str(value))


def _as_json(details: DocumentDetails) -> dict[str, Any]:
    return {
        **asdict(details.entry),
        "reading": dict(details.reading),
        "readers": details.readers,
        "sections": details.sections,
        "passages": [
            {
                **passage.as_source(text=True),
                "tokens": passage.tokens,
                "derived": details.derived[passage.id],
            }
            for passage in details.passages
        ],
    }
