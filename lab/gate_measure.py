"""Measure a gate over several corpora, on held-out questions.

    python -m lab.gate_measure POOL --labels LABELS --records RUNS --gate GATE

POOL is what `lab.gate_questions` wrote. For each corpus, LABELS holds `dev-CORPUS.jsonl` (`hopyard
gate label`) and RUNS/CORPUS/records.jsonl the answers of `direct` and `auto@gate=off` (`hopyard
eval`). It writes evaluation.json, figures and card into the gate's folder, and wrong.jsonl with
every question that the gate decided otherwise than its label says.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopyard.classifiers.card import draw_figures, write_card
from hopyard.classifiers.evaluate import GateEvaluation, measure_gate, save_evaluation
from hopyard.classifiers.labels import Label, read_labels
from hopyard.classifiers.policies import (
    AnswerOutcome,
    AnswerPair,
    compare_documents,
    compare_policies,
)
from hopyard.classifiers.retrieval_gate import RetrievalGate, gate_folder
from hopyard.evaluation.records import Record, read_records
from hopyard.measures.questions import Question, read_questions
from hopyard.nodes.resources import shared_resources
from hopyard.state.atomic import write_file
from hopyard.state.settings import GateSettings

__all__ = ("main", "measure")

_DIRECT, _ALWAYS = "direct", "auto@gate=off"


def measure(
    gate: RetrievalGate,
    corpora: Sequence[tuple[Sequence[Question], Sequence[Label], Path]],
    *,
    timed: bool,
) -> tuple[GateEvaluation, list[dict[str, Any]]]:
    """The gate against labels and end to end, and its wrong decisions.

    Args:
        gate: The gate.
        corpora: Held-out questions of each, their labels, and the file of their answers.
        timed: Whether the seconds of the answers mean anything.
    """
    pairs, labels, wrong = [], [], []
    for questions, given, records in corpora:
        answers: dict[str, dict[str, Record]] = defaultdict(dict)
        for record in read_records(records):
            answers[record.question_id][record.strategy] = record
        known = {label.id: label for label in given}
        for question in questions:
            label, both = known[question.id], answers[question.id]
            found = gate.decide(question.question, GateSettings(), label.nearness)
            outcomes = [_outcome(question, both[name], timed=timed) for name in (_ALWAYS, _DIRECT)]
            supported = bool(question.supporting_ids)
            kind = question.type.partition("-")[0]
            pairs.append(AnswerPair(kind, supported, *outcomes, found.retrieve, 0.0))
            labels.append(label)
            if label.label is not None and found.retrieve != bool(label.label):
                wrong.append(
                    {
                        "question": question.question,
                        "type": question.type,
                        "label": label.label,
                        "probability": round(found.probability, 3),
                        **label.nearness._asdict(),
                        "direct": both[_DIRECT].answer,
                        "always": both[_ALWAYS].answer,
                    }
                )
    evaluation = GateEvaluation(
        gate_model=gate.manifest.model,
        labels_model=gate.manifest.model,
        answers_model=gate.manifest.model,
        labels=measure_gate(gate, labels),
        end_to_end=compare_policies(pairs),
        documents=compare_documents(pairs),
        command="python -m lab.gate_measure",
    )
    return evaluation, wrong


def _outcome(question: Question, record: Record, *, timed: bool) -> AnswerOutcome:
    cost = record.cost
    correct = question.score(record.answer)["accuracy"]
    seconds = cost.seconds if timed else 0.0
    return AnswerOutcome(correct, cost.input_tokens + cost.output_tokens, seconds)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write, and print the shares of each type."""
    parser = argparse.ArgumentParser(prog="python -m lab.gate_measure", description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--gate", required=True)
    parser.add_argument("--untimed", action="store_true", help="leave the seconds out")
    args = parser.parse_args(argv)
    gate, folder = shared_resources().gate(args.gate), gate_folder(args.gate)
    corpora = [
        (
            read_questions(file, split="dev"),
            read_labels(args.labels / f"dev-{file.parent.name}.jsonl"),
            args.records / file.parent.name / "records.jsonl",
        )
        for file in sorted(args.pool.glob("*/dev.jsonl"))
    ]
    found, wrong = measure(gate, corpora, timed=not args.untimed)
    save_evaluation(folder, found)
    if found.labels:
        draw_figures(found.labels, folder, f"held-out labels, {found.labels.questions} questions")
    write_card(folder, found)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wrong)
    write_file(folder / "wrong.jsonl", lines.encode())
    if found.end_to_end:
        for kind, row in found.end_to_end.by_type.items():
            print(f"{kind}: {row['questions']:.0f}, retrieved {row['gate_retrieval_rate']:.1%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
