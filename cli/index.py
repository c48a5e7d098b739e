"""`hopyard index build|add|remove|status`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.index_report import finish, show_estimates, show_status
from hopyard.cli.options import (
    EmbeddingOption,
    JsonOption,
    ModelOption,
    SetOption,
    context_from,
)
from hopyard.indexes.kind import DEFAULT_KINDS, KINDS, select_kinds
from hopyard.indexes.manifest import read_manifest
from hopyard.indexes.status import status as index_status
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.indexes.loaders import LoadReport

app = typer.Typer(no_args_is_help=True, help="Build an index of documents, and keep it up to date.")

PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help=".jsonl, .txt, .md, .html or .pdf files, or folders of them."),
]
DirectoryArgument = Annotated[Path, typer.Argument(help="The index directory.")]
LoaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--loader",
        metavar="CLASS:ARGUMENT",
        help="Read documents with a LangChain loader, as in "
        "langchain_community.document_loaders.CSVLoader:prices.csv; may be given several times.",
    ),
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="End with 0 although items could not be read.")
]
MaxCallsOption = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        "--budget",
        help="Model calls at most. What is finished by then is kept, the index is usable, and the "
        "same command continues.",
    ),
]
MaxTokensOption = Annotated[int | None, typer.Option(help="Tokens at most, as --max-calls.")]
MaxSecondsOption = Annotated[
    float | None, typer.Option(help="Seconds of asking the model at most, as --max-calls.")
]


@app.command("build")
def build_command(
    out_: Annotated[Path, typer.Option("--out", help="The index directory.")],
    paths: PathsArgument = None,
    loader: LoaderOption = None,
    with_: Annotated[
        str,
        typer.Option(
            "--with", help=f"What to derive from the passages, comma-separated: {', '.join(KINDS)}."
        ),
    ] = ",".join(DEFAULT_KINDS),
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    chunk_tokens: Annotated[
        int | None,
        typer.Option(
            help="Tokens of a passage at most; 0 keeps documents whole [default: 300, or "
            "what the embedding model's window allows]."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only say what the model calls would cost in tokens and time. Asks the model "
            "about a few passages; the index is not touched.",
        ),
    ] = False,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_seconds: MaxSecondsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Make an index that holds exactly these documents. A killed build continues where it was."""
    from hopyard.indexes import build as building
    from hopyard.nodes.resources import Resources

    given = {"model": model, "embedding": embedding}
    context = context_from(given | _budget(max_calls, max_tokens, max_seconds), set_)
    kinds = [kind.strip() for kind in with_.split(",") if kind.strip()]
    if not kinds:
        raise UsageError(f"--with names nothing; leave it out for {','.join(DEFAULT_KINDS)}.")
    chosen = select_kinds(kinds)
    if dry_run and not any(kind.asks_model for kind in chosen):
        asking = " or ".join(kind.name for kind in KINDS.parts() if kind.asks_model)
        raise UsageError(f"Nothing in --with {with_} asks a model; add {asking} to it.")
    with Resources() as resources:
        embedder = resources.embedder(context.embedding)
        loaded = _load(paths, loader)
        build: dict[str, Any] = {
            "directory": out_,
            "embedder": embedder,
            "chunk_tokens": chunk_tokens,
            "kinds": kinds,
            "settings": context,
            "caller": lambda: resources.caller(context.model),
        }
        if dry_run:
            passages, estimates = asyncio.run(building.estimate(loaded.documents, **build))
            show_estimates(passages, estimates, as_json=json_)
            return
        with progress_bar() as progress:
            report = asyncio.run(building.build(loaded.documents, **build, progress=progress))
    finish(report, loaded, index_status(out_), skip_bad=skip_bad, as_json=json_)


@app.command("add")
def add_command(
    directory: DirectoryArgument,
    paths: PathsArgument = None,
    loader: LoaderOption = None,
    model: Annotated[
        str | None,
        typer.Option(help="Chat model for new passages [default: the model of the last build]."),
    ] = None,
    embedding: EmbeddingOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_seconds: MaxSecondsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Add documents, or update those that the index has under the same id. The others stay."""
    from hopyard.indexes import build as building
    from hopyard.nodes.resources import Resources

    given = {"model": model or index_status(directory).model or None, "embedding": embedding}
    context = context_from(given | _budget(max_calls, max_tokens, max_seconds), set_)
    with Resources() as resources:
        embedder = resources.embedder(context.embedding)
        loaded = _load(paths, loader)
        with progress_bar() as progress:
            report = asyncio.run(
                building.add(
                    loaded.documents,
                    directory=directory,
                    embedder=embedder,
                    settings=context,
                    caller=lambda: resources.caller(context.model),
                    progress=progress,
                )
            )
    finish(report, loaded, index_status(directory), skip_bad=skip_bad, as_json=json_)


@app.command("remove")
def remove_command(
    directory: DirectoryArgument,
    document_ids: Annotated[list[str], typer.Argument(help="Ids of the documents to remove.")],
    json_: JsonOption = False,
) -> None:
    """Remove documents, and all that was derived from them. No model is asked."""
    from hopyard.indexes import build as building
    from hopyard.indexes.loaders import LoadReport
    from hopyard.nodes.resources import Resources

    manifest = read_manifest(directory)
    with Resources() as resources, progress_bar() as progress:
        report = asyncio.run(
            building.remove(
                document_ids,
                directory=directory,
                embedder=lambda: resources.embedder(manifest.embedding),
                progress=progress,
            )
        )
    finish(report, LoadReport(), index_status(directory), skip_bad=False, as_json=json_)


@app.command("status")
def status_command(directory: DirectoryArgument, json_: JsonOption = False) -> None:
    """Show what an index holds and how it was made."""
    show_status(index_status(directory), as_json=json_)


def _load(paths: list[Path] | None, loaders: list[str] | None) -> LoadReport:
    from hopyard.indexes.loaders import load

    if not paths and not loaders:
        raise UsageError("Nothing to read is given; name files or folders, or a --loader.")
    return load(paths or (), loaders or ())


def _budget(calls: int | None, tokens: int | None, seconds: float | None) -> dict[str, Any]:
    return {"budget.calls": calls, "budget.tokens": tokens, "budget.seconds": seconds}
