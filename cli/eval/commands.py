"""`hopyard eval`: strategies beside each other on the same questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    LimitOption,
    ModelOption,
    RecordOption,
    SetOption,
    SplitOption,
    WhereOption,
    context_from,
)
from hopyard.evaluation.variants import every_variant, parse_variants, sweep_names
from hopyard.measures.questions import Half, Question, read_questions
from hopyard.state.errors import StoppedByUserError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget, Context

if TYPE_CHECKING:
    from hopyard.evaluation.plan import Plan, RunInfo
    from hopyard.evaluation.records import Record
    from hopyard.evaluation.runner import Outcome
    from hopyard.indexes.kind import Progress

T = TypeVar("T")

StrategiesOption = Annotated[
    str,
    typer.Option("--strategies", "-s", help="Columns: tree,tree+mmr,tree@tree.theta=0.6."),
]
SweepOption = Annotated[str, typer.Option(help=f"Add columns: {', '.join(sweep_names())}.")]
HalfOption = Annotated[Half | None, typer.Option(help="Only this half of the questions.")]
NameOption = Annotated[str, typer.Option(help="Name of the question set.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder for records and report.")]
_LIMIT: Final[dict[str, Any]] = {"metavar": "N", "min": 0, "show_default": False}
MaxCallsOption = Annotated[int, typer.Option(help="Model calls of this run at most.", **_LIMIT)]
MaxTokensOption = Annotated[int, typer.Option(help="Tokens of this run at most.", **_LIMIT)]
MaxSecondsOption = Annotated[float, typer.Option(help="Seconds of this run at most.", **_LIMIT)]


def eval_command(
    questions: Annotated[
        Path,
        typer.Argument(help="Questions (.jsonl): id, question, answers, supporting_ids."),
    ],
    index: IndexOption = None,
    strategies: StrategiesOption = "",
    sweep: SweepOption = "",
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
    from hopyard.cli.eval.report import print_report
    from hopyard.evaluation.judge import judge_records, save_judgements
    from hopyard.evaluation.plan import Plan, default_folder
    from hopyard.evaluation.report import Report, make_report, save_report

    given = {"index": index, "model": model, "embedding": embedding, "where": where}
    chosen = read_questions(questions, split=split, half=half, limit=limit)
    # Recordings replay: the rules ask nothing, whatever was recorded.
    forms = {"answer.style": style or _style_for(chosen), "answer.check": "rules"}
    context = context_from(given | forms, set_)
    set_name = name or questions.resolve().parent.name
    if retrieval_only:
        _retrieval(set_name, chosen, context, out_, as_json=json_)
        return
    variants = parse_variants(names_in(strategies), names_in(sweep))
    variants = variants or parse_variants(every_variant())
    columns = [variant.name for variant in variants]
    plan = Plan(
        name=set_name,
        questions=chosen,
        variants=variants,
        context=context,
        baseline=baseline or ("single" if "single" in columns else columns[0]),
        selection=selection_of(split, half, limit),
    )
    folder = out_ or default_folder(plan)

    def report(info: RunInfo, records: Sequence[Record], progress: Progress) -> Report:
        if not judge:
            return make_report(plan, info, records)
        found = run_async(judge_records(plan, info, records, judge, progress=progress))
        save_judgements(found, folder)
        return make_report(plan, info, records, judge=identity_of(plan, judge), judgements=found)

    limits = Budget(calls=max_calls, tokens=max_tokens, seconds=max_seconds)
    found, outcome = answer_plan(plan, folder, limits, record, report)
    save_report(found, folder)
    print_report(found, folder, outcome, as_json=json_)


def answer_plan(
    plan: Plan,
    folder: Path,
    limits: Budget,
    record: Path | None,
    report: Callable[[RunInfo, Sequence[Record], Progress], T],
) -> tuple[T, Outcome]:
    """Ask every question that has no record yet, then report from all records."""
    from hopyard.evaluation.plan import check_plan, open_info
    from hopyard.evaluation.records import RecordFile
    from hopyard.evaluation.runner import run_plan

    new = check_plan(plan)
    try:
        with recording_in(record), RecordFile.open(folder) as file, progress_bar() as progress:
            info = open_info(folder, new)
            outcome = run_async(run_plan(plan, info, file, limits=limits, progress=progress))
            return report(info, file.rows, progress), outcome
    except KeyboardInterrupt as error:
        raise StoppedByUserError(
            f"Interrupted. The answers so far are in {folder}. The same command continues."
        ) from error


def names_in(text: str) -> list[str]:
    """The names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def recording_in(folder: Path | None) -> AbstractContextManager[None]:
    """Record model calls in a folder, if one is given."""
    from hopyard.nodes.resources import shared_resources

    return shared_resources().recording(folder) if folder else nullcontext()


def selection_of(split: str, half: Half | None, limit: int) -> str:
    """Which questions of the set are asked, as part of a sentence."""
    parts = [
        f"split {split}" if split else "",
        f"{half} half" if half else "",
        f"the first {limit}" if limit else "",
    ]
    return ", ".join(part for part in parts if part)


def identity_of(plan: Plan, model: str) -> str:
    """A model as records name it."""
    return plan.resources.caller(model).provider.identity


def _style_for(questions: Sequence[Question]) -> str:
    """The form of answers that can be compared with the gold answers."""
    from hopyard.evaluation.judge import has_long_references

    return "full" if has_long_references(questions) else "short"


def _retrieval(
    name: str, questions: Sequence[Question], context: Context, out: Path | None, *, as_json: bool
) -> None:
    from hopyard.cli.eval.report import print_retrieval
    from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, measure_retrieval
    from hopyard.state.storage.lines import write_model

    with progress_bar() as progress:
        report = run_async(measure_retrieval(name, questions, context, progress))
    if out is not None:
        write_model(out / RETRIEVAL_FILE, report)
    print_retrieval(report, as_json=as_json)
