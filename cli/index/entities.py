"""`hopyard index entities`: the entities of an entity graph, and what was merged and split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from hopyard.cli.console import out, print_json, printable
from hopyard.cli.index.options import DirectoryArgument
from hopyard.cli.options import JsonOption
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted, plural


def entities_command(
    directory: DirectoryArgument,
    pattern: Annotated[
        str, typer.Argument(help="Part of a name, or a pattern such as 'john*'.")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Maximum number of lines; 0 lists all.")
    ] = 20,
    merged: Annotated[
        bool, typer.Option("--merged", help="List the names that were merged into another.")
    ] = False,
    split: Annotated[
        bool, typer.Option("--split", help="List the senses of names that mean several things.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """List the entities of an entity graph, with those in most passages first."""
    if merged and split:
        raise UsageError("Give one of --merged and --split.")
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import kind_that

    with Index.open(directory) as index:
        kind = kind_that("entities", index.manifest.kinds)
        only: Literal["", "merged", "split"] = "merged" if merged else "split" if split else ""
        rows = kind.entities(index, pattern, only)
    noun = {"": "entity", "merged": "merge", "split": "sense"}[only]
    _show(noun, rows[: limit or None], len(rows), as_json=json_)


def _show(
    noun: str,
    rows: Sequence[Mapping[str, Any]],
    total: int,
    *,
    as_json: bool,
) -> None:
    """Print rows with the same keys, and how many there are in all."""
    if as_json:
        print_json({plural(noun): rows, "total": total})
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for key, value in rows[0].items() if rows else ():
        number = isinstance(value, (int, float))
        table.add_column(
            "spellings" if key == "names" else key,
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(printable(_cell(value))) for value in row.values()))
    if rows:
        out.print(table)
    more = f"; --limit 0 lists all {total:,}" if total > len(rows) else ""
    out.print(f"{counted(len(rows), noun)}{more}", style="dim")


def _cell(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)
