"""A small model: its answers, its calls, and how many of its outputs fit their schema.

    hopyard eval QUESTIONS --index DIR --strategies single,chain --model MODEL --out RUN …
    python benchmarks/small_models.py "before, hotpotqa=RUN" "after, hotpotqa=RUN" … --about TEXT

Writes `benchmarks/results/small_models.json`; runs that are not named stay. Scores and shares are
from 0 to 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hopyard.evaluation.records import RECORDS_FILE, Record, read_records

RESULTS: Final = Path(__file__).parent / "results" / "small_models.json"


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """The figures of one strategy."""
    n = len(records)
    calls = [call for record in records for call in record.calls.values()]
    return {
        "questions": n,
        "em": round(sum(record.em for record in records) / n, 3),
        "f1": round(sum(record.f1 for record in records) / n, 3),
        "unknown": sum(record.unanswered for record in records),
        "outputs": sum(call.calls for call in calls),
        "outputs_that_fit": sum(call.parsed + call.repaired for call in calls),
        "calls_a_question": round(sum(call.calls for call in calls) / n, 1),
        "tokens_a_question": round(
            sum(call.input_tokens + call.output_tokens for call in calls) / n
        ),
    }


def measure(folder: Path) -> dict[str, Any]:
    """The figures of each strategy of a run, and those over the questions that all answered."""
    records = read_records(folder / RECORDS_FILE)
    by_strategy: dict[str, list[Record]] = {}
    for record in records:
        by_strategy.setdefault(record.strategy, []).append(record)
    common = set.intersection(*({each.question_id for each in own} for own in by_strategy.values()))
    measured: dict[str, Any] = {}
    for strategy, own in by_strategy.items():
        shared = [each for each in own if each.question_id in common]
        measured[strategy] = figures(own)
        if len(shared) < len(own):
            measured[f"{strategy}, questions that all answered"] = figures(shared)
    return measured


def main() -> None:
    """Measure the runs and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", nargs="+", help="NAME=FOLDER")
    parser.add_argument("--about", required=True, help="The model, the questions and the settings.")
    options = parser.parse_args()
    named = (run.rpartition("=") for run in options.runs)
    runs = json.loads(RESULTS.read_text("utf-8"))["runs"] if RESULTS.exists() else {}
    runs |= {name: measure(Path(folder)) for name, _, folder in named}
    text = json.dumps({"about": options.about, "runs": runs}, indent=1)
    RESULTS.write_text(f"{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
