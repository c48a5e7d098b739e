"""`hopyard gate label|train|evaluate|predict`: the Con-RAG retrieval gate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from hopyard.classifiers.labels import LabelFile, merge_labels, read_labels
from hopyard.cli.console import out, print_json, progress_bar
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    LimitOption,
    ModelOption,
    SetOption,
    SplitOption,
    context_from,
)
from hopyard.measures.questions import read_questions
from hopyard.state.errors import StoppedByUserError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import AUTO

app = typer.Typer(no_args_is_help=True, help="Train and use the retrieval gate.")

GateOption = Annotated[
    str, typer.Option(help="auto (by the model), builtin, capable, or the folder of a gate.")
]


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
        Literal["token-probability", "answer-f1"],
        typer.Option(help="Value of a coalition; token-probability needs a model of this machine."),
    ] = "token-probability",
    split: SplitOption = "",
    limit: LimitOption = 0,
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
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Label questions by how much passages contribute. A second call continues a stopped run."""
    require("`hopyard gate label`", "gate")
    from hopyard.classifiers.labelling import Labelling, label_all
    from hopyard.cli.gate.agent import finder, value_function
    from hopyard.cli.gate.report import show_labels

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    chosen = [row for path in questions for row in read_questions(path, split=split, limit=limit)]
    file = LabelFile(out_)
    find, held_embedding = finder(context)
    labelling = Labelling(
        value_function(value, context),
        find,
        context.retrieval.k,
        held_embedding,
        keep_dropped=keep_dropped,
        documents_first=documents_first,
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
    show_labels([label for label in file.rows if label.id in wanted], out_, as_json=json_)


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
            "the name or folder of a T5, such as google-t5/t5-small."
        ),
    ] = "vector",
    rate: Annotated[float, typer.Option(help="Learning rate of a T5.")] = 5e-5,
    epochs: Annotated[int, typer.Option(min=1, help="Maximum epochs of a T5.")] = 60,
    cost_ratio: Annotated[
        float, typer.Option(min=0.01, help="Cost of a wrong answer, in needless retrievals.")
    ] = 3.0,
    seed: Annotated[int, typer.Option(min=0)] = 7,
    model: Annotated[
        str | None,
        typer.Option(help="Name of the model that the gate is for."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Train a gate on labels, calibrate it, and choose its threshold."""
    require("`hopyard gate train`", "gate")
    from hopyard.classifiers.manifest import TrainSettings
    from hopyard.classifiers.train import train_gate
    from hopyard.cli.gate.report import show_training, warn_of_models
    from hopyard.nodes.resources import shared_resources

    settings = TrainSettings(base=base, rate=rate, epochs=epochs, seed=seed, cost_ratio=cost_ratio)
    given = merge_labels(label for path in labels for label in read_labels(path))
    warn_of_models({label.model for label in given}, model)
    embed = shared_resources().embed_question
    with progress_bar() as progress:
        trained = train_gate(given, settings, out_, model=model, embed=embed, progress=progress)
    show_training(trained, out_, as_json=json_)


@app.command("evaluate")
def evaluate_command(
    labels: Annotated[
        list[Path], typer.Argument(help="One or more files of labels of the dev split (.jsonl).")
    ],
    gate: GateOption = AUTO,
    model: ModelOption = None,
    out_: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for evaluation.json (default: the gate's)."),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Measure a gate on labels. To measure its answers, see `hopyard eval`."""
    require("`hopyard gate evaluate`", "gate")
    from hopyard.classifiers.evaluate import GateEvaluation, measure_gate
    from hopyard.classifiers.retrieval_gate import gate_folder
    from hopyard.cli.gate.agent import gate_name
    from hopyard.cli.gate.report import show_evaluation, warn_of_models
    from hopyard.nodes.resources import shared_resources

    name = gate_name(gate, context_from({"model": model}))
    loaded = shared_resources().gate(name)
    given = [label for path in labels for label in read_labels(path)]
    models = {label.model for label in given}
    warn_of_models(models, loaded.manifest.model)
    found = GateEvaluation(
        gate_model=loaded.manifest.model,
        labels_model=", ".join(sorted(models)),
        labels=measure_gate(loaded, given),
        command=" ".join(["hopyard gate evaluate", *(path.name for path in labels)]),
    )
    show_evaluation(found, out_ or gate_folder(name), as_json=json_)


@app.command("predict")
def predict_command(
    questions: Annotated[
        list[str] | None,
        typer.Argument(help="Questions (default: one per line from standard input)."),
    ] = None,
    gate: GateOption = AUTO,
    index: IndexOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Decide for each question whether it needs retrieval, with the calibrated probability."""
    from hopyard.cli.gate.agent import gate_name, predictor
    from hopyard.nodes.lifecycle import check_question
    from hopyard.nodes.resources import shared_resources

    context = context_from({"index": index, "model": model, "embedding": embedding}, set_)
    predict = predictor(context, shared_resources().gate(gate_name(gate, context)))
    for line in questions or (line for line in sys.stdin if line.strip()):
        question = check_question(line)
        decision = predict(question)
        if json_:
            print_json({"question": question} | vars(decision))
        else:
            word = "retrieve" if decision.retrieve else "do not retrieve"
            out.print(f"{decision.probability:.3f}  {word:<15}  {question}", markup=False)


def _check_same(file: LabelFile, identity: str, value: str, path: Path) -> None:
    """Check that the file's labels are of this model and value function."""
    made = {(label.model, label.value) for label in file.rows} - {(identity, value)}
    for model, function in sorted(made):
        raise UsageError(
            f"The labels in {str(path)!r} are of {model} by {function}, not of {identity} by "
            f"{value}; name another file with --out."
        )
