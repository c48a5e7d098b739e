"""`hopyard eval`: strategies beside each other on questions with gold answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.eval.options import (
    PARALLEL,
    SAMPLE,
    DryRunOption,
    HalfOption,
    LimitOption,
    MaxCallsOption,
    MaxSecondsOption,
    MaxTokensOption,
    NameOption,
    OutOption,
    ParallelOption,
    SampleOption,
    SplitOption,
    StrategiesOption,
    interrupted,
    names,
    recording,
    selection,
)
from hopyard.cli.eval.run import evaluate
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    ModelOption,
    RecordOption,
    SetOption,
    WhereOption,
    context_from,
)
from hopyard.evaluation.variants import every_variant, parse_variants, sweep_names
from hopyard.measures.questions import Question, read_questions
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.storage.atomic import write_file

__all__ = ("eval_command",)


def eval_command(
    questions: Annotated[
        Path,
        typer.Argument(help="Questions (.jsonl): id, question, answers, supporting_ids."),
    ],
    index: IndexOption = None,
    strategies: StrategiesOption = "",
    sweep: Annotated[str, typer.Option(help=f"Add columns: {', '.join(sweep_names())}.")] = "",
    split: SplitOption = "",
    half: HalfOption = None,
    limit: LimitOption = 0,
    name: NameOption = "",
    out_: OutOption = None,
    baseline: Annotated[str, typer.Option(help="Column that the others are compared with.")] = "",
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    style: Annotated[
        Literal["short", "sentence", "full", "auto"] | None,
        typer.Option(metavar="FORM", help="short, sentence, full, or auto."),
    ] = None,
    judge: Annotated[str, typer.Option(help="Chat model that judges the answers.")] = "",
    where: WhereOption = None,
    parallel: ParallelOption = PARALLEL,
    dry_run: DryRunOption = False,
    sample: SampleOption = SAMPLE,
    max_calls: MaxCallsOption = 0,
    max_tokens: MaxTokensOption = 0,
    max_seconds: MaxSecondsOption = 0,
    record: RecordOption = None,
    retrieval_only: Annotated[
        bool, typer.Option("--retrieval-only", help="Measure each search, without a chat model.")
    ] = False,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Compare strategies on questions with gold answers. A second call continues a stopped run."""
    require("`hopyard eval`", "eval")
    from hopyard.evaluation.plan import Plan, default_folder

    given = {"index": index, "model": model, "embedding": embedding, "where": where}
    chosen = read_questions(questions, split=split, half=half, limit=limit)
    form = style or _style_for(chosen)
    # Recordings replay: the rules ask nothing, whatever was recorded.
    context = context_from(given | {"answer.style": form, "answer.check": "rules"}, set_)
    set_name = name or questions.resolve().parent.name
    if retrieval_only:
        _retrieval(set_name, chosen, context, out_, as_json=json_)
        return
    variants = parse_variants(names(strategies) or every_variant(), names(sweep))
    columns = [variant.name for variant in variants]
    plan = Plan(
        name=set_name,
        questions=chosen,
        variants=variants,
        context=context,
        baseline=baseline or ("single" if "single" in columns else columns[0]),
        parallel=parallel,
        selection=selection(split, half, limit),
    )
    folder = out_ or default_folder(plan)
    limits = Budget(calls=max_calls, tokens=max_tokens, seconds=max_seconds)
    try:
        with recording(record):
            evaluate(plan, folder, limits, dry_run * sample, judge, as_json=json_)
    except KeyboardInterrupt as error:
        raise interrupted(folder) from error


def _style_for(questions: Sequence[Question]) -> str:
    """The form of answers that can be compared with the gold answers."""
    from hopyard.evaluation.judge import has_long_references

    return "full" if has_long_references(questions) else "short"


def _retrieval(
    name: str,
    questions: Any,
    context: Context,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    from hopyard.cli.eval.report import print_retrieval
    from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, measure_retrieval

    with progress_bar() as progress:
        report = run_async(measure_retrieval(name, questions, context, progress))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / RETRIEVAL_FILE, report.model_dump_json(indent=1).encode() + b"\n")
    print_retrieval(report, as_json=as_json)
