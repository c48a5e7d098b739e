"""What a decision of the gate takes: loaded once, loaded for each question, and asking the model.

    python benchmarks/gate.py

One thread for all three, one run. Fails where the median decision takes 15 ms or more of processor
time. Writes `benchmarks/results/gate.json`.
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
from time import process_time
from typing import Final

from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.graphs.registry import strategies
from hopyard.measures.questions import read_questions
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.route import route_prompt
from hopyard.state.settings import Context, GateSettings

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "gate.json"
LIMIT_MS: Final = 15.0
"""A decision on one core, at most."""
FEW: Final = 10
"""Questions of the two slow ways."""

Timing = dict[str, float]


def main() -> int:
    """Measure, and fail where a decision takes too long."""
    sample = ROOT / "examples" / "solar_system" / "questions.jsonl"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gate", type=Path, default=ROOT / "classifiers" / "gate")
    parser.add_argument("--questions", type=Path, default=sample)
    options = parser.parse_args()
    os.environ["HOPYARD_BUILTIN_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    questions = [row.question for row in read_questions(options.questions)]
    with tempfile.TemporaryDirectory() as folder, Resources(Path(folder)) as resources:
        result = _measure(options.gate, questions, Run("benchmark", Context(), resources))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return int(result["loaded_once"]["cpu_ms"] >= LIMIT_MS)


def _measure(folder: Path, questions: Sequence[str], run: Run) -> dict[str, Timing]:
    gate, settings = RetrievalGate.load(folder), GateSettings()
    prompt = route_prompt(
        {part.name: part.route for part in strategies() if part.route and not part.needs}
    )

    def load_and_decide(question: str) -> object:
        return RetrievalGate.load(folder).decide(question, settings)

    def ask_model(question: str) -> object:
        return asyncio.run(run.call(prompt, {"question": question}))

    gate.decide(questions[0], settings)
    ask_model("Is the model loaded?")
    result = {
        "loaded_once": _time(lambda question: gate.decide(question, settings), questions),
        "loaded_each_time": _time(load_and_decide, questions[:FEW]),
        "model_call": _time(ask_model, questions[:FEW]),
    }
    for timing in result.values():
        timing["times_as_long"] = round(timing["cpu_ms"] / result["loaded_once"]["cpu_ms"], 1)
    return result


def _time(work: Callable[[str], object], questions: Sequence[str]) -> Timing:
    """Median milliseconds of processor time of one question."""
    used = []
    for question in questions:
        started = process_time()
        work(question)
        used.append(1000 * (process_time() - started))
    return {
        "questions": len(used),
        "cpu_ms": round(statistics.median(used), 2),
        "cpu_ms_largest": round(max(used), 2),
    }


if __name__ == "__main__":
    sys.exit(main())
