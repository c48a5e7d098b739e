"""What a second strategy gains where the first one ends in Unknown, or without support.

    hopyard eval QUESTIONS --index DIR --strategies chain,plan --model MODEL --judge MODEL --out RUN
    python benchmarks/second_try.py RUN... --first chain

The published figures come from the recorded calls (docs/results.md). `--write FILE` also writes the
questions that the first strategy did not answer, read from the file of questions `--questions`, so
that other columns, such as `chain+pagerank`, run on these alone. Writes
`benchmarks/results/second_try.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from hopyard.evaluation.records import RECORDS_FILE, Record, read_records

RESULTS: Final = Path(__file__).parent / "results" / "second_try.json"


def reason_of(record: Record) -> str:
    """Why `check` would hand the answer over; "" if it would not (`hopyard.nodes.check`)."""
    if record.unanswered:
        return "Unknown"
    supported = [citation.get("supported", True) for citation in record.citations]
    return "unsupported" if supported and not any(supported) else ""


def calls_of(record: Record) -> int:
    """Model calls, also those that a ledger answered."""
    return int(record.cost.model_calls + record.cost.cached_calls)


def tokens_of(record: Record) -> int:
    """Tokens in and out."""
    return int(record.cost.input_tokens + record.cost.output_tokens)


def measure(folder: Path, first: str) -> dict[str, Any]:
    """A run of `hopyard eval`: what each other column makes of the questions handed over."""
    judgements = map(json.loads, (folder / "judgements.jsonl").open(encoding="utf-8"))
    right = {
        (each["question_id"], each["strategy"]): each["verdict"] == "equivalent"
        for each in judgements
    }
    rows = read_records(folder / RECORDS_FILE)
    firsts = [row for row in rows if row.strategy == first]
    tries: dict[str, Any] = {}
    for row in firsts:
        if reason := reason_of(row):
            tries[row.question_id] = {"reason": reason, "gold": row.gold}
    for row in rows:
        if row.question_id in tries:
            tries[row.question_id][row.strategy] = {
                "answer": row.answer,
                "right": right[row.question_id, row.strategy],
                "calls": calls_of(row),
                "tokens": tokens_of(row),
            }
    return {
        "questions": len(firsts),
        "right": sum(right[row.question_id, first] for row in firsts),
        "calls": sum(map(calls_of, firsts)),
        "tokens": sum(map(tokens_of, firsts)),
        "second_tries": tries,
    }


def total(sets: Iterable[dict[str, Any]], first: str) -> dict[str, Any]:
    """The sums over all sets, and for each other column what it adds."""
    sets = list(sets)
    tries = [each for found in sets for each in found["second_tries"].values()]
    found: dict[str, Any] = {
        name: sum(each[name] for each in sets) for name in ("questions", "right", "calls", "tokens")
    }
    found |= {"second_tries": len(tries), "rightly_unknown": sum(t[first]["right"] for t in tries)}
    names = {name for each in tries for name in each} - {"reason", "gold", first}
    for name in sorted(names):
        tried = [each for each in tries if name in each]
        found[name] = {
            "tries": len(tried),
            "made_right": sum(t[name]["right"] and not t[first]["right"] for t in tried),
            "made_wrong": sum(t[first]["right"] and not t[name]["right"] for t in tried),
            "calls": sum(each[name]["calls"] for each in tried),
            "tokens": sum(each[name]["tokens"] for each in tried),
        }
    return found


def main() -> None:
    """Measure the runs, and write the questions that were handed over if that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--first", default="chain")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    sets = {folder.name: measure(folder, given.first) for folder in given.runs}
    result = {"first": given.first, "total": total(sets.values(), given.first), "sets": sets}
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    given.out.write_text(text, encoding="utf-8")
    if given.write:
        wanted = {name for found in sets.values() for name in found["second_tries"]}
        lines = given.questions.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["id"] in wanted]
        given.write.write_text("".join(kept), encoding="utf-8")
    print(json.dumps(result["total"], indent=1))


if __name__ == "__main__":
    main()
