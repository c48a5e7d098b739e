"""Answers to questions for facts from a summary tree by rule, beside other searches.

    python benchmarks/summary_facts.py DATA MODEL musique=INDEX financebench=INDEX

DATA has a folder of each set. INDEX is an index of the set's `corpus.jsonl`, or of its folder
`pdf`, with `--with dense,sparse,summary-tree`. Questions are drawn by seed: twelve of the second
half of MuSiQue's `dev` questions, and eight of those of FinanceBench whose id ends with an even
number. `single` answers each with every search, from as many tokens. MODEL
judges by meaning, as `hopyard eval --judge` does; the words of a gold answer need no call. Writes
`benchmarks/results/summary_facts.json`, and `answers-SET.json` beside each INDEX.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from searches import is_odd

from hopyard.evaluation.ask import ask
from hopyard.evaluation.judge import judge_answer
from hopyard.evaluation.variants import Variant
from hopyard.measures.questions import Question
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.sources import change_context, read_context

RESULTS: Final = Path(__file__).parent / "results" / "summary_facts.json"
SEED: Final = 38
ASKED: Final = {"musique": 12, "financebench": 8}
ARMS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "musique": {
        "hybrid": {"retrieval": {"k": 16, "tokens": 0}},
        "summaries": {
            "retrieval": {"method": "summaries", "k": 40, "tokens": 0},
            "summaries": {"tokens": 2000},
        },
    },
    "financebench": {
        "hybrid": {"retrieval": {"tokens": 4000}},
        "segments": {"retrieval": {"method": "segments", "k": 20, "tokens": 0}},
        "summaries": {
            "retrieval": {"method": "summaries", "k": 40, "tokens": 0},
            "summaries": {"tokens": 4000},
        },
    },
}
"""The settings of each search. Nearly every document of MuSiQue is one passage, so segments are
passages, and no document has more to read."""


def questions(data: Path, name: str) -> list[dict[str, Any]]:
    """The questions that are asked."""
    rows = [*map(json.loads, (data / name / "questions.jsonl").read_text("utf-8").splitlines())]
    if name == "musique":
        rows = [row for row in rows if row["split"] == "dev"]
        rows = rows[len(rows) // 2 :]
    else:
        rows = [row for place, row in enumerate(rows) if not is_odd(place, row["id"])]
    return Random(SEED).sample(rows, ASKED[name])


async def answer_all(
    name: str, index: Path, asked: Sequence[dict[str, Any]], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Ask every question with every search, side by side, and judge the answers."""

    async def ask_one(arm: str, row: dict[str, Any]) -> dict[str, Any]:
        settings = change_context(common, ARMS[name][arm])
        question = Question(id=row["id"], question=row["question"], answers=row["answers"])
        thread = f"summary-facts/{arm}/{question.id}"
        record, _ = await ask(question, Variant(arm, "single"), settings, thread, resources)
        run = Run("summary-facts/judge", settings, resources)
        found = await judge_answer(run, record.question, record.gold, record.answer)
        print(name, arm, row["id"], found.verdict, found.by, flush=True)
        return {
            "id": row["id"],
            "search": arm,
            "right": found.verdict == "equivalent",
            "by": found.by,
            "input tokens": record.cost.input_tokens,
            "calls": record.cost.model_calls,
            "reason": found.reason,
            "gold": record.gold,
            "answer": record.answer,
        }

    given = dict(pair.split("=", 1) for pair in options.set)
    common = read_context({
        "model": options.model, "gate": "off", "index": str(index), **given,
        "answer": {"style": "full" if name == "financebench" else "short", "check": "rules"},
    })  # fmt: skip
    with Resources() as resources:
        return await asyncio.gather(*(ask_one(arm, row) for arm in ARMS[name] for row in asked))


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Right answers and tokens of each search, and the questions that it alone has right."""
    by_arm: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_arm.setdefault(row["search"], {})[row["id"]] = row
    base = by_arm["hybrid"]
    return {
        arm: {
            "asked": len(own),
            "right": sum(row["right"] for row in own.values()),
            "better than hybrid": sum(own[name]["right"] > base[name]["right"] for name in own),
            "worse than hybrid": sum(own[name]["right"] < base[name]["right"] for name in own),
            "input tokens": round(fmean(row["input tokens"] for row in own.values())),
            "calls": fmean(row["calls"] for row in own.values()),
        }
        for arm, own in by_arm.items()
    }


async def measure(options: argparse.Namespace) -> None:
    """Ask, judge, and write the results."""
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name, _, place in (each.partition("=") for each in options.sets):
        index = Path(place)
        rows = await answer_all(name, index, questions(options.data, name), options)
        text = json.dumps(rows, indent=1, ensure_ascii=False)
        (index.parent / f"answers-{name}.json").write_text(text, encoding="utf-8")
        for row in rows:  # texts of the data stay out of the results
            del row["reason"], row["gold"], row["answer"]
        found[name] = {"model": options.model, "searches": summary(rows), "answers": rows}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(name, json.dumps(found[name]["searches"], indent=1))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("model")
    parser.add_argument("sets", nargs="+", metavar="SET=INDEX")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
