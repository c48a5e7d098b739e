"""`hopyard index build|add|remove|status`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import err, out, print_json, progress_bar
from hopyard.cli.options import EmbeddingOption, JsonOption, context_from
from hopyard.indexes import build as building
from hopyard.indexes.build_run import BuildReport
from hopyard.indexes.kinds import DEFAULT_KINDS
from hopyard.indexes.loaders import LoadReport, load
from hopyard.indexes.status import status as index_status
from hopyard.models.embeddings import embedder
from hopyard.state.errors import CorpusError, UsageError

app = typer.Typer(no_args_is_help=True, help="Build an index of documents, and keep it up to date.")

BAD_ITEMS_SHOWN = 20

PathsArgument = Annotated[
    list[Path], typer.Argument(help=".jsonl, .txt, .md, .html or .pdf files, or folders of them.")
]
DirectoryArgument = Annotated[Path, typer.Argument(help="The index directory.")]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="End with 0 although items could not be read.")
]


@app.command("build")
def build_command(
    paths: PathsArgument,
    out_: Annotated[Path, typer.Option("--out", help="The index directory.")],
    with_: Annotated[
        str, typer.Option("--with", help="What to derive from the passages, comma-separated.")
    ] = ",".join(DEFAULT_KINDS),
    embedding: EmbeddingOption = None,
    chunk_tokens: Annotated[
        int | None,
        typer.Option(
            help="Tokens of a passage at most; 0 keeps documents whole [default: 300, or "
            "what the embedding model's window allows]."
        ),
    ] = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Make an index that holds exactly these documents. A killed build goes on where it stopped."""
    context = context_from({"embedding": embedding})
    kinds = [kind.strip() for kind in with_.split(",") if kind.strip()]
    if not kinds:
        raise UsageError(f"--with names nothing; leave it out for {','.join(DEFAULT_KINDS)}.")
    loaded = load(paths)
    with progress_bar() as progress:
        report = building.build(
            loaded.documents,
            directory=out_,
            embedder=embedder(context.embedding),
            chunk_tokens=chunk_tokens,
            kinds=kinds,
            progress=progress,
        )
    _finish(out_, report, loaded, skip_bad=skip_bad, as_json=json_)


@app.command("add")
def add_command(
    directory: DirectoryArgument,
    paths: PathsArgument,
    embedding: EmbeddingOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Add documents, or update those that the index has under the same id. The others stay."""
    context = context_from({"embedding": embedding})
    loaded = load(paths)
    with progress_bar() as progress:
        report = building.add(
            loaded.documents,
            directory=directory,
            embedder=embedder(context.embedding),
            progress=progress,
        )
    _finish(directory, report, loaded, skip_bad=skip_bad, as_json=json_)


@app.command("remove")
def remove_command(
    directory: DirectoryArgument,
    document_ids: Annotated[list[str], typer.Argument(help="Ids of the documents to remove.")],
    json_: JsonOption = False,
) -> None:
    """Remove documents, and all that was derived from them."""
    with progress_bar() as progress:
        report = building.remove(document_ids, directory=directory, progress=progress)
    _finish(directory, report, None, skip_bad=False, as_json=json_)


@app.command("status")
def status_command(directory: DirectoryArgument, json_: JsonOption = False) -> None:
    """Show what an index holds and how it was made."""
    found = index_status(directory)
    if json_:
        print_json(found.model_dump(mode="json"))
        return
    manifest = found.manifest
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("index", escape(found.directory))
    table.add_row("holds", ", ".join(f"{n:,} {name}" for name, n in manifest.counts.items()))
    table.add_row("kinds", ", ".join(manifest.kinds))
    table.add_row("embedding", f"{manifest.embedding}, {manifest.dimension} dimensions")
    table.add_row(
        "passages",
        f"at most {manifest.chunk_tokens} tokens" if manifest.chunk_tokens else "whole documents",
    )
    table.add_row("on disk", f"{found.bytes / 1e6:,.1f} MB")
    table.add_row(
        "updated", f"{manifest.updated:%Y-%m-%d %H:%M:%S} UTC, generation {manifest.generation}"
    )
    out.print(table)


def _finish(
    directory: Path,
    report: BuildReport,
    loaded: LoadReport | None,
    *,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Print the report; items that could not be read end the command with an error."""
    bad = [*(loaded.bad if loaded else ()), *report.bad]
    skipped = list(loaded.skipped) if loaded else []
    if as_json:
        print_json(_as_dict(directory, report, bad, skipped))
    else:
        _print(directory, report, skipped)
    for item in bad[:BAD_ITEMS_SHOWN]:
        err.print(f"[yellow]left out[/] {escape(str(item))}", soft_wrap=True)
    if len(bad) > BAD_ITEMS_SHOWN:
        err.print(f"… and {len(bad) - BAD_ITEMS_SHOWN} more")
    if bad and not skip_bad:
        noun = "item" if len(bad) == 1 else "items"
        raise CorpusError(
            f"{len(bad)} {noun} could not be read and {'was' if len(bad) == 1 else 'were'} left "
            "out, the rest is in the index; mend them, or say --skip-bad."
        )


def _print(directory: Path, report: BuildReport, skipped: list[Any]) -> None:
    changes = ", ".join(
        f"{count:,} {name}"
        for name, count in (
            ("added", report.added),
            ("updated", report.updated),
            ("removed", report.removed),
            ("unchanged", report.unchanged),
        )
        if count
    )
    out.print(
        f"[green]✓[/] {escape(str(directory))}: documents {changes or 'none'}; "
        f"{report.passages:,} passages, {report.embedded:,} embedded; {report.seconds:.1f} s"
    )
    if skipped:
        err.print(f"{len(skipped)} files of other kinds were passed over")


def _as_dict(
    directory: Path, report: BuildReport, bad: list[Any], skipped: list[Any]
) -> dict[str, Any]:
    return {
        "directory": str(directory),
        "documents": {
            "added": report.added,
            "updated": report.updated,
            "removed": report.removed,
            "unchanged": report.unchanged,
        },
        "passages": report.passages,
        "embedded": report.embedded,
        "seconds": round(report.seconds, 3),
        "bad": [{"place": item.place, "reason": item.reason} for item in bad],
        "skipped": len(skipped),
    }
