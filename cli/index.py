"""`hopyard index build|add|remove|status`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.index_report import finish, show_estimate, show_status
from hopyard.cli.options import (
    EmbeddingOption,
    JsonOption,
    ModelOption,
    SetOption,
    context_from,
)
from hopyard.indexes import build as building
from hopyard.indexes.chunking import Chunker
from hopyard.indexes.kinds.passage_graph.estimate import estimate
from hopyard.indexes.kinds.passage_graph.kind import PassageGraph
from hopyard.indexes.kinds.passage_graph.stats import GraphStats
from hopyard.indexes.known_kinds import DEFAULT_KINDS, KINDS
from hopyard.indexes.loaders import load
from hopyard.indexes.manifest import find_manifest, generation_directory, read_manifest
from hopyard.indexes.recipe import select_kinds
from hopyard.indexes.status import status as index_status
from hopyard.models.embeddings import embedder
from hopyard.state.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Build an index of documents, and keep it up to date.")

PathsArgument = Annotated[
    list[Path], typer.Argument(help=".jsonl, .txt, .md, .html or .pdf files, or folders of them.")
]
DirectoryArgument = Annotated[Path, typer.Argument(help="The index directory.")]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="End with 0 although items could not be read.")
]
MaxCallsOption = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        "--budget",
        help="Model calls at most. What is finished then is kept, the index is usable, and the "
        "same command goes on.",
    ),
]
MaxTokensOption = Annotated[int | None, typer.Option(help="Tokens at most, as --max-calls.")]
MaxSecondsOption = Annotated[
    float | None, typer.Option(help="Seconds of asking the model at most, as --max-calls.")
]


@app.command("build")
def build_command(
    paths: PathsArgument,
    out_: Annotated[Path, typer.Option("--out", help="The index directory.")],
    with_: Annotated[
        str,
        typer.Option(
            "--with",
            help="What to derive from the passages, comma-separated: dense, sparse, "
            "passage-graph (asks the model for every passage).",
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
            help="Only say what passage-graph would cost in calls, tokens and time. Asks the "
            "model for up to four passages; the index is not touched.",
        ),
    ] = False,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    max_seconds: MaxSecondsOption = None,
    set_: SetOption = None,
    skip_bad: SkipBadOption = False,
    json_: JsonOption = False,
) -> None:
    """Make an index that holds exactly these documents. A killed build goes on where it stopped."""
    context = context_from(
        {
            "model": model,
            "embedding": embedding,
            "budget.calls": max_calls,
            "budget.tokens": max_tokens,
            "budget.seconds": max_seconds,
        },
        set_,
    )
    kinds = [kind.strip() for kind in with_.split(",") if kind.strip()]
    if not kinds:
        raise UsageError(f"--with names nothing; leave it out for {','.join(DEFAULT_KINDS)}.")
    embedding_model = embedder(context.embedding)
    graph = PassageGraph(embedding_model, context)
    known = {**KINDS, graph.name: graph}
    select_kinds(kinds, known)
    if dry_run and graph.name not in kinds:
        raise UsageError(f"Nothing in --with {with_} asks a model; add {graph.name} to it.")
    loaded = load(paths)
    if dry_run:
        found = estimate(
            loaded.documents,
            directory=out_,
            chunker=Chunker(embedding_model, chunk_tokens),
            context=context,
        )
        show_estimate(found, as_json=json_)
        return
    with progress_bar() as progress:
        report = building.build(
            loaded.documents,
            directory=out_,
            embedder=embedding_model,
            chunk_tokens=chunk_tokens,
            kinds=kinds,
            known_kinds=known,
            progress=progress,
        )
    finish(out_, report, loaded, _graph_of(out_), skip_bad=skip_bad, as_json=json_)


@app.command("add")
def add_command(
    directory: DirectoryArgument,
    paths: PathsArgument,
    model: Annotated[
        str | None,
        typer.Option(help="Chat model for new passages [default: the one of the last build]."),
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
    made = _graph_of(directory)
    context = context_from(
        {
            "model": model or (made.model if made else None),
            "embedding": embedding,
            "budget.calls": max_calls,
            "budget.tokens": max_tokens,
            "budget.seconds": max_seconds,
        },
        set_,
    )
    embedding_model = embedder(context.embedding)
    graph = PassageGraph(embedding_model, context, keep=True)
    loaded = load(paths)
    with progress_bar() as progress:
        report = building.add(
            loaded.documents,
            directory=directory,
            embedder=embedding_model,
            known_kinds={**KINDS, graph.name: graph},
            progress=progress,
        )
    finish(directory, report, loaded, _graph_of(directory), skip_bad=skip_bad, as_json=json_)


@app.command("remove")
def remove_command(
    directory: DirectoryArgument,
    document_ids: Annotated[list[str], typer.Argument(help="Ids of the documents to remove.")],
    json_: JsonOption = False,
) -> None:
    """Remove documents, and all that was derived from them. No model is asked."""
    manifest = read_manifest(directory)
    known = dict(KINDS)
    if PassageGraph.name in manifest.kinds:
        known[PassageGraph.name] = PassageGraph(embedder(manifest.embedding), context=None)
    with progress_bar() as progress:
        report = building.remove(
            document_ids, directory=directory, known_kinds=known, progress=progress
        )
    finish(directory, report, None, _graph_of(directory), skip_bad=False, as_json=json_)


@app.command("status")
def status_command(directory: DirectoryArgument, json_: JsonOption = False) -> None:
    """Show what an index holds and how it was made."""
    show_status(index_status(directory), _graph_of(directory), as_json=json_)


def _graph_of(directory: Path) -> GraphStats | None:
    """What the index says of its passage graph; None where it has none."""
    manifest = find_manifest(directory)
    if manifest is None or PassageGraph.name not in manifest.kinds:
        return None
    folder = generation_directory(directory, manifest.generation)
    return GraphStats.load(folder / PassageGraph.name)
