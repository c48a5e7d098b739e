"""Count the questions that a name of the documents sends to the search.

    python -m lab.gate_names POOL --indexes INDEXES --out RESULT.json

Every written everyday request is asked of every index, since no index has what it needs. The other
questions of POOL are asked of the index of their own corpus.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hopyard.indexes.index import Index
from hopyard.indexes.named import name_in
from hopyard.measures.questions import read_questions
from hopyard.nodes.resources import shared_resources
from hopyard.state.storage.atomic import write_file
from lab.gate_measure import group_of

__all__ = ("main",)


def main(argv: Sequence[str] | None = None) -> int:
    """Count, print and write."""
    parser = argparse.ArgumentParser(prog="python -m lab.gate_names", description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    embed = shared_resources().embed_question
    files = [file for split in ("train", "dev") for file in args.pool.glob(f"*/{split}.jsonl")]
    asked = [(file.parent.name, q) for file in sorted(files) for q in read_questions(file)]
    counts: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for folder in sorted(path.parent for path in args.indexes.glob("*/manifest.json")):
        with Index.open(folder) as index:
            for corpus, question in asked:
                group = group_of(question.type)
                if group != "everyday" and corpus != folder.name:
                    continue
                counts[group] += 1
                vector = embed(question.question, "builtin")
                named[group] += bool(name_in(question.question, vector, index))
    found = {group: {"asked": n, "named": named[group]} for group, n in sorted(counts.items())}
    write_file(args.out, (json.dumps(found, indent=1) + "\n").encode())
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
