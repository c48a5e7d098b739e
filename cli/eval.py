"""`hopyard eval`: strategies beside each other on questions with gold answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.eval_run import GlobalRun, evaluate, evaluate_globally, write_global_questions
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
from hopyard.measures.questions import Half, Question, read_questions
from hopyard.state.atomic import write_file
from hopyard.state.errors import StoppedByUserError
from hopyard.state.extras import require
from hopyard.state.settings import Budget, Context

__all__ = ("eval_command",)

PARALLEL: Final = 16
"""Questions at once. The built-in model answers one call at a time, but calls of one prompt that
wait together follow one another, and share the prompt's beginning."""
SAMPLE: Final = 3
"""Questions that `--dry-run` asks to learn what one costs."""


PAPER: Final = 5
"""People, tasks of each, questions of each task, and repeats of GraphRAG's evaluation."""
GLOBAL: Final = (
    "single+hybrid",
    "map-reduce",
    "global",
    *(f"global@global_search.level={level}@global_search.passages=0" for level in range(4)),
)
"""The conditions of GraphRAG's evaluation: SS, TS, and C0 to C3; and `global` as it is."""


class _Style(StrEnum):
    """`--style`."""

    SHORT = "short"
    SENTENCE = "sentence"
    FULL = "full"
    AUTO = "auto"


class _Half(StrEnum):
    """`--half`: typer reads an Enum as a choice."""

    FIRST = "first"
    SECOND = "second"


def eval_command(
    questions: Annotated[
        Path,
        typer.Argument(
            help="Questions (.jsonl): id, question, answers, supporting_ids. With --global, a file "
            "that does not exist is written."
        ),
    ],
    index: IndexOption = None,
    strategies: Annotated[
        str,
        typer.Option(
            "--strategies",
            "-s",
            show_default=",".join(every_variant()),
            help="Comma-separated columns: a strategy, optionally with a search method "
            "(tree+passage-graph) or a changed setting (tree@tree.theta=0.6).",
        ),
    ] = "",
    sweep: Annotated[
        str,
        typer.Option(help=f"Comma-separated: {', '.join(sweep_names())}; added to --strategies."),
    ] = "",
    split: Annotated[str, typer.Option(help="Only questions of this split.")] = "",
    half: Annotated[
        _Half | None,
        typer.Option(
            help="Only this half of the questions, divided by a hash of their ids. Choose "
            "settings on one half and report on the other."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=0, help="Only the first N of these questions; 0 means all.")
    ] = 0,
    name: Annotated[
        str, typer.Option(help="Name of the question set (default: its folder's name).")
    ] = "",
    out_: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for records and report (default: in the data folder)."),
    ] = None,
    baseline: Annotated[
        str,
        typer.Option(
            help="Column that the others are compared with (default: single, or the first). With "
            "--global, several are possible, and the default is all pairs."
        ),
    ] = "",
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    style: Annotated[
        _Style | None,
        typer.Option(
            help="Form of the answers (default: short, or full if the gold answers are sentences)."
        ),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            help="Chat model that judges whether answers are equivalent to the gold answer. "
            "Answers in sentences are also judged for support by their citations and coverage of "
            "the gold answer."
        ),
    ] = "",
    whole_corpus: Annotated[
        bool,
        typer.Option(
            "--global",
            help="Questions about the whole corpus, without gold answers: write them, ask them, "
            "and let the judge compare the answers in pairs.",
        ),
    ] = False,
    about: Annotated[
        str,
        typer.Option(
            help="Description of the corpus, for writing questions (default: the model describes "
            "a sample)."
        ),
    ] = "",
    personas: Annotated[
        int, typer.Option(min=1, help="People to write questions for, with --global.")
    ] = PAPER,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks of each person.")] = PAPER,
    task_questions: Annotated[
        int, typer.Option("--questions", min=1, help="Questions of each task.")
    ] = PAPER,
    repeats: Annotated[
        int, typer.Option(min=1, help="How often the judge compares a pair in each order.")
    ] = PAPER,
    gate: Annotated[str | None, typer.Option(help="The gate of `auto`.")] = None,
    route: Annotated[str | None, typer.Option(help="The route of `auto`.")] = None,
    where: WhereOption = None,
    parallel: Annotated[int, typer.Option(min=1, help="Questions to run in parallel.")] = PARALLEL,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Estimate the cost in calls, tokens and time. This asks a sample of the "
            "questions and keeps their answers.",
        ),
    ] = False,
    sample: Annotated[int, typer.Option(min=1, help="Questions asked by --dry-run.")] = SAMPLE,
    max_calls: Annotated[int, typer.Option(min=0, help="Maximum model calls of this run.")] = 0,
    max_tokens: Annotated[int, typer.Option(min=0, help="Maximum tokens of this run.")] = 0,
    max_seconds: Annotated[float, typer.Option(min=0, help="Maximum seconds of this run.")] = 0,
    record: RecordOption = None,
    retrieval_only: Annotated[
        bool,
        typer.Option("--retrieval-only", help="Measure every search method, without a chat model."),
    ] = False,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Compare strategies on questions with gold answers. A second call continues a stopped run."""
    require("`hopyard eval`", "eval")
    from hopyard.evaluation.plan import Plan, default_folder

    part: Half | None = None if half is None else "first" if half is _Half.FIRST else "second"
    given = {
        "index": index,
        "model": model,
        "embedding": embedding,
        "gate": gate,
        "route": route,
        "where": where,
    }
    if whole_corpus and not questions.exists():
        size = (personas, tasks, task_questions)
        writer = context_from(given | {"model": judge or model}, set_)
        with _recording(record):
            write_global_questions(questions, writer, about, size)
    chosen = read_questions(questions, split=split, half=part, limit=limit)
    form = style.value if style else "full" if whole_corpus else _style_for(chosen)
    context = context_from(given | {"answer.style": form}, set_)
    set_name = name or questions.resolve().parent.name
    if retrieval_only:
        _retrieval(set_name, chosen, context, out_, as_json=json_)
        return
    columns = _names(strategies) or (list(GLOBAL) if whole_corpus else every_variant())
    variants = parse_variants(columns, _names(sweep))
    names = [variant.name for variant in variants]
    default = "single" if "single" in names else names[0]
    baselines = _names(baseline)
    plan = Plan(
        name=set_name,
        questions=chosen,
        variants=variants,
        context=context,
        baseline=baselines[0] if baselines else default,
        parallel=parallel,
        selection=_selection(split, part, limit),
    )
    folder = out_ or default_folder(plan)
    limits = Budget(calls=max_calls, tokens=max_tokens, seconds=max_seconds)
    try:
        with _recording(record):
            if whole_corpus:
                run = GlobalRun(folder, limits, dry_run * sample, judge, repeats, baselines)
                evaluate_globally(plan, run, as_json=json_)
            else:
                evaluate(plan, folder, limits, dry_run * sample, judge, as_json=json_)
    except KeyboardInterrupt as error:
        raise StoppedByUserError(
            f"Interrupted. The answers so far are in {folder}. The same command continues."
        ) from error


def _recording(folder: Path | None) -> AbstractContextManager[None]:
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


def _style_for(questions: Sequence[Question]) -> str:
    """The form of answers that can be compared with the gold answers."""
    from hopyard.evaluation.judge import has_long_references

    return "full" if has_long_references(questions) else "short"


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _retrieval(
    name: str,
    questions: Any,
    context: Context,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    from hopyard.cli.eval_report import print_retrieval
    from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, measure_retrieval

    with progress_bar() as progress:
        report = run_async(measure_retrieval(name, questions, context, progress))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / RETRIEVAL_FILE, report.model_dump_json(indent=1).encode() + b"\n")
    print_retrieval(report, as_json=as_json)
