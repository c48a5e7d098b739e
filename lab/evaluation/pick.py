"""Take some questions of the reporting half of a set about whole documents.

    python -m lab.evaluation.pick mmlongbench_doc/questions.jsonl 30 --out FILE
    python -m lab.evaluation.pick wildgraphbench/questions.jsonl 30 --type single-fact --out FILE

A question that names its `document` is asked about that document only (`where`). The share of
questions without an answer stays as it is, and their gold answer is empty.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from hopyard.measures.questions import half_of

SEED = 7
NO_ANSWER = "Not answerable"
"""The gold answer of MMLongBench-Doc if the document has no answer."""


def pick(rows: Sequence[dict[str, Any]], count: int, kind: str = "") -> list[dict[str, Any]]:
    """So many questions of the second half, in the order of the file.

    Args:
        rows: All questions of the set.
        count: Questions to take.
        kind: Take only questions of this type; "" for all.
    """
    half = [row for row in rows if half_of(row["id"]) == "second" and kind in ("", row["type"])]
    without = [row for row in half if row["answers"] == [NO_ANSWER]]
    others = [row for row in half if row["answers"] != [NO_ANSWER]]
    random, least = Random(SEED), round(count * len(without) / max(len(half), 1))
    taken = random.sample(without, least) + random.sample(others, count - least)
    chosen = {row["id"] for row in taken}
    return [_asked(row) for row in half if row["id"] in chosen]


def _asked(row: dict[str, Any]) -> dict[str, Any]:
    answers = [] if row["answers"] == [NO_ANSWER] else row["answers"]
    where = [f"source={row['document']}"] if "document" in row else []
    return {
        **row,
        "question": " ".join(row["question"].split()),
        "answers": answers,
        "where": where,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the questions that were taken."""
    parser = argparse.ArgumentParser(description="Take some questions of the reporting half.")
    parser.add_argument("questions", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--type", default="", help="only questions of this type")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    rows = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines()]
    lines = [json.dumps(row) + "\n" for row in pick(rows, options.count, options.type)]
    options.out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
