"""What a gate saves at its own threshold and at others, from the records of an evaluation.

    python benchmarks/gate_thresholds.py evaluation/results/hotpotqa evaluation/results/musique …

Each folder holds `records.jsonl` of `hopyard eval` with at least `direct` and `single`. `--gate`
is the gate that ships, or a folder. A question below the threshold gets the answer of `direct`,
any other that of `single`: no model is asked. Writes `benchmarks/results/gate_thresholds.json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from hopyard.classifiers.retrieval_gate import MODEL, RetrievalGate, load_gate
from hopyard.evaluation.records import RECORDS_FILE, Record, read_records
from hopyard.measures.bootstrap import difference

RESULTS = Path(__file__).parent / "results" / "gate_thresholds.json"
THRESHOLDS = (0.0, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.01)
"""From always to never."""


def main() -> None:
    """Read, try the thresholds, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--gate", default=MODEL)
    options = parser.parse_args()
    gate = load_gate(options.gate)
    questions = [one for folder in options.folders for one in _questions(folder, gate)]
    p, without, given, tokens_without, tokens_given = np.array(questions).T
    rows = []
    own = round(gate.manifest.threshold, 3)
    for threshold in sorted({*THRESHOLDS, own}):
        retrieves = p >= threshold
        right = np.where(retrieves, given, without)
        tokens = np.where(retrieves, tokens_given, tokens_without)
        against = difference(right.tolist(), given.tolist())
        rows.append(
            {
                "threshold": threshold,
                "retrieved": round(float(retrieves.mean()), 3),
                "exact_match": round(float(right.mean()), 3),
                "tokens": round(float(tokens.mean())),
                "against_always": [round(one, 3) for one in against or ()],
            }
        )
    result = {
        "command": "python benchmarks/gate_thresholds.py "
        + " ".join(folder.as_posix() for folder in options.folders),
        "questions": len(questions),
        "own_threshold": own,
        "policies": rows,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row)


def _questions(folder: Path, gate: RetrievalGate) -> list[tuple[float, ...]]:
    by_question: dict[str, dict[str, Record]] = {}
    for record in read_records(folder / RECORDS_FILE):
        by_question.setdefault(record.question_id, {})[record.strategy] = record
    return [
        (
            gate.probability(one["single"].question),
            one["direct"].em,
            one["single"].em,
            _tokens(one["direct"]),
            _tokens(one["single"]),
        )
        for one in by_question.values()
        if {"direct", "single"} <= one.keys()
    ]


def _tokens(record: Record) -> float:
    cost: Any = record.cost
    return float(cost.input_tokens + cost.output_tokens)


if __name__ == "__main__":
    main()
