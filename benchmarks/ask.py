"""What a question costs, and what running branches side by side gains.

    python benchmarks/ask.py

Builds an index of the sample corpus, asks some of its questions with `single` and `tree` and the
built-in model, and runs one tree with a model that takes a fixed time for each answer, its calls
one after another and side by side. Seconds of the built-in models are processor time of one
thread, so that other work on the machine does not count. Writes `benchmarks/results/ask.json` and,
from it, three sections of `docs/performance.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from performance_page import write_section

from hopyard.agent.session import Session, open_session
from hopyard.indexes.building.build import build
from hopyard.indexes.documents.loaders import load
from hopyard.models.embeddings import embedder
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.testing.models import Reply, ScriptedChat

ROOT: Final = Path(__file__).resolve().parents[1]
SAMPLE: Final = ROOT / "examples" / "solar_system"
RESULTS: Final = ROOT / "benchmarks" / "results" / "ask.json"
STRATEGIES: Final = ("single", "tree")
DELAY: Final = 0.25
"""Seconds that the slow model takes for an answer."""
DEPTH: Final = 3
PLACES: Final = (1, 16)
"""Calls of the slow model at once."""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=SAMPLE / "corpus.jsonl")
    parser.add_argument("--questions", type=Path, default=SAMPLE / "questions.jsonl")
    parser.add_argument("--every", type=int, default=3, help="3 asks every third question")
    options = parser.parse_args()
    os.environ["HOPYARD_BUILTIN_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOPYARD_HOME"] = folder
        result = asyncio.run(_measure(options, Path(folder) / "index"))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    _write_page(result)


async def _measure(options: argparse.Namespace, index: Path) -> dict[str, Any]:
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["supporting_ids"]]
    questions = [row["question"] for row in rows[:: options.every]]
    result: dict[str, Any] = {"build": await _build(options.corpus, index), "strategies": {}}
    context = Context(index=str(index))
    with Resources() as resources:
        async with open_session(resources) as session:
            await _ask(session, "Is everything loaded?", context, "single")
            for seed, strategy in enumerate(STRATEGIES):
                # A seed each: otherwise the ledger would answer what another strategy has asked.
                chosen = context.model_copy(update={"seed": seed})
                result["strategies"][strategy] = [
                    await _ask(session, question, chosen, strategy) for question in questions
                ]
            result["side_by_side"] = await _side_by_side(session, context, questions[0])
    return result


async def _build(corpus: Path, index: Path) -> dict[str, Any]:
    model = embedder("builtin")
    model.embed_query("loaded before the clock is read")
    started = process_time()
    report = await build(load([corpus]).documents, directory=index, embedder=model)
    return {"passages": report.passages, "seconds": round(process_time() - started, 2)}


async def _ask(session: Session, question: str, context: Context, strategy: str) -> dict[str, Any]:
    """Ask on a thread of its own."""
    started, used = perf_counter(), process_time()
    chosen = context.model_copy(update={"strategy": strategy})
    thread = f"{context.model}-{strategy}-{question}"
    async for _ in session.ask(question, chosen, thread):
        pass
    passed, used = perf_counter() - started, process_time() - used
    result = await session.result(thread)
    ledger = session.resources.ledger
    calling = sum(rate.seconds for rate in ledger.parse_rates(result["run"]))
    return {
        "question": question,
        "seconds": round(used, 2),
        "passed": round(passed, 2),
        "outside_calls": round(1 - calling / passed, 4),
        "usage": result["usage"],
        "checkpoint_bytes": (await session.summary(thread)).size,
    }


class SlowChat(ScriptedChat):
    """Takes the same time for every answer."""

    def with_structured_output(
        self, schema: Mapping[str, Any], **options: Any
    ) -> Runnable[Any, AIMessage]:
        """The scripted answer, late."""
        scripted = super().with_structured_output(schema, **options)

        async def answer(messages: list[BaseMessage]) -> AIMessage:
            await asyncio.sleep(DELAY)
            message: AIMessage = await scripted.ainvoke(messages)
            return message

        return RunnableLambda(answer)


def _reply(name: str, messages: list[dict[str, Any]]) -> Reply:
    """Splits questions down to a depth, and approves of everything."""
    question = str(messages[-1]["content"]).removeprefix("Question: ")
    if name == "Decomposition" and question.count("part") < DEPTH:
        parts = {place: f"What is part {place} of {question}" for place in ("first", "second")}
        return {"kind": "compound", **parts}
    rubric = ("wh_form", "specific", "relevant", "non_overlapping", "complete")
    scores = ("sufficiency", "non_redundancy", "consistency", "decomposition")
    replies: dict[str, Reply] = {
        "Decomposition": {"kind": "simple", "first": "", "second": ""},
        "Rubric": dict.fromkeys(rubric, 1),
        "BranchScores": {**dict.fromkeys(scores, 5), "weaker": "first"},
    }
    return replies.get(name, {"answer": "as it is written"})


async def _side_by_side(session: Session, context: Context, question: str) -> dict[str, Any]:
    rows = {}
    for places in PLACES:
        name = f"slow-{places}"
        SlowChat(_reply).register(name, concurrency=places)
        chosen = context.model_copy(update={"model": name, "profile": "builtin"})
        rows[places] = await _ask(session, question, chosen, "tree")
    calls = {row["usage"]["model_calls"] for row in rows.values()}
    return {"calls": calls.pop(), "seconds": [row["passed"] for row in rows.values()]}


def _write_page(result: Mapping[str, Any]) -> None:
    built, side = result["build"], result["side_by_side"]
    alone, together = side["seconds"]
    rows = [_row(name, asked) for name, asked in result["strategies"].items()]
    write_section(
        "Building the index",
        [f"The sample corpus, {built['passages']} passages: **{built['seconds']:.1f} s**."],
    )
    write_section(
        "Answering",
        [
            "The built-in model, loaded, over the sample corpus. Medians, with the largest value",
            "in brackets.",
            "",
            "| strategy | questions | seconds | model calls | tokens in | tokens out "
            "| time outside model calls | checkpoints, kB |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
            *rows,
        ],
    )
    write_section(
        "Branches side by side",
        [
            f"A tree of depth {DEPTH}, {side['calls']} calls of a model that",
            f"takes {DELAY} s for each: **{alone:.1f} s** one after another,",
            f"**{together:.1f} s** with {PLACES[-1]} at once, "
            f"{alone / together:.1f} times as fast.",
            "The built-in model shares the machine's cores and gains nothing from this; a model",
            "behind a server does.",
        ],
    )


def _row(name: str, asked: list[dict[str, Any]]) -> str:
    def cell(values: Iterable[float], digits: int = 0) -> str:
        known = list(values)
        return f"{median(known):,.{digits}f} ({max(known):,.{digits}f})"

    usage = [row["usage"] for row in asked]
    cells = [
        f"`{name}`",
        str(len(asked)),
        cell((row["seconds"] for row in asked), 1),
        *(cell(u[key] for u in usage) for key in ("model_calls", "input_tokens", "output_tokens")),
        f"{mean(row['outside_calls'] for row in asked):.1%}",
        cell(row["checkpoint_bytes"] / 1000 for row in asked),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
