"""`hopyard index build|add|sync|remove|list|show|status`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.index_documents import show_document, show_documents
from hopyard.cli.index_report import (
    finish,
    nothing_read,
    show_estimates,
    show_status,
    show_unbuilt,
)
from hopyard.cli.interrupt import run_build
from hopyard.cli.options import (
    EmbeddingOption,
    JsonOption,
    ModelOption,
    SetOption,
    WhereOption,
    checked_conditions,
    context_from,
)
from hopyard.indexes.kind import DEFAULT_KINDS, KINDS, select_kinds
from hopyard.indexes.listing import (
    list_documents,
    matching_documents,
    open_corpus,
    read_document,
)
from hopyard.indexes.manifest import find_manifest, read_manifest
from hopyard.indexes.status import status as index_status
from hopyard.indexes.unfinished import unfinished_build
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.indexes.build_context import Progress
    from hopyard.indexes.loaders import LoadReport
    from hopyard.indexes.records import Document

app = typer.Typer(no_args_is_help=True, help="Build an index of documents, and keep it up to date.")

PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files, or folders of them: .jsonl, text, Markdown, HTML, PDF, office files, mails, "
        "archives, source code and more."
    ),
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
EncodingOption = Annotated[
    str,
    typer.Option(
        help="Encoding of text files without a byte-order mark, as in cp1252 [default: recognised]."
    ),
]
OcrOption = Annotated[
    str,
    typer.Option(
        "--ocr",
        metavar="LANGUAGES",
        help="Read scanned pages of PDF files in these languages, as in deu+eng. Needs the "
        "programs ocrmypdf and tesseract.",
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
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
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
        build: dict[str, Any] = {
            "directory": out_,
            "embedder": embedder,
            "chunk_tokens": chunk_tokens,
            "kinds": kinds,
            "settings": context,
            "caller": lambda: resources.caller(context.model),
        }
        if dry_run:
            with progress_bar() as progress:
                _, documents = _reading(paths, loader, encoding, ocr, progress)
                passages, estimates = run_build(building.estimate(documents, **build))
            show_estimates(passages, estimates, as_json=json_)
            return
        with progress_bar() as progress:
            loaded, documents = _reading(paths, loader, encoding, ocr, progress)
            report = run_build(building.build(documents, **build, progress=progress))
    finish(report, loaded, index_status(out_), skip_bad=skip_bad, as_json=json_)


@app.command("add")
def add_command(
    directory: DirectoryArgument,
    paths: PathsArgument = None,
    loader: LoaderOption = None,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
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
        with progress_bar() as progress:
            loaded, documents = _reading(paths, loader, encoding, ocr, progress)
            report = run_build(
                building.add(
                    documents,
                    directory=directory,
                    embedder=embedder,
                    settings=context,
                    caller=lambda: resources.caller(context.model),
                    progress=progress,
                )
            )
    finish(report, loaded, index_status(directory), skip_bad=skip_bad, as_json=json_)


@app.command("sync")
def sync_command(
    directory: DirectoryArgument,
    paths: Annotated[
        list[Path], typer.Argument(help="The files and folders that the index is to follow.")
    ],
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep on, until Ctrl-C, as files change.")
    ] = False,
    every: Annotated[
        float, typer.Option(min=0.1, help="Seconds between two looks at the files, with --watch.")
    ] = 5.0,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
    model: Annotated[
        str | None,
        typer.Option(help="Chat model for new passages [default: the model of the last build]."),
    ] = None,
    max_calls: MaxCallsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Add what is new in files and folders, update what changed, remove what is gone.

    Documents that the index has from elsewhere stay.
    """
    from hopyard.cli.index_sync import Following

    held = read_manifest(directory).embedding
    given = {"model": model or index_status(directory).model or None, "embedding": held}
    context = context_from(given | {"budget.calls": max_calls}, set_)
    following = Following(directory, paths, context, encoding, ocr, skip_bad, json_)
    following.keep_on(every) if watch else following.once()


@app.command("remove")
def remove_command(
    directory: DirectoryArgument,
    documents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids, paths, file names, folders, or patterns such as 'reports/*.pdf'."
        ),
    ] = None,
    where: WhereOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the documents that would be removed.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Remove documents, and all that was derived from them. No model is asked."""
    from hopyard.indexes import build as building
    from hopyard.indexes.loaders import LoadReport
    from hopyard.nodes.resources import Resources

    names, conditions = documents or [], checked_conditions(where)
    if not names and not conditions:
        raise UsageError("Nothing to remove is named; give documents, or --where.")
    if dry_run:
        with open_corpus(directory) as corpus:
            ids = matching_documents(corpus, directory, names, conditions)
        entries = [entry for entry in list_documents(directory) if entry.id in ids]
        show_documents(entries, as_json=json_)
        return
    manifest = read_manifest(directory)
    with Resources() as resources, progress_bar() as progress:
        report = run_build(
            building.remove(
                names,
                directory=directory,
                where=conditions,
                embedder=lambda: resources.embedder(manifest.embedding),
                progress=progress,
            )
        )
    finish(report, LoadReport(), index_status(directory), skip_bad=False, as_json=json_)


@app.command("list")
def list_command(
    directory: DirectoryArgument, where: WhereOption = None, json_: JsonOption = False
) -> None:
    """List the documents of an index, with their passages and dates."""
    show_documents(list_documents(directory, checked_conditions(where)), as_json=json_)


@app.command("show")
def show_command(
    directory: DirectoryArgument,
    document: Annotated[str, typer.Argument(help="Its id, its path, or its file's name.")],
    texts: Annotated[bool, typer.Option("--texts", help="Show the passages whole.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show a document: its passages and sections, and what is derived from them."""
    show_document(read_document(directory, document), texts=texts, as_json=json_)


@app.command("status")
def status_command(directory: DirectoryArgument, json_: JsonOption = False) -> None:
    """Show what an index holds, how it was made, and how far an interrupted build came."""
    if find_manifest(directory) is None and (begun := unfinished_build(directory)):
        show_unbuilt(directory, begun, as_json=json_)
        return
    show_status(index_status(directory), as_json=json_)


def _reading(
    paths: list[Path] | None,
    loaders: list[str] | None,
    encoding: str,
    ocr: str,
    progress: Progress,
) -> tuple[LoadReport, Iterator[Document]]:
    """Documents that are read as the build asks for them; the report fills up meanwhile."""
    from hopyard.indexes.loaders import LoadReport, read

    if not paths and not loaders:
        raise UsageError("Nothing to read is given; name files or folders, or a --loader.")
    loaded = LoadReport()
    documents = read(
        paths or (), loaders or (), loaded, encoding=encoding, ocr=ocr, progress=progress
    )
    if (first := next(documents, None)) is None:
        raise nothing_read(loaded)
    return loaded, chain([first], documents)


def _budget(calls: int | None, tokens: int | None, seconds: float | None) -> dict[str, Any]:
    return {"budget.calls": calls, "budget.tokens": tokens, "budget.seconds": seconds}
