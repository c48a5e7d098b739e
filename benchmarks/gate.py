"""What a decision of the gate takes, against loading it for each question and asking the model.

    python benchmarks/gate.py

A decision embeds the question, looks how near the sample corpus is, and scores both; a search that
follows needs the same embedding. One thread, one run. Fails where the median decision takes 15 ms
or more of processor time. Writes `benchmarks/results/gate.json`.
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

from hopyard.classifiers.retrieval_gate import RetrievalGate, gate_folder
from hopyard.cli.gate.agent import predictor
from hopyard.cli.main import main as hopyard
from hopyard.measures.questions import read_questions
from hopyard.models.names import BUILTIN_EMBEDDING
from hopyard.nodes.resources import Resources, shared_resources
from hopyard.nodes.run import Run
from hopyard.prompts.route import route_prompt
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import strategies

ROOT: Final = Path(__file__).resolve().parents[1]
SAMPLE: Final = ROOT / "examples" / "solar_system"
RESULTS: Final = ROOT / "benchmarks" / "results" / "gate.json"
LIMIT_MS: Final = 15.0
"""A decision on one core, at most."""
FEW: Final = 10
"""Questions of the two slow ways."""

Timing = dict[str, float]


def main() -> int:
    """Measure, and fail where a decision takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gate", default="capable")
    parser.add_argument("--questions", type=Path, default=SAMPLE / "questions.jsonl")
    options = parser.parse_args()
    os.environ["HOPYARD_BUILTIN_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    questions = [row.question for row in read_questions(options.questions)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOPYARD_HOME"] = folder
        index = f"{folder}/index"
        _build(index)
        with Resources(Path(folder)) as resources:
            result = _measure(options.gate, questions, index, Run("r", Context(), resources))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return int(result["decision"]["cpu_ms"] >= LIMIT_MS)


def _build(index: str) -> None:
    sys.argv = ["hopyard", "index", "build", str(SAMPLE / "corpus.jsonl"), "--out", index]
    try:
        hopyard()
    except SystemExit as ended:
        if ended.code:
            raise


def _measure(name: str, questions: Sequence[str], index: str, run: Run) -> dict[str, Timing]:
    resources, settings = shared_resources(), Context(index=index)
    decide = predictor(settings, resources.gate(name))
    prompt = route_prompt(
        {part.name: part.route for part in strategies() if part.route and not part.needs}
    )

    def embed(question: str) -> object:
        return resources.embed_question(question, BUILTIN_EMBEDDING)

    def load_and_decide(question: str) -> object:
        return RetrievalGate.load(gate_folder(name), resources.embed_question).probability(question)

    def ask_model(question: str) -> object:
        return asyncio.run(run.call(prompt, {"question": question}))

    decide("Is the model loaded?")
    ask_model("Is the model loaded?")
    result = {
        "decision": _time(decide, questions),
        "of_which_embedding": _time(embed, questions),
        "loaded_each_time": _time(load_and_decide, questions[:FEW]),
        "model_call": _time(ask_model, questions[:FEW]),
    }
    for timing in result.values():
        timing["times_as_long"] = round(timing["cpu_ms"] / result["decision"]["cpu_ms"], 1)
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
