"""GraphRAG's evaluation: answers about a whole corpus, compared pair by pair.

python -m lab.global_eval QUESTIONS.jsonl --index DIR --strategies A,B --judge MODEL
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from hopyard.cli.app import run
from hopyard.cli.console import err
from hopyard.cli.eval.commands import (
    HalfOption,
    MaxCallsOption,
    MaxTokensOption,
    NameOption,
    OutOption,
    StrategiesOption,
    SweepOption,
    answer_plan,
    identity_of,
    names_in,
    recording_in,
    selection_of,
)
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    LimitOption,
    ModelOption,
    RecordOption,
    SetOption,
    WhereOption,
    context_from,
)
from hopyard.evaluation.plan import Plan, RunInfo, default_folder
from hopyard.evaluation.records import Record
from hopyard.evaluation.variants import parse_variants
from hopyard.indexes.kind import Progress
from hopyard.measures.questions import read_questions
from hopyard.state.errors import UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget
from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.counting import counted
from lab.global_eval import map_reduce
from lab.global_eval.output import print_global_report
from lab.global_eval.pairwise import judge_pairs, pairs_of, save_pairs
from lab.global_eval.questions import write_question_file
from lab.global_eval.report import GlobalReport, make_global_report, save_global_report

PAPER: Final = 5
"""Personas, tasks, questions and repeats of GraphRAG's evaluation: 5, 5, 5 and 5."""

app = typer.Typer(add_completion=False)


@app.command()
def compare(
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
    require("`python -m lab.global_eval`", "eval")
    STRATEGIES.register(map_reduce.STRATEGY)
    variants, baselines = parse_variants(names_in(strategies), names_in(sweep)), names_in(baseline)
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
        with recording_in(record):
            counts = (personas, tasks, task_questions)
            written = run_async(write_question_file(questions, writer, about, *counts))
        err.print(f"Wrote {counted(written, 'question')} to {questions}.", soft_wrap=True)
    plan = Plan(
        name=name or questions.resolve().parent.name,
        questions=read_questions(questions, half=half, limit=limit),
        variants=variants,
        context=context_from(given | {"answer.style": "full", "answer.check": "rules"}, set_),
        baseline=baselines[0] if baselines else columns[0],
        selection=selection_of("", half, limit),
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
            plan, info, records, judge=identity_of(plan, judge), repeats=repeats, judgements=found
        )

    limits = Budget(calls=max_calls, tokens=max_tokens)
    found, outcome = answer_plan(plan, folder, limits, record, report)
    save_global_report(found, folder)
    print_global_report(found, folder, outcome, as_json=json_)


if __name__ == "__main__":
    run(app)
