"""Propose entity types for the entity graph of a corpus.

python -m lab.graph_tuning corpus.jsonl
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopyard.cli.app import run
from hopyard.cli.console import out, print_json, printable, progress_bar
from hopyard.cli.index.options import (
    EncodingOption,
    LoaderOption,
    OcrOption,
    PathsArgument,
    reading,
)
from hopyard.cli.options import EmbeddingOption, JsonOption, ModelOption, SetOption, context_from
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.indexes.build_context import Progress
    from hopyard.indexes.corpus.records import Document, Passage
    from hopyard.indexes.documents.loaders import LoadReport
    from hopyard.nodes.resources import Resources
    from hopyard.state.settings.fields import Context
    from lab.graph_tuning.prompt import Domain

app = typer.Typer()


@app.command()
def tune_command(
    paths: PathsArgument = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="Read the passages of this index instead.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", min=1, max=100, help="Number of passages to read.")
    ] = 12,
    loader: LoaderOption = None,
    encoding: EncodingOption = "",
    ocr: OcrOption = "",
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Let the model propose entity types for the entity graph of a corpus."""
    from hopyard.indexes.build_context import BuildOptions
    from hopyard.nodes.resources import Resources
    from lab.graph_tuning.proposal import choose_evenly, propose_types

    if (index is None) == (not paths and not loader):
        raise UsageError("Name the documents of the corpus, or one index with --index.")
    context = context_from({"model": model, "embedding": embedding}, set_)
    with Resources() as resources:
        options = BuildOptions(context, "", 0, open_caller=lambda: resources.caller(context.model))
        if index is not None:
            passages, language = _of_index(index, sample)
            options = replace(options, language=language)
        else:
            read = partial(reading, paths, loader, encoding, ocr)
            passages = choose_evenly(_of_documents(read, context, resources), sample)
        if not passages:
            raise UsageError("There is no passage to read: name other documents.")
        domain = asyncio.run(propose_types(passages, options))
    _show(domain, as_json=json_)


def _of_index(directory: Path, sample: int) -> tuple[list[Passage], str]:
    """Passages from all over an index, and its language."""
    from hopyard.indexes.index import Index
    from lab.graph_tuning.proposal import choose_evenly

    with Index.open(directory) as index:
        chosen = choose_evenly(index.corpus.passage_ids(), sample)
        return index.corpus.get(chosen), index.manifest.language


def _of_documents(
    read: Callable[[Progress], tuple[LoadReport, Iterator[Document]]],
    context: Context,
    resources: Resources,
) -> list[Passage]:
    from hopyard.indexes.building.estimate import passages_of
    from hopyard.indexes.passages.chunking import Chunker

    chunker = Chunker(resources.embedder(context.embedding), None, context.indexing.metadata)
    with progress_bar() as progress:
        _, documents = read(progress)
        return passages_of(documents, chunker)


def _show(domain: Domain, *, as_json: bool) -> None:
    settings = [
        "entity_graph.builder=model",
        "entity_graph.descriptions=true",
        f"entity_graph.types={','.join(domain.types)}",
    ]
    if as_json:
        print_json({**domain.model_dump(), "settings": settings})
        return
    lines = [
        f"domain: {domain.domain}",
        f"types: {', '.join(domain.types)}",
        "Build the index with these settings:",
        *(f"  --set {_quoted(setting)}" for setting in settings),
    ]
    for line in lines:
        out.print(printable(line), markup=False, soft_wrap=True, highlight=False)


def _quoted(setting: str) -> str:
    from shlex import quote

    return quote(setting)


if __name__ == "__main__":
    run(app)
