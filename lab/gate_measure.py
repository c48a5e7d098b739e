"""Measure a gate over several corpora, on held-out questions.

    python -m lab.gate_measure POOL --indexes INDEXES --labels LABELS --gate GATE [--out FOLDER]

POOL is what `lab.gate_questions` wrote. INDEXES has an index of each corpus, and LABELS holds
`dev-CORPUS.jsonl` (`hopyard gate label`). Each question is decided as the agent decides it, with
the rules beside the gate. It writes evaluation.json, figures and card into the gate's folder, or
into FOLDER, and wrong.jsonl with every question that was decided otherwise than its label says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopyard.classifiers.evaluate import measure_gate, save_evaluation
from hopyard.classifiers.labels import Label, read_labels
from hopyard.classifiers.retrieval_gate import decide as decide_by_probability
from hopyard.classifiers.retrieval_gate import gate_folder
from hopyard.measures.exact import clopper_pearson
from hopyard.nodes.gate import decide
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context, GateSettings
from hopyard.state.storage.atomic import write_file
from lab.gate_card import DecisionCounts, MeasuredGate, write_card
from lab.gate_figures import draw_figures

__all__ = ("GROUPS", "group_of", "main", "measure")

GROUPS = ("answerable", "unanswerable", "everyday", "nq_open")


def group_of(kind: str) -> str:
    """The group of a question by its type: what documents answer, do not answer, or no document."""
    source, _, rest = kind.partition("-")
    if source in {"everyday", "nq_open"}:
        return source
    return "unanswerable" if rest == "unanswerable" else "answerable"


async def measure(
    gate: str, corpora: Sequence[tuple[Path, Sequence[Label]]]
) -> tuple[MeasuredGate, list[dict[str, Any]]]:
    """The gate against labels, what was decided in each group, and the wrong decisions.

    Args:
        gate: Its name or folder.
        corpora: The index and the labels of the held-out questions of each corpus.
    """
    resources = shared_resources()
    loaded = resources.gate(gate)
    alone: dict[str, int] = defaultdict(int)
    found: dict[str, list[bool]] = defaultdict(list)
    wrong = []
    for index, labels in corpora:
        run = Run(new_run_id(), Context(index=str(index), gate=gate), resources)
        for label in labels:
            decided = await decide(run, label.question)
            p, group = loaded.probability(label.question, label.nearness), group_of(label.type)
            by_gate = decide_by_probability(p, loaded.manifest.threshold, GateSettings())
            alone[group] += by_gate.retrieve
            found[group].append(bool(decided["retrieve"]))
            if label.label is not None and decided["retrieve"] != bool(label.label):
                row = {"question": label.question, "type": label.type, "label": label.label}
                near = label.nearness._asdict()
                wrong.append(
                    {**row, "probability": round(p, 3), "reason": decided["reason"], **near}
                )
    every = [label for _, labels in corpora for label in labels]
    evaluation = MeasuredGate(
        gate_model=loaded.manifest.model,
        labels=measure_gate(loaded, every),
        decisions={
            group: DecisionCounts(
                questions=len(found[group]),
                retrieved=sum(found[group]),
                by_gate_alone=alone[group],
                share=clopper_pearson(sum(found[group]), len(found[group])),
            )
            for group in GROUPS
            if found[group]
        },
        command="python -m lab.gate_measure",
    )
    return evaluation, wrong


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write, and print what was decided in each group."""
    parser = argparse.ArgumentParser(prog="python -m lab.gate_measure", description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--gate", required=True)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args(argv)
    folder = args.out or gate_folder(args.gate)
    names = sorted(file.parent.name for file in args.pool.glob("*/dev.jsonl"))
    corpora = [
        (args.indexes / name, read_labels(args.labels / f"dev-{name}.jsonl")) for name in names
    ]
    found, wrong = asyncio.run(measure(args.gate, corpora))
    save_evaluation(folder, found)
    if found.labels:
        draw_figures(found.labels, folder, f"held-out labels, {found.labels.questions} questions")
        print(f"AUROC {found.labels.auroc}, ECE {found.labels.ece}")
    if folder == gate_folder(args.gate):
        write_card(folder)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in wrong)
    write_file(folder / "wrong.jsonl", lines.encode())
    for group, row in found.decisions.items():
        print(
            f"{group}: {row.retrieved} of {row.questions} retrieved "
            f"[{row.share.low:.1%}, {row.share.high:.1%}], {row.by_gate_alone} without the rules"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
