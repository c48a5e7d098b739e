"""What a decision of the gate takes: loaded once, loaded for each question, and asking the model.

    OMP_NUM_THREADS=1 python benchmarks/gate.py --gate classifiers/gate --questions QUESTIONS.jsonl

One core for all three, one run. Fails where the median decision takes 15 ms or more of processor
time. Writes `benchmarks/results/gate.json`. Without --gate a network of the shipped size with
random weights is measured: its arithmetic is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time

from hopyard.classifiers.labels import Label
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.classifiers.train import TrainSettings, train_gate
from hopyard.measures.questions import read_questions
from hopyard.models.call import call_model
from hopyard.prompts.route import ROUTE
from hopyard.state.settings import Context, GateSettings

RESULTS = Path(__file__).parent / "results" / "gate.json"
LIMIT_MS = 15.0
"""A decision on one core, at most."""


def main() -> int:
    """Measure, and fail where a decision takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gate", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--model", default="embedded", help="asked instead; empty asks none")
    options = parser.parse_args()
    os.environ["HOPYARD_EMBEDDED_THREADS"] = "1"
    _one_thread()
    questions = [one.question for one in read_questions(options.questions, limit=options.limit)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOPYARD_HOME"] = folder
        gate = options.gate or _random_gate(Path(folder) / "gate", questions)
        result = _measured(gate, questions, options.model)
    result["gate"] = "shipped size, random weights" if options.gate is None else options.gate.name
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
    return int(result["loaded_once"]["cpu_ms"] >= LIMIT_MS)


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _random_gate(folder: Path, questions: Sequence[str]) -> Path:
    labels = [
        Label(
            id=str(number),
            question=question,
            answers=("a",),
            model="none",
            value="none",
            k=5,
            rule="contribution",
            label=1 if number % 2 else 0,
        )
        for number, question in enumerate(questions)
    ]
    settings = TrainSettings(epochs=1)
    train_gate(labels, settings, folder, texts=questions, progress=lambda *_: None)
    return folder


def _measured(folder: Path, questions: Sequence[str], model: str) -> dict[str, dict[str, float]]:
    gate, settings = RetrievalGate.load(folder), GateSettings()
    gate.decide(questions[0], settings)
    result = {"loaded_once": _timed(lambda one: gate.decide(one, settings), questions)}
    few = questions[:10]
    result["loaded_each_time"] = _timed(
        lambda one: RetrievalGate.load(folder).decide(one, settings), few
    )
    if model:
        context = Context(model=model)

        def ask(question: str) -> object:
            call = call_model(ROUTE, {"question": question}, context=context, run="benchmark")
            return asyncio.run(call)

        ask("Is the model loaded?")
        result["model_call"] = _timed(ask, few)
    once = result["loaded_once"]["wall_ms"]
    for name in ("loaded_each_time", "model_call"):
        if name in result:
            result[name]["times_as_long"] = round(result[name]["wall_ms"] / once, 1)
    return result


def _timed(work: Callable[[str], object], questions: Sequence[str]) -> dict[str, float]:
    """Median milliseconds of one question: on the wall, and of this process's processor time."""
    wall, cpu = [], []
    for one in questions:
        started, used = perf_counter(), process_time()
        work(one)
        wall.append(1000 * (perf_counter() - started))
        cpu.append(1000 * (process_time() - used))
    return {
        "questions": len(wall),
        "wall_ms": round(statistics.median(wall), 2),
        "cpu_ms": round(statistics.median(cpu), 2),
        "cpu_ms_largest": round(max(cpu), 2),
    }


if __name__ == "__main__":
    sys.exit(main())
