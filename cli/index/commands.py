"""`hopyard index build|add|sync|remove|copy|vacuum|delete|list|show|entities|status`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hopyard.cli.console import out, print_either, print_json, printable, progress_bar
from hopyard.cli.index.build import add_command, build_command
from hopyard.cli.index.documents import show_document, show_documents
from hopyard.cli.index.options import (
    BuiltArgument,
    DirectoryArgument,
    DryRunOption,
    EncodingOption,
    MaxCallsOption,
    NewPassagesModelOption,
    OcrOption,
    SkipBadOption,
    VectorsOption,
    for_building,
)
from hopyard.cli.index.report import CONTINUE, finish, show_status, show_unbuilt
from hopyard.cli.interrupts import ending_with
from hopyard.cli.options import JsonOption, SetOption, WhereOption, checked_conditions, context_from
from hopyard.indexes.corpus.manifest import find_manifest, read_manifest
from hopyard.indexes.listing import list_documents, matching_documents, open_corpus, read_document
from hopyard.indexes.status import status as index_status
from hopyard.indexes.status import unfinished_build
from hopyard.models.names import embedding_name
from hopyard.state.errors import UsageError, as_known
from hopyard.state.settings.index_address import public_name
from hopyard.state.text.counting import counted, plural


def entities_command(
    directory: DirectoryArgument,
    pattern: Annotated[
        str, typer.Argument(help="Part of a name, or a pattern such as 'john*'.")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Maximum number of lines; 0 lists all.")
    ] = 20,
    split: Annotated[
        bool, typer.Option("--split", help="List the senses of names that mean several things.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """List the entities of an entity graph, with those in most passages first."""
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import kind_that

    with Index.open(directory) as index:
        kind = kind_that("entities", index.manifest.kinds)
        rows = kind.entities(index, pattern, "split" if split else "")
    _show("sense" if split else "entity", rows[: limit or None], len(rows), as_json=json_)


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


app = typer.Typer(no_args_is_help=True, help="Build an index of documents and keep it up to date.")

app.command("build")(build_command)
app.command("add")(add_command)
app.command("entities")(entities_command)


@app.command("sync")
def sync_command(
    directory: BuiltArgument,
    paths: Annotated[list[Path], typer.Argument(help="Files and folders to follow.")],
    watch: Annotated[bool, typer.Option("--watch", help="Follow changes until Ctrl-C.")] = False,
    every: Annotated[
        float, typer.Option(min=0.1, help="Seconds between two checks, with --watch.")
    ] = 5.0,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
    model: NewPassagesModelOption = None,
    dry_run: DryRunOption = False,
    max_calls: MaxCallsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Add, update and remove documents so that the index matches files and folders.

    Documents from elsewhere stay.
    """
    from hopyard.cli.index.sync import Following

    if watch and dry_run:
        raise UsageError("--dry-run estimates one sync: leave out --watch.")
    held = embedding_name(read_manifest(directory).embedding)
    given = {"model": model or index_status(directory).model or None, "embedding": held}
    context = context_from(given | {"budget.calls": max_calls}, set_)
    following = Following(directory, paths, context, encoding, ocr, skip_bad, json_)
    if dry_run:
        following.estimate()
    else:
        following.keep_on(every) if watch else following.once()


@app.command("remove")
@ending_with(CONTINUE)
def remove_command(
    directory: BuiltArgument,
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, paths, file names, folders, or patterns such as 'reports/*.pdf'."
        ),
    ] = None,
    where: WhereOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the documents without removing them.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Remove documents and everything built from them, without a model."""
    from hopyard.indexes.building import build as building
    from hopyard.indexes.documents.loaders import LoadReport
    from hopyard.nodes.resources import Resources

    names, conditions = documents or [], checked_conditions(where)
    if not names and not conditions:
        raise UsageError("There is nothing to remove; name documents, or give --where.")
    if dry_run:
        with open_corpus(directory) as corpus:
            ids = matching_documents(corpus, directory, names, conditions)
        entries = [entry for entry in list_documents(directory) if entry.id in ids]
        show_documents(entries, as_json=json_)
        return
    manifest = read_manifest(directory)
    with Resources() as resources, progress_bar() as progress:
        report = asyncio.run(
            building.remove(
                names,
                directory=directory,
                where=conditions,
                embedder=lambda: resources.embedder(manifest.embedding),
                progress=progress,
            )
        )
    finish(report, LoadReport(), index_status(directory), skip_bad=False, as_json=json_)


@app.command("copy")
@ending_with(CONTINUE)
def copy_command(
    source: DirectoryArgument,
    target: Annotated[
        Path, typer.Argument(help="The new place.", metavar="TO", parser=for_building)
    ],
    vectors: VectorsOption = None,
    json_: JsonOption = False,
) -> None:
    """Copy an index to another directory or address, without embedding again."""
    from hopyard.indexes.building.copying import copy_index
    from hopyard.indexes.documents.loaders import LoadReport

    with progress_bar() as progress:
        copied = copy_index(source, target, vectors=vectors or "", progress=progress)
        report = asyncio.run(copied)
    finish(report, LoadReport(), index_status(target), skip_bad=False, as_json=json_)


@app.command("vacuum")
def vacuum_command(directory: BuiltArgument, json_: JsonOption = False) -> None:
    """Delete the text of removed documents from the files of an index.

    A build leaves it to programs that still read the former generation; they open the index again.
    """
    from hopyard.indexes.building import build as building

    before = index_status(directory).bytes
    asyncio.run(building.vacuum(directory=directory))
    after = index_status(directory).bytes
    found = {"directory": as_known(str(directory)), "bytes": after, "bytes_before": before}
    told = (
        f"{found['directory']} holds no removed text: {after / 1e6:,.1f} MB on disk, "
        f"{before / 1e6:,.1f} MB before"
    )
    print_either(found, told, as_json=json_)


@app.command("delete")
def delete_command(
    index: Annotated[str, typer.Argument(help="The index directory or address.", metavar="INDEX")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json_: JsonOption = False,
) -> None:
    """Delete an index: its files, or its rows and vectors in the database. Nothing else goes.

    The documents that it was built from stay.
    """
    from hopyard.cli.approve import can_ask
    from hopyard.indexes.building.deleting import delete_index, index_bytes

    name, size = str(public_name(index)), index_bytes(index)
    if not yes:
        if not can_ask():
            raise UsageError(f"Nobody can be asked here: add --yes to delete the index {name!r}.")
        asked = f"Delete the index {name!r} ({size / 1e6:,.1f} MB)? Its documents stay."
        typer.confirm(asked, abort=True, err=True)
    left = delete_index(index)
    told = f"{name} deleted" + (f"; other files stay in it: {', '.join(left)}" if left else "")
    print_either({"deleted": name, "bytes": size, "left": left}, told, as_json=json_)


@app.command("list")
def list_command(
    directory: DirectoryArgument, where: WhereOption = None, json_: JsonOption = False
) -> None:
    """List the documents of an index, with their passages and dates."""
    conditions = checked_conditions(where)
    note = ""
    if conditions:
        from hopyard.indexes.filters.allowed import undated_note

        with open_corpus(directory) as corpus:
            note = undated_note(corpus, conditions)
    show_documents(list_documents(directory, conditions), as_json=json_, note=note)


@app.command("show")
def show_command(
    directory: DirectoryArgument,
    document: Annotated[str, typer.Argument(help="Id, path or file name.")],
    texts: Annotated[bool, typer.Option("--texts", help="Show full passages.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show a document: its sections, its passages, and the data built from them."""
    show_document(read_document(directory, document), texts=texts, as_json=json_)


@app.command("status")
def status_command(directory: DirectoryArgument, json_: JsonOption = False) -> None:
    """Show the contents of an index, its settings, and the progress of an interrupted build."""
    if find_manifest(directory) is None and (begun := unfinished_build(directory)):
        show_unbuilt(directory, begun, as_json=json_)
        return
    show_status(index_status(directory), as_json=json_)
