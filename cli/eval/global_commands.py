"""`hopyard eval-global`: questions about the whole corpus, answered and compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hopyard.cli.console import err, progress_bar
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
    StrategiesOption,
    interrupted,
    names,
    recording,
    selection,
)
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
from hopyard.evaluation.records import RecordFile
from hopyard.evaluation.variants import parse_variants
from hopyard.measures.questions import read_questions
from hopyard.state.errors import UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.evaluation.plan import Plan

__all__ = ("eval_global_command",)

PAPER: Final = 5
"""People, tasks of each, questions of each task, and repeats of GraphRAG's evaluation."""
CONDITIONS: Final = (
    "single+hybrid",
    "map-reduce",
    "global",
    *(f"global@global_search.level={level}@global_search.passages=0" for level in range(4)),
)
"""The conditions of GraphRAG's evaluation: SS, TS, and C0 to C3; and `global` as it is."""


def eval_global_command(
    questions: Annotated[
        Path, typer.Argument(help="Questions (.jsonl). A file that does not exist is written.")
    ],
    index: IndexOption = None,
    strategies: StrategiesOption = "",
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
    parallel: ParallelOption = PARALLEL,
    dry_run: DryRunOption = False,
    sample: SampleOption = SAMPLE,
    max_calls: MaxCallsOption = 0,
    max_tokens: MaxTokensOption = 0,
    max_seconds: MaxSecondsOption = 0,
    record: RecordOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Compare answers about the whole corpus. A second call continues a stopped run."""
    require("`hopyard eval-global`", "eval")
    from hopyard.evaluation.plan import Plan, default_folder

    given = {"index": index, "model": model, "embedding": embedding, "where": where}
    if not questions.exists():
        size = (personas, tasks, task_questions)
        writer = context_from(given | {"model": judge or model}, set_)
        with recording(record):
            write_global_questions(questions, writer, about, size)
    columns = names(strategies) or list(CONDITIONS)
    variants = parse_variants(columns, [])
    baselines = names(baseline)
    plan = Plan(
        name=name or questions.resolve().parent.name,
        questions=read_questions(questions, half=half, limit=limit),
        variants=variants,
        context=context_from(given | {"answer.style": "full", "answer.check": "rules"}, set_),
        baseline=baselines[0] if baselines else variants[0].name,
        parallel=parallel,
        selection=selection("", half, limit),
    )
    folder = out_ or default_folder(plan)
    limits = Budget(calls=max_calls, tokens=max_tokens, seconds=max_seconds)
    run = GlobalRun(folder, limits, dry_run * sample, judge, repeats, baselines)
    try:
        with recording(record):
            evaluate_globally(plan, run, as_json=json_)
    except KeyboardInterrupt as error:
        raise interrupted(folder) from error


@dataclass(frozen=True)
class GlobalRun:
    """How questions about the whole corpus are asked and judged.

    Attributes:
        folder: Of records and report.
        limits: Of the answers.
        sample: Questions that a dry run asks; 0 to ask all.
        judge: The judge's model; "" for none.
        repeats: How often each order of a pair is judged.
        baselines: Only pairs with one of these columns; empty for all pairs.
    """

    folder: Path
    limits: Budget
    sample: int
    judge: str
    repeats: int
    baselines: Sequence[str]


def evaluate_globally(plan: Plan, run: GlobalRun, *, as_json: bool) -> None:
    """Ask questions about the whole corpus, have the answers judged in pairs, and report.

    Raises:
        UsageError: A baseline is not evaluated.
    """
    from hopyard.cli.eval.global_report import print_global_report
    from hopyard.cli.eval.report import print_estimate
    from hopyard.evaluation.estimate import estimate
    from hopyard.evaluation.global_page import save_global_report
    from hopyard.evaluation.global_report import make_global_report
    from hopyard.evaluation.pairwise import judge_pairs, pairs_of, save_pairs
    from hopyard.evaluation.plan import check_plan, open_info
    from hopyard.evaluation.runner import run_plan

    names = [variant.name for variant in plan.variants]
    pairs = pairs_of(names, run.baselines)
    if unknown := [name for name in run.baselines if name not in names]:
        raise UsageError(
            f"The baseline {unknown[0]!r} is not among the strategies; add it to --strategies."
        )
    new = check_plan(plan)
    with RecordFile.open(run.folder) as records, progress_bar() as progress:
        info = open_info(run.folder, new)
        if run.sample:
            found = run_async(estimate(plan, info, records, sample=run.sample, progress=progress))
            calls = 2 * run.repeats * len(pairs) * len(plan.questions)
            print_estimate(found, as_json=as_json)
            err.print(f"The judge compares the answers in at most {counted(calls, 'call')}.")
            return
        outcome = run_async(run_plan(plan, info, records, limits=run.limits, progress=progress))
        judged: dict[str, Any] = {}
        if run.judge:
            judgements = run_async(
                judge_pairs(
                    plan,
                    info,
                    records.records,
                    run.judge,
                    pairs=pairs,
                    repeats=run.repeats,
                    progress=progress,
                )
            )
            save_pairs(judgements, run.folder)
            identity = plan.resources.caller(run.judge).provider.identity
            judged = {"judge": identity, "repeats": run.repeats, "judgements": judgements}
        report = make_global_report(plan, info, records.records, **judged)
        save_global_report(report, run.folder)
    print_global_report(report, run.folder, outcome, as_json=as_json)


def write_global_questions(
    path: Path, context: Context, about: str, size: tuple[int, int, int]
) -> None:
    """Write a file of questions about the whole corpus.

    Args:
        path: The file.
        context: The settings, with the model that writes the questions.
        about: What the corpus is about; "" to have it described from a sample.
        size: How many people, tasks of each, and questions of each task.
    """
    from hopyard.evaluation.global_questions import (
        Size,
        describe_corpus,
        save_questions,
        write_questions,
    )
    from hopyard.nodes.lifecycle import new_run_id
    from hopyard.nodes.resources import shared_resources
    from hopyard.nodes.run import Run

    run = Run(new_run_id(), context.model_copy(update={"budget": Budget()}), shared_resources())

    async def write() -> list[dict[str, Any]]:
        return await write_questions(run, about or await describe_corpus(run), Size(*size))

    lines = run_async(write())
    save_questions(lines, path)
    err.print(f"Wrote {counted(len(lines), 'question')} to {path}.", soft_wrap=True)
