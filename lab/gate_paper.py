"""Label questions by Con-RAG's rule alone, for a large language model, without asking it again.

    python -m lab.gate_paper --indexes INDEXES --labels LABELS --out FOLDER
    hopyard gate train FOLDER/paper.jsonl --out PAPER-GATE

LABELS holds `train-CORPUS.jsonl` of the pool, with the passages that a search found. Two things
stand for the model. Its answers from memory to 130 questions of public sets are in
`gate_written/from_memory.jsonl`; it knows nothing of the written documents, and everything that an
everyday request needs. From passages it answers rightly if they hold a gold answer word for word.
Then the value of the question alone is the F1 of the answer from memory, and that of the passages
alone is 0. So the label is "retrieve" if the answer from memory shares no word with the gold answer
(equations 2 to 5 of the paper). Other questions are left out, as in the paper. FOLDER/ours.jsonl
holds the same questions with the labels of the pool, for a gate from the same questions.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hopyard.classifiers.contributions import RETRIEVE
from hopyard.classifiers.labels import Label, read_labels
from hopyard.indexes.index import Index
from hopyard.measures.answers import is_unanswered, token_f1
from hopyard.state.storage.atomic import write_file
from lab.gate_questions import WRITTEN

__all__ = ("FROM_MEMORY", "label_of", "main")

FROM_MEMORY = WRITTEN / "from_memory.jsonl"


def label_of(row: Label, passages: str, from_memory: str) -> int | None:
    """The paper's label of a question; None if the paper drops it.

    Args:
        row: The question, its gold answers and its type.
        passages: The text of the passages that a search found.
        from_memory: The model's answer without them.
    """
    if row.type.startswith("everyday"):
        return 0
    golds = [gold for gold in row.answers if gold.strip()]
    bare = {gold.lower() for gold in golds} & {"yes", "no"}  # an answer that no passage spells out
    if not bare and not any(gold.lower() in passages.lower() for gold in golds):
        return None
    known = not is_unanswered(from_memory)
    return 0 if known and any(token_f1(from_memory, gold) for gold in golds) else RETRIEVE


def main(argv: Sequence[str] | None = None) -> int:
    """Write both files of labels, and print the paper's labels by type."""
    parser = argparse.ArgumentParser(prog="python -m lab.gate_paper", description=__doc__)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    lines = FROM_MEMORY.read_text(encoding="utf-8").splitlines()
    answers = {row["id"]: row["answer"] for row in map(json.loads, lines)}
    paper, ours, counts = [], [], Counter[str]()
    for file in sorted(args.labels.glob("train-*.jsonl")):
        with Index.open(args.indexes / file.stem.removeprefix("train-")) as index:
            for row in read_labels(file):
                written = row.type.endswith("-document")
                if not (written or row.type.startswith("everyday") or row.id in answers):
                    continue
                found = index.passages(row.passage_ids)
                text = " ".join(passage.embedded_text for passage in found)
                label = label_of(row, text, answers.get(row.id, "Unknown"))
                counts[f"{row.type.partition('-')[0]}: {label}"] += 1
                if label is not None:
                    changes = {"rule": "contribution", "label": label}
                    paper.append(row.model_copy(update=changes))
                    ours.append(row)
    _write(args.out / "paper.jsonl", paper)
    _write(args.out / "ours.jsonl", ours)
    print(dict(sorted(counts.items())))
    return 0


def _write(path: Path, labels: Iterable[Label]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, "".join(f"{label.model_dump_json()}\n" for label in labels).encode())


if __name__ == "__main__":
    raise SystemExit(main())
