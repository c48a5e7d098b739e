"""What a question costs, by stage, and what running branches side by side gains.

    python benchmarks/ask.py --corpus CORPUS.jsonl --questions QUESTIONS.jsonl --limit 10

Three measurements in one run: building the index; `single` and `tree` on real questions with the
embedded model; and the same tree with a model that takes a fixed time an answer, its calls side by
side against one after another. Writes `benchmarks/results/ask.json`; `docs/performance.md` is made
from it by `python benchmarks/ask.py --report`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from hopyard.agent.session import Session, open_session
from hopyard.indexes.build import build
from hopyard.indexes.loaders import load
from hopyard.models.call import model_caller
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.embeddings import embedder
from hopyard.models.prompt import Output
from hopyard.prompts.answer import Answer
from hopyard.prompts.decompose import Decomposition
from hopyard.prompts.judge import BranchScores, Rubric
from hopyard.state.settings import Context, read_context

RESULTS = Path(__file__).parent / "results" / "ask.json"
REPORT = Path(__file__).parent.parent / "docs" / "performance.md"
DELAY = 0.25
"""Seconds that the fixed-time model takes for an answer."""
DEPTH = 3


def main() -> None:
    """Measure, or write the report from the last measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--report", action="store_true", help="only write docs/performance.md")
    options = parser.parse_args()
    if not options.report:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOPYARD_HOME"] = folder
            result = asyncio.run(_measure(options, Path(folder) / "index"))
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    REPORT.write_text(_report(json.loads(RESULTS.read_text())))


async def _measure(options: argparse.Namespace, index: Path) -> dict[str, Any]:
    lines = options.questions.read_text().splitlines()
    questions = [row["question"] for row in map(json.loads, lines) if row["split"] == "dev"]
    questions = questions[: options.limit]
    result: dict[str, Any] = {
        "command": " ".join(["python", "benchmarks/ask.py", *(_shown(a) for a in sys.argv[1:])]),
        "cores": len(os.sched_getaffinity(0)),
        "build": _build(options.corpus, index),
        "strategies": {},
    }
    context = read_context({"index": str(index)})
    async with open_session() as session:
        await _warm(session, context)
        for seed, strategy in enumerate(("single", "tree")):
            # A seed each: the ledger would give one the calls that the other has paid for.
            chosen = context.model_copy(update={"strategy": strategy, "seed": seed})
            result["strategies"][strategy] = await _ask_all(session, chosen, questions)
        result["side_by_side"] = await _side_by_side(session, context, questions[0])
    return result


def _shown(argument: str) -> str:
    path = Path(argument)
    return "/".join(path.parts[-2:]) if path.exists() else argument


def _build(corpus: Path, index: Path) -> dict[str, Any]:
    model = embedder("embedded")
    started = perf_counter()
    model.embed_query("loaded before the clock is read")
    loading = perf_counter() - started
    report = build(load([corpus]).documents, directory=index, embedder=model)
    again = build(load([corpus]).documents, directory=index, embedder=model)
    return {
        "documents": report.added,
        "passages": report.passages,
        "seconds": round(report.seconds, 2),
        "again_seconds": round(again.seconds, 2),
        "loading_seconds": round(loading, 2),
    }


async def _warm(session: Session, context: Context) -> None:
    """Load both models and the index, outside of every measurement."""
    warm = context.model_copy(update={"strategy": "single"})
    async for _ in session.ask("Is everything loaded?", warm):
        pass


async def _ask_all(session: Session, context: Context, questions: Iterable[str]) -> dict[str, Any]:
    rows = []
    for number, question in enumerate(questions):
        thread = f"{context.strategy}-{number}"
        started = perf_counter()
        async for _ in session.ask(question, context, thread):
            pass
        seconds = perf_counter() - started
        result = await session.result(thread)
        summary = await session.summary(thread)
        failed = [step for step in result["steps"] if step.get("verdict") in {"failed", "fallback"}]
        rows.append(
            {
                "question": question,
                "answer": result["answer"],
                "seconds": round(seconds, 3),
                "usage": result["usage"],
                "stages": _stages(result["run"]),
                "checkpoint_bytes": summary.size,
                "failures": [step["reason"] for step in failed],
            }
        )
        print(f"{context.strategy} {seconds:5.1f} s  {question[:70]}", file=sys.stderr)
    return {"questions": rows}


def _stages(run: str) -> dict[str, dict[str, float]]:
    """Calls and seconds of each prompt in one run, from the ledger."""
    ledger = model_caller("embedded").ledger
    return {
        rate.prompt: {"calls": rate.calls, "seconds": round(rate.seconds, 3)}
        for rate in ledger.parse_rates(run)
    }


class FixedTimeModel(BaseChatModel):
    """Takes the same time for every answer; splits questions down to a depth."""

    @property
    def _llm_type(self) -> str:
        return "fixed-time"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise AssertionError("every call is asynchronous")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await asyncio.sleep(DELAY)
        text = _scripted(messages).model_dump_json()
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def _scripted(messages: list[BaseMessage]) -> Output:
    system, asked = str(messages[0].content), str(messages[-1].content)
    if system.startswith("Split a compound question"):
        question = asked.removeprefix("Question: ")
        if question.count("part") >= DEPTH:
            return Decomposition(kind="simple")
        return Decomposition(
            kind="compound",
            first=f"What is part one of {question}",
            second=f"What is part two of {question}",
        )
    if system.startswith("Judge whether"):
        return Rubric(wh_form=1, specific=1, relevant=1, non_overlapping=1, complete=1)
    if system.startswith("Two sub-questions"):
        return BranchScores(
            sufficiency=5, non_redundancy=5, consistency=5, decomposition=5, weaker="first"
        )
    return Answer(answer="as it is written")


async def _side_by_side(session: Session, context: Context, question: str) -> dict[str, Any]:
    seconds = {}
    for name, places in (("one after another", 1), ("side by side", 16)):
        spec = f"fixed-time-{places}"
        register_chat_provider(
            spec,
            ChatProvider(
                identity=spec,
                connect=lambda _: FixedTimeModel(),
                concurrency=places,
                keep_prefixes=False,
                cure="",
            ),
        )
        chosen = context.model_copy(update={"strategy": "tree", "model": spec})
        started = perf_counter()
        async for _ in session.ask(question, chosen, spec):
            pass
        seconds[name] = round(perf_counter() - started, 3)
    calls = (await session.result("fixed-time-16"))["usage"]["model_calls"]
    return {"delay": DELAY, "model_calls": calls, "depth": DEPTH, "seconds": seconds}


def _report(result: dict[str, Any]) -> str:
    built, side = result["build"], result["side_by_side"]
    one, many = side["seconds"]["one after another"], side["seconds"]["side by side"]
    lines = [
        "# Performance",
        "",
        f"Measured on {result['cores']} cores without an accelerator, with the embedded models, by",
        "",
        f"    {result['command']}",
        "",
        "and written by `python benchmarks/ask.py --report` from `benchmarks/results/ask.json`.",
        "",
        "## Building the index",
        "",
        f"{built['documents']:,} documents, {built['passages']:,} passages: "
        f"**{built['seconds']:.1f} s**, and {built['again_seconds']:.1f} s when nothing has "
        f"changed. Loading the embedding model once took {built['loading_seconds']:.1f} s.",
        "",
        "## Answering, models loaded",
        "",
        "| strategy | questions | seconds: median | largest | model calls: median | largest "
        "| tokens in, median | out | outside model calls | checkpoint kB: median | largest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, measured in result["strategies"].items():
        lines.append(_strategy_row(name, measured["questions"]))
    lines += ["", "Seconds and model calls by stage, a question on average:", ""]
    lines += ["| strategy | stage | model calls | seconds |", "|---|---|---|---|"]
    for name, measured in result["strategies"].items():
        lines += _stage_rows(name, measured["questions"])
    failures = [
        failure
        for measured in result["strategies"].values()
        for row in measured["questions"]
        for failure in row["failures"]
    ]
    lines += [
        "",
        f"Typed failures that ended in a recorded fallback: {len(failures)}."
        + "".join(f"\n- {failure}" for failure in failures),
        "",
        "## Branches side by side",
        "",
        f"A tree of depth {side['depth']} with {side['model_calls']} model calls, against a model "
        f"that takes {side['delay']:.2f} s for each: **{one:.2f} s** one after another, "
        f"**{many:.2f} s** side by side: {one / many:.1f} times as fast. The embedded model has "
        "two cores to share and gains nothing from it; a hosted model does.",
        "",
    ]
    return "\n".join(lines)


def _strategy_row(name: str, rows: list[dict[str, Any]]) -> str:
    def middle(values: Iterable[float]) -> float:
        return statistics.median(values)

    calls = [row["usage"]["model_calls"] for row in rows]
    seconds = [row["seconds"] for row in rows]
    inside = sum(stage["seconds"] for row in rows for stage in row["stages"].values())
    outside = 1 - inside / sum(seconds)
    size = [row["checkpoint_bytes"] / 1000 for row in rows]
    return (
        f"| {name} | {len(rows)} | {middle(seconds):.1f} | {max(seconds):.1f} "
        f"| {middle(calls):.0f} | {max(calls)} "
        f"| {middle(row['usage']['input_tokens'] for row in rows):,.0f} "
        f"| {middle(row['usage']['output_tokens'] for row in rows):,.0f} "
        f"| {outside:.1%} | {middle(size):.0f} | {max(size):.0f} |"
    )


def _stage_rows(name: str, rows: list[dict[str, Any]]) -> list[str]:
    stages: dict[str, list[float]] = {}
    for row in rows:
        for stage, spent in row["stages"].items():
            total = stages.setdefault(stage, [0, 0])
            total[0] += spent["calls"]
            total[1] += spent["seconds"]
    return [
        f"| {name} | {stage} | {calls / len(rows):.1f} | {seconds / len(rows):.2f} |"
        for stage, (calls, seconds) in stages.items()
    ]


if __name__ == "__main__":
    main()
