"""`hopyard index entities`: the entities of an entity graph, and what was merged and split."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hopyard.cli.console import out, print_json, printable, progress_bar
from hopyard.cli.index_options import DirectoryArgument
from hopyard.cli.interrupts import ending_with
from hopyard.cli.options import JsonOption
from hopyard.state.counting import counted, plural
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.indexes.kinds.entity_graph.merging import Merge

__all__ = ("entities_command",)

_CONTINUE: Final = "Interrupted: run the same command to continue."


@ending_with(_CONTINUE)
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
    undo: Annotated[
        list[str] | None,
        typer.Option(
            "--undo",
            metavar="NAME",
            help="Keep a merged name apart from the name it was merged into, now and in every "
            "later build. Repeat for several names.",
        ),
    ] = None,
    redo: Annotated[
        list[str] | None,
        typer.Option("--redo", metavar="NAME", help="Take back --undo. Repeat for several names."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """List the entities of an entity graph, and see and undo merges.

    The entities in most passages come first. --undo and --redo write the graph again without a
    model.
    """
    changes = bool(undo or redo)
    if merged + split + changes > 1:
        raise UsageError("Give one of --merged, --split, and --undo with --redo.")
    if changes:
        if pattern:
            raise UsageError(f"--undo and --redo take names and no pattern: leave out {pattern!r}.")
        _change(directory, undo or [], redo or [], as_json=json_)
    elif merged or split:
        _show_decisions(directory, pattern, limit, merged=merged, as_json=json_)
    else:
        _show_entities(directory, pattern, limit, as_json=json_)


def _show_entities(directory: Path, pattern: str, limit: int, *, as_json: bool) -> None:
    from hopyard.indexes.corpus_index import Index
    from hopyard.indexes.kinds.entity_graph.listing import list_entities

    with Index.open(directory) as index:
        entries, total = list_entities(index.reader("entity-graph"), pattern, limit)
    _show(
        "entity",
        [{"entity": one.entity, "passages": one.passages, "names": one.names} for one in entries],
        total,
        {"names": "spellings"},
        as_json=as_json,
    )


def _show_decisions(
    directory: Path, pattern: str, limit: int, *, merged: bool, as_json: bool
) -> None:
    from hopyard.indexes.kinds.entity_graph.listing import matches
    from hopyard.indexes.kinds.entity_graph.undoing import current_stats

    stats = current_stats(directory)
    rows = [one.model_dump(mode="json") for one in (stats.merges if merged else stats.splits)]
    texts = ("name", "into") if merged else ("name", "sense")
    found = [row for row in rows if not pattern or matches(pattern, (row[key] for key in texts))]
    shown = found[: limit or None]
    _show("merge" if merged else "sense", shown, len(found), {}, as_json=as_json)


def _show(
    noun: str,
    rows: Sequence[dict[str, Any]],
    total: int,
    headers: dict[str, str],
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
            headers.get(key, key),
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


def _change(directory: Path, undo: Sequence[str], redo: Sequence[str], *, as_json: bool) -> None:
    from hopyard.indexes.build import refresh
    from hopyard.indexes.kinds.entity_graph.undoing import (
        change_merges,
        current_stats,
        merge_changes,
    )
    from hopyard.indexes.manifest import read_manifest
    from hopyard.nodes.resources import Resources

    before, embedding = current_stats(directory), read_manifest(directory).embedding
    with Resources() as resources, progress_bar() as progress:
        asyncio.run(
            refresh(
                directory=directory,
                change=lambda: change_merges(directory, undo=undo, redo=redo),
                embedder=lambda: resources.embedder(embedding),
                progress=progress,
            )
        )
    after = current_stats(directory)
    undone, made = merge_changes(before, after)
    if as_json:
        print_json(
            {
                "directory": str(directory),
                "undone": [merge.model_dump(mode="json") for merge in undone],
                "merged": [merge.model_dump(mode="json") for merge in made],
                "apart": after.made_with.apart,
                "entities": after.entities,
            }
        )
        return
    _say(undone, lambda merge: f"{merge.name!r} is apart from {merge.into!r}")
    _say(made, lambda merge: f"{merge.name!r} is merged into {merge.into!r}")
    changed = counted(len(undone) + len(made), "change")
    entities = f"{counted(after.entities, 'entity')}, {before.entities:,} before"
    out.print(f"[green]✓[/] {escape(str(directory))}: {changed}; {entities}", soft_wrap=True)


def _say(merges: Sequence[Merge], sentence: Callable[[Merge], str]) -> None:
    for merge in merges:
        out.print(f"  {printable(sentence(merge))}", markup=False, soft_wrap=True)
