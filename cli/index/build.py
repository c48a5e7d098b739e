"""`hopyard index build` and `hopyard index add`."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.index.options import (
    BuiltArgument,
    DryRunOption,
    EncodingOption,
    LoaderOption,
    MaxCallsOption,
    MaxSecondsOption,
    MaxTokensOption,
    NewPassagesModelOption,
    OcrOption,
    PathsArgument,
    SkipBadOption,
    VectorsOption,
    check_extras,
    for_building,
    own_embedder,
    reading,
)
from hopyard.cli.index.report import CONTINUE, finish, show_estimates
from hopyard.cli.interrupts import ending_with
from hopyard.cli.options import EmbeddingOption, JsonOption, ModelOption, SetOption, context_from
from hopyard.indexes.kind import DEFAULT_KINDS, KINDS, embedding_for, select_kinds
from hopyard.indexes.status import status as index_status
from hopyard.indexes.unread import write_unread
from hopyard.state.errors import UsageError


@ending_with(CONTINUE)
def build_command(
    out_: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="INDEX",
            parser=for_building,
            help="The index: a directory, or postgresql://…?index=NAME.",
        ),
    ],
    paths: PathsArgument = None,
    loader: LoaderOption = None,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
    with_: Annotated[
        str | None,
        typer.Option(
            "--with",
            help=f"Index kinds, comma-separated: {', '.join(KINDS)}. "
            f"Default: {','.join(DEFAULT_KINDS)}, and tables for spreadsheets.",
        ),
    ] = None,
    vectors: VectorsOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    chunk_tokens: Annotated[
        int | None,
        typer.Option(help="Tokens of a passage (default 300, 0: whole)."),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="WHO",
            help="Who works too: workers, ray, or batch (OpenAI).",
        ),
    ] = "",
    dry_run: DryRunOption = False,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_seconds: MaxSecondsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Build an index of exactly these documents. A second call continues a stopped build."""
    from hopyard.indexes.building import build as building
    from hopyard.indexes.building.recipe import recipe_of
    from hopyard.indexes.documents.folders import FolderNames
    from hopyard.indexes.documents.loaders import default_kinds
    from hopyard.indexes.documents.stamps import FileStamps
    from hopyard.nodes.resources import Resources

    if with_ is None:
        kinds = [*default_kinds(paths or ())]
    else:
        kinds = [kind.strip() for kind in with_.split(",") if kind.strip()]
    if not kinds:
        raise UsageError(f"--with is empty; leave it out for {','.join(DEFAULT_KINDS)}.")
    given = {"model": model, "embedding": embedding, "dense.store": vectors}
    context = context_from(given | _budget(max_calls, max_tokens, max_seconds), set_)
    chosen = select_kinds(kinds)
    if dry_run and not any(kind.asks_model for kind in chosen):
        *others, last = (kind.name for kind in KINDS.parts() if kind.asks_model)
        asking = f"{', '.join(others)} or {last}"
        raise UsageError(f"Nothing in --with {','.join(kinds)} needs a model; add {asking} to it.")
    with Resources() as resources:
        embedder = resources.embedder(embedding_for(kinds, context.embedding))
        # Missing packages and files of settings are named before anything is read.
        recipe_of(embedder, chunk_tokens, kinds, context, None)
        check_extras(paths or (), skip_bad=skip_bad)
        folders = FolderNames(paths or (), out_, only=True)
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
                loaded, documents = reading(paths, loader, encoding, ocr, progress, folders)
                passages, estimates = asyncio.run(building.estimate(documents, **build))
            show_estimates(passages, estimates, loaded=loaded, directory=out_, as_json=json_)
            return
        stamps = FileStamps(out_, paths or (), encoding, ocr)
        with progress_bar() as progress:
            loaded, documents = reading(paths, loader, encoding, ocr, progress, folders, stamps)
            build |= {
                "progress": progress,
                "finally_": partial(write_unread, out_, loaded, paths or (), folders, only=True),
            }
            if on:
                from hopyard.agent.workers.shared_build import shared_build

                with shared_build(on, out_, context, resources, embedder) as models:
                    report = asyncio.run(building.build(documents, **build | models))
            else:
                report = asyncio.run(building.build(documents, **build))
    stamps.write([*loaded.bad, *report.bad], only=True)
    folders.write()
    finish(report, loaded, index_status(out_), skip_bad=skip_bad, as_json=json_)


@ending_with(CONTINUE)
def add_command(
    directory: BuiltArgument,
    paths: PathsArgument = None,
    loader: LoaderOption = None,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
    model: NewPassagesModelOption = None,
    embedding: EmbeddingOption = None,
    dry_run: DryRunOption = False,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_seconds: MaxSecondsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Add documents, or update documents with the same id. All other documents stay."""
    from hopyard.indexes.building import build as building
    from hopyard.indexes.documents.folders import FolderNames
    from hopyard.indexes.documents.stamps import FileStamps
    from hopyard.nodes.resources import Resources

    given = {"model": model or index_status(directory).model or None, "embedding": embedding}
    context = context_from(given | _budget(max_calls, max_tokens, max_seconds), set_)
    check_extras(paths or (), skip_bad=skip_bad)
    with Resources() as resources:
        add: dict[str, Any] = {
            "directory": directory,
            "embedder": own_embedder(resources, directory, context.embedding),
            "settings": context,
            "caller": lambda: resources.caller(context.model),
        }
        stamps = FileStamps(directory, paths or (), encoding, ocr)
        folders = FolderNames(paths or (), directory)
        with progress_bar() as progress:
            loaded, documents = reading(paths, loader, encoding, ocr, progress, folders, stamps)
            if dry_run:
                found = asyncio.run(building.estimate_update(documents, **add))
            else:
                unread = partial(write_unread, directory, loaded, paths or (), folders)
                work = building.add(documents, **add, progress=progress, finally_=unread)
                report = asyncio.run(work)
    if dry_run:
        show_estimates(*found, loaded=loaded, directory=directory, as_json=json_)
        return
    stamps.write([*loaded.bad, *report.bad])
    folders.write()
    report.warnings += folders.warnings
    finish(report, loaded, index_status(directory), skip_bad=skip_bad, as_json=json_)


def _budget(calls: int | None, tokens: int | None, seconds: float | None) -> dict[str, Any]:
    return {"budget.calls": calls, "budget.tokens": tokens, "budget.seconds": seconds}
