"""`hopyard gate label|train|evaluate|predict`: the Con-RAG retrieval gate."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

import typer

from hopyard.classifiers.labels import LabelFile
from hopyard.cli.console import err, progress_bar
from hopyard.cli.gate_report import show_labels
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    ModelOption,
    SetOption,
    context_from,
)
from hopyard.evaluation.questions import read_questions
from hopyard.state.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Train and use the gate that decides on retrieval.")

Value = Literal["token-probability", "answer-f1"]


@app.command("label")
def label_command(
    questions: Annotated[Path, typer.Argument(help="Questions (.jsonl): id, question, answers.")],
    out_: Annotated[Path, typer.Option("--out", help="The labels (.jsonl); an old file goes on.")],
    index: IndexOption = None,
    model: ModelOption = None,
    value: Annotated[
        Value,
        typer.Option(
            help="What a coalition is worth: the probabilities of the answer's tokens (embedded, "
            "or a folder or hub name), or how like the answer it is (any model)."
        ),
    ] = "token-probability",
    split: Annotated[str, typer.Option(help="Only questions of this split.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="The first so many; 0 is all.")] = 0,
    keep_dropped: Annotated[
        bool,
        typer.Option(
            "--keep-dropped",
            help="Label the dropped questions too: wrong with passages and wrong without, "
            "retrieve; right without, do not. Not the paper's.",
        ),
    ] = False,
    batch: Annotated[int, typer.Option(min=1, help="Questions at once.")] = 8,
    precision: Annotated[
        Literal["float32", "bfloat16"], typer.Option(help="Arithmetic of token-probability.")
    ] = "float32",
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Label questions by what passages contribute to the model's answers. A stopped run goes on."""
    from hopyard.classifiers.label import Labelling, label_all  # noqa: PLC0415
    from hopyard.cli.gate_agent import finder, value_function  # noqa: PLC0415

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    chosen = read_questions(questions, split=split, limit=limit)
    file = LabelFile(out_)
    find = finder(context)
    labelling = Labelling(
        value_function(value, context, precision),
        find,
        context.retrieval.k,
        keep_dropped=keep_dropped,
        batch=batch,
    )
    _check_same(file, labelling.value_function.identity, value, out_)
    try:
        with progress_bar() as progress:
            asyncio.run(label_all(chosen, labelling, file, progress))
    except KeyboardInterrupt:
        err.print(f"\nInterrupted; what is labelled is in {out_}. The same command goes on.")
        raise
    wanted = {one.id for one in chosen}
    show_labels([one for one in file.labels if one.id in wanted], out_, as_json=json_)


def _check_same(file: LabelFile, identity: str, value: str, path: Path) -> None:
    """A file is of one model and one value function."""
    made = {(one.model, one.value) for one in file.labels} - {(identity, value)}
    for model, function in sorted(made):
        raise UsageError(
            f"The labels in {str(path)!r} are of {model} by {function}, not of {identity} by "
            f"{value}; name another file with --out."
        )
