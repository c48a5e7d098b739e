"""`hopyard eval` and `hopyard eval-global`: strategies beside each other on the same questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import typer

from hopyard.cli.console import err, progress_bar
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
from hopyard.evaluation.variants import Variant, every_variant, parse_variants, sweep_names
from hopyard.measures.questions import Half, Question, read_questions
from hopyard.state.errors import StoppedByUserError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.evaluation.plan import Plan, RunInfo
    from hopyard.evaluation.records import Record
    from hopyard.evaluation.runner import Outcome
    from hopyard.indexes.kind import Progress

__all__ = ("eval_command", "eval_global_command")

T = TypeVar("T")

PAPER: Final = 5
"""Personas, tasks, questions and repeats of GraphRAG's evaluation: 5, 5, 5 and 5."""

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
    from hopyard.evaluation.page import save_report
    from hopyard.evaluation.plan import Plan, default_folder
    from hopyard.evaluation.report import Report, make_report

    given = {"index": index, "model": model, "embedding": embedding, "where": where}
    chosen = read_questions(questions, split=split, half=half, limit=limit)
    # Recordings replay: the rules ask nothing, whatever was recorded.
    forms = {"answer.style": style or _style_for(chosen), "answer.check": "rules"}
    context = context_from(given | forms, set_)
    set_name = name or questions.resolve().parent.name
    if retrieval_only:
        _retrieval(set_name, chosen, context, out_, as_json=json_)
        return
    variants = _columns(strategies, sweep) or parse_variants(every_variant())
    columns = [variant.name for variant in variants]
    plan = Plan(
        name=set_name,
        questions=chosen,
        variants=variants,
        context=context,
        baseline=baseline or ("single" if "single" in columns else columns[0]),
        selection=_selection(split, half, limit),
    )
    folder = out_ or default_folder(plan)

    def report(info: RunInfo, records: Sequence[Record], progress: Progress) -> Report:
        if not judge:
            return make_report(plan, info, records)
        found = run_async(judge_records(plan, info, records, judge, progress=progress))
        save_judgements(found, folder)
        return make_report(plan, info, records, judge=_identity(plan, judge), judgements=found)

    limits = Budget(calls=max_calls, tokens=max_tokens, seconds=max_seconds)
    found, outcome = _answer(plan, folder, limits, record, report)
    save_report(found, folder)
    print_report(found, folder, outcome, as_json=json_)


def eval_global_command(
    questions: Annotated[
        Path, typer.Argument(help="Questions (.jsonl). A file that does not exist is written.")
    ],
    index: IndexOption = None,
    strategies: StrategiesOption = "",
    sweep: SweepOption = "",
    half: HalfOption = None,
    limit: LimitOption = 0,
    name: NameOption = "",
    out_: OutOption = None,
    baseline: Annotated[str, typer.Option(help="Only pairs with one of these columns.")] = "",
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    judge: Annotated[str, typer.Option(help="Chat model that compares the answers.")] = "",
    about: Annotated[str, typer.Option(help="The topic of the corpus, in a few sentences.")] = "",
    personas: Annotated[
        int, typer.Option(metavar="N", min=1, help="People to write questions for.")
    ] = PAPER,
    tasks: Annotated[int, typer.Option(metavar="N", min=1, help="Tasks of each person.")] = PAPER,
    task_questions: Annotated[
        int, typer.Option("--questions", metavar="N", min=1, help="Questions of each task.")
    ] = PAPER,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often a pair is judged in each order.")
    ] = PAPER,
    where: WhereOption = None,
    max_calls: MaxCallsOption = 0,
    max_tokens: MaxTokensOption = 0,
    record: RecordOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Compare answers about the whole corpus in pairs. A second call continues a stopped run."""
    require("`hopyard eval-global`", "eval")
    from hopyard.cli.eval.report import print_global_report
    from hopyard.evaluation.global_questions import write_question_file
    from hopyard.evaluation.global_report import (
        GlobalReport,
        make_global_report,
        save_global_report,
    )
    from hopyard.evaluation.pairwise import judge_pairs, pairs_of, save_pairs
    from hopyard.evaluation.plan import Plan, default_folder

    variants, baselines = _columns(strategies, sweep), _names(baseline)
    columns = [variant.name for variant in variants]
    if not columns:
        raise UsageError(
            "No column is named; name some with --strategies, as in single+hybrid,global, or with "
            "--sweep."
        )
    if unknown := [wanted for wanted in baselines if wanted not in columns]:
        raise UsageError(
            f"The baseline {unknown[0]!r} is not among the strategies; add it to --strategies."
        )
    given = {"index": index, "model": model, "embedding": embedding, "where": where}
    if not questions.exists():
        writer = context_from(given | {"model": judge or model}, set_)
        with _recording(record):
            counts = (personas, tasks, task_questions)
            written = run_async(write_question_file(questions, writer, about, *counts))
        err.print(f"Wrote {counted(written, 'question')} to {questions}.", soft_wrap=True)
    plan = Plan(
        name=name or questions.resolve().parent.name,
        questions=read_questions(questions, half=half, limit=limit),
        variants=variants,
        context=context_from(given | {"answer.style": "full", "answer.check": "rules"}, set_),
        baseline=baselines[0] if baselines else columns[0],
        selection=_selection("", half, limit),
    )
    folder = out_ or default_folder(plan)

    def report(info: RunInfo, records: Sequence[Record], progress: Progress) -> GlobalReport:
        if not judge:
            return make_global_report(plan, info, records)
        pairs = pairs_of(columns, baselines)
        judging = judge_pairs(
            plan, info, records, judge, pairs=pairs, repeats=repeats, progress=progress
        )
        found = run_async(judging)
        save_pairs(found, folder)
        return make_global_report(
            plan, info, records, judge=_identity(plan, judge), repeats=repeats, judgements=found
        )

    limits = Budget(calls=max_calls, tokens=max_tokens)
    found, outcome = _answer(plan, folder, limits, record, report)
    save_global_report(found, folder)
    print_global_report(found, folder, outcome, as_json=json_)


def _answer(
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
        with _recording(record), RecordFile.open(folder) as file, progress_bar() as progress:
            info = open_info(folder, new)
            outcome = run_async(run_plan(plan, info, file, limits=limits, progress=progress))
            return report(info, file.rows, progress), outcome
    except KeyboardInterrupt as error:
        raise StoppedByUserError(
            f"Interrupted. The answers so far are in {folder}. The same command continues."
        ) from error


def _columns(strategies: str, sweep: str) -> list[Variant]:
    return parse_variants(_names(strategies), _names(sweep))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _recording(folder: Path | None) -> AbstractContextManager[None]:
    """Record model calls in a folder, if one is given."""
    from hopyard.nodes.resources import shared_resources

    return shared_resources().recording(folder) if folder else nullcontext()


def _selection(split: str, half: Half | None, limit: int) -> str:
    """Which questions of the set are asked, as part of a sentence."""
    parts = [
        f"split {split}" if split else "",
        f"{half} half" if half else "",
        f"the first {limit}" if limit else "",
    ]
    return ", ".join(part for part in parts if part)


def _identity(plan: Plan, model: str) -> str:
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
