"""`hopyard gate label|train|evaluate|predict`: the Con-RAG retrieval gate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from hopyard.classifiers.labels import LabelFile, merge_labels, read_labels
from hopyard.cli.console import err, out, print_json, progress_bar
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    ModelOption,
    SetOption,
    context_from,
)
from hopyard.measures.questions import read_questions
from hopyard.state.errors import StoppedByUserError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import AUTO, profile_of

app = typer.Typer(no_args_is_help=True, help="Train and use the retrieval gate.")

Value = Literal["token-probability", "answer-f1"]


@app.command("label")
def label_command(
    questions: Annotated[
        list[Path],
        typer.Argument(help="One or more files of questions (.jsonl): id, question, answers."),
    ],
    out_: Annotated[
        Path,
        typer.Option("--out", help="File of labels (.jsonl); it is continued if it exists."),
    ],
    index: IndexOption = None,
    model: ModelOption = None,
    value: Annotated[
        Value,
        typer.Option(help="Value of a coalition; token-probability needs a model of this machine."),
    ] = "token-probability",
    split: Annotated[str, typer.Option(help="Only questions of this split.")] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="Maximum number of questions; 0 means all.")
    ] = 0,
    keep_dropped: Annotated[
        bool,
        typer.Option(
            "--keep-dropped",
            help="Label questions that the paper drops if they need no passages.",
        ),
    ] = False,
    documents_first: Annotated[
        bool,
        typer.Option(
            help="A question with known supporting documents needs retrieval. Without: the paper's "
            "rule alone."
        ),
    ] = True,
    per_passage: Annotated[
        bool,
        typer.Option(
            "--per-passage",
            help="Also each passage's contribution, with up to 2^k more calls a question.",
        ),
    ] = False,
    batch: Annotated[int, typer.Option(min=1, help="Questions to run in parallel.")] = 8,
    precision: Annotated[
        Literal["float32", "bfloat16"],
        typer.Option(help="Numeric precision for token-probability."),
    ] = "float32",
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Label questions by how much passages contribute. A second call continues a stopped run."""
    require("`hopyard gate label`", "gate")
    from hopyard.classifiers.label import Labelling, label_all
    from hopyard.cli.gate.agent import finder, index_embedding, value_function
    from hopyard.cli.gate.report import show_labels

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    chosen = [one for path in questions for one in read_questions(path, split=split, limit=limit)]
    file = LabelFile(out_)
    find = finder(context, per_passage=per_passage)
    labelling = Labelling(
        value_function(value, context, precision),
        find,
        context.retrieval.k,
        index_embedding(context),
        keep_dropped=keep_dropped,
        documents_first=documents_first,
        batch=batch,
    )
    _check_same(file, labelling.value_function.identity, value, out_)
    try:
        with progress_bar() as progress:
            run_async(label_all(chosen, labelling, file, progress))
    except KeyboardInterrupt as error:
        raise StoppedByUserError(
            f"Interrupted; the labels so far are in {out_}. The same command continues."
        ) from error
    wanted = {question.id for question in chosen}
    shown = [label for label in file.labels if label.id in wanted]
    show_labels(shown, out_, as_json=json_)
    if per_passage and not any(label.phi_each_passage for label in shown):
        err.print(
            "No passage has a contribution. Only questions that the model answers rightly from "
            "passages have contributions; with --documents-first, only questions without known "
            "documents."
        )


@app.command("train")
def train_command(
    labels: Annotated[
        list[Path],
        typer.Argument(
            help="One or more files of labels of the train split (.jsonl). If a question occurs "
            "twice, its first label counts."
        ),
    ],
    out_: Annotated[Path, typer.Option("--out", help="The gate's folder.")],
    base: Annotated[
        str,
        typer.Option(
            help="vector: a linear head over the built-in embedding model's sentence vector. Or "
            "a T5: a name or folder such as google-t5/t5-small, scratch, or minilm (starts from "
            "MiniLM's word pieces)."
        ),
    ] = "vector",
    text: Annotated[
        Path | None,
        typer.Option(help="Lines with a `text` (.jsonl), for the vocabulary of a small T5."),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(min=0, help="Learning rate of a T5; 0 is the paper's 5e-5."),
    ] = 0.0,
    epochs: Annotated[int, typer.Option(min=1, help="Maximum epochs of a T5.")] = 60,
    cost_ratio: Annotated[
        float, typer.Option(min=0.01, help="Cost of a wrong answer, in needless retrievals.")
    ] = 3.0,
    seed: Annotated[int, typer.Option(min=0)] = 7,
    model: Annotated[
        str | None,
        typer.Option(help="Name of the model in the gate's card."),
    ] = None,
    figures: Annotated[bool, typer.Option(help="Draw the diagrams (needs matplotlib).")] = True,
    json_: JsonOption = False,
) -> None:
    """Train a gate on labels, calibrate it, choose its threshold, and write its card."""
    require("`hopyard gate train`", "gate")
    from hopyard.classifiers.train import train_gate
    from hopyard.classifiers.train_settings import TrainSettings
    from hopyard.cli.gate.agent import read_texts
    from hopyard.cli.gate.report import show_training, warn_of_models
    from hopyard.nodes.resources import shared_resources

    settings = TrainSettings(base=base, rate=rate, epochs=epochs, seed=seed, cost_ratio=cost_ratio)
    given = merge_labels(label for path in labels for label in read_labels(path))
    warn_of_models({label.model for label in given}, model)
    texts = read_texts(text) if text else []
    embed = shared_resources().embed_query
    with progress_bar() as progress:
        trained = train_gate(
            given, settings, out_, model=model, embed=embed, texts=texts, progress=progress
        )
    show_training(trained, out_, figures=figures, as_json=json_)


@app.command("evaluate")
def evaluate_command(
    labels: Annotated[
        list[Path], typer.Argument(help="One or more files of labels of the dev split (.jsonl).")
    ],
    gate: Annotated[
        str, typer.Option(help="auto (by the model), builtin, capable, or the folder of a gate.")
    ] = AUTO,
    questions: Annotated[
        Path | None,
        typer.Option(help="Also answer these questions (.jsonl) with and without retrieval."),
    ] = None,
    index: IndexOption = None,
    model: ModelOption = None,
    split: Annotated[str, typer.Option(help="Only questions of this split.")] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="Maximum number of questions; 0 means all.")
    ] = 0,
    answers: Annotated[
        Path | None, typer.Option(help="Folder for answers (default: in the data folder).")
    ] = None,
    out_: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for numbers, diagrams and card (default: the gate's)."),
    ] = None,
    figures: Annotated[bool, typer.Option(help="Draw the diagrams (needs matplotlib).")] = True,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Measure a gate on labels, and end to end against the policies always, never and oracle."""
    require("`hopyard gate evaluate`", "gate")
    from hopyard.classifiers.retrieval_gate import gate_folder, shipped_gate
    from hopyard.cli.gate.agent import evaluate_gate
    from hopyard.cli.gate.report import show_evaluation, warn_of_models, write_report
    from hopyard.nodes.resources import shared_resources

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    name = shipped_gate(profile_of(context)) if gate == AUTO else gate
    loaded = shared_resources().gate(name)
    given = [label for path in labels for label in read_labels(path)]
    asked = read_questions(questions, split=split, limit=limit) if questions else []
    warn_of_models({label.model for label in given}, loaded.manifest.model)
    try:
        with progress_bar() as progress:
            found = evaluate_gate(loaded, given, asked, context, answers, progress)
    except KeyboardInterrupt as error:
        raise StoppedByUserError(
            "Interrupted; the answers so far are kept. The same command continues."
        ) from error
    folder = out_ or gate_folder(name)
    write_report(found, folder, figures=figures)
    show_evaluation(found, folder, as_json=json_)


@app.command("predict")
def predict_command(
    questions: Annotated[
        list[str] | None,
        typer.Argument(help="Questions (default: one per line from standard input)."),
    ] = None,
    gate: Annotated[
        str, typer.Option(help="auto (by the model), builtin, capable, or the folder of a gate.")
    ] = AUTO,
    index: IndexOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Decide for each question whether it needs retrieval, with the calibrated probability."""
    from hopyard.classifiers.retrieval_gate import shipped_gate
    from hopyard.cli.gate.agent import predictor
    from hopyard.nodes.lifecycle import check_question
    from hopyard.nodes.resources import shared_resources

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    loaded = shared_resources().gate(shipped_gate(profile_of(context)) if gate == AUTO else gate)
    predict = predictor(context, loaded)
    for line in questions or (line for line in sys.stdin if line.strip()):
        question = check_question(line)
        decision = predict(question)
        if json_:
            print_json(
                {
                    "question": question,
                    "probability": decision.probability,
                    "retrieve": decision.retrieve,
                    "reason": decision.reason,
                }
            )
        else:
            word = "retrieve" if decision.retrieve else "do not retrieve"
            out.print(f"{decision.probability:.3f}  {word:<15}  {question}", markup=False)


def _check_same(file: LabelFile, identity: str, value: str, path: Path) -> None:
    """Check that the file's labels are of this model and value function."""
    made = {(label.model, label.value) for label in file.labels} - {(identity, value)}
    for model, function in sorted(made):
        raise UsageError(
            f"The labels in {str(path)!r} are of {model} by {function}, not of {identity} by "
            f"{value}; name another file with --out."
        )
