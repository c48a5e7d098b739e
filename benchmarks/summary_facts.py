"""Answers to questions for facts from a summary tree by rule, beside other searches and GraphRAG.

    python benchmarks/summary_facts.py DATA MODEL musique=INDEX financebench=INDEX [--arms ARM,…]
    python benchmarks/summary_facts.py DATA MODEL musique=INDEX --own FOLDER
    python benchmarks/summary_facts.py DATA MODEL musique-own=INDEX financebench-own=INDEX

DATA has a folder of each set. INDEX is an index of the set's `corpus.jsonl`, or of its folder
`pdf`, with `--with dense,sparse,summary-tree,entity-graph,communities`. Questions are drawn by
seed: twelve of the second half of MuSiQue's `dev` questions, and eight of those of FinanceBench
whose id ends with an even number. MODEL judges by meaning, as `hopyard eval --judge` does; the
words of a gold answer need no call. Puts the arms into `benchmarks/results/summary_facts.json`, and
writes `answers-SET.json` beside each INDEX.

`global` reads reports of a whole index. So the sets `-own` have an index of few documents: for
FinanceBench the reports that the questions are about, for MuSiQue the corpus that `--own` writes
from an index of the whole set: the supporting paragraphs, and those of the ten passages that a
search finds for each question. `global` is asked every second question, as all arms are over the
small corpus of MuSiQue. It comes first and has twelve reports written. `global at equal tokens`
takes these from the ledger and makes two map calls of half of the tokens each. Calls and tokens are
without those for reports. Calls that the ledger answers do not count for a budget, so this arm
needs a ledger that has no map calls of an earlier run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from searches import is_odd

from hopyard import Hopyard
from hopyard.evaluation.ask import ask
from hopyard.evaluation.judge import judge_answer
from hopyard.evaluation.variants import Variant
from hopyard.measures.questions import Question
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.sources import change_context, read_context

RESULTS: Final = Path(__file__).parent / "results" / "summary_facts.json"
SEED: Final = 38
NEAREST: Final = 10
MOST_REPORTS: Final = 12
REPORT: Final = "community-report"
"""The prompt of a report."""
ASKED: Final = {"musique": 12, "financebench": 8}
TOKENS: Final = {"musique": 2000, "financebench": 4000}
"""Of the evidence of a question."""
STYLE: Final = {"musique": "short", "financebench": "full"}


def arms(name: str) -> dict[str, dict[str, Any]]:
    """The settings of each arm.

    Nearly every document of MuSiQue is one passage, so segments are passages, and no document has
    more to read.
    """
    plain = name.removesuffix("-own")
    tokens = TOKENS[plain]
    found: dict[str, dict[str, Any]] = {
        "hybrid": {"retrieval": {"tokens": tokens}},
        "segments": {"retrieval": {"method": "segments", "k": 20, "tokens": 0}},
        "summaries": {
            "retrieval": {"method": "summaries", "k": 40, "tokens": 0},
            "summaries": {"tokens": tokens},
        },
        "local": {"strategy": "local", "local": {"tokens": tokens}},
    }
    if plain == "musique":
        found["hybrid"] = {"retrieval": {"k": 16, "tokens": 0}}
        del found["segments"]
    if plain != name:
        found.pop("segments", None)
        reports = {"most_reports": MOST_REPORTS}
        found["global"] = {"strategy": "global", "global": reports}
        found["global at equal tokens"] = {
            "strategy": "global",
            "global": {**reports, "window": tokens // 2},
            "budget": {"calls": 3},
        }
    return found


def questions(data: Path, name: str) -> list[dict[str, Any]]:
    """The questions that are asked."""
    name = name.removesuffix("-own")
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
    """Ask every question with every arm, those of an arm side by side, and judge the answers."""

    async def ask_one(arm: str, row: dict[str, Any]) -> dict[str, Any]:
        settings = change_context(common, arms(name)[arm])
        question = Question(id=row["id"], question=row["question"], answers=row["answers"])
        thread = f"summary-facts/{name}/{arm}/{question.id}"
        variant = Variant(arm, settings.strategy)
        record, _ = await ask(question, variant, settings, thread, resources)
        run = Run("summary-facts/judge", common, resources)
        found = await judge_answer(run, record.question, record.gold, record.answer)
        own = [each for name, each in record.calls.items() if not name.startswith(REPORT)]
        reports = record.cost.model_calls - sum(each.calls for each in own)
        print(name, arm, row["id"], found.verdict, found.by, flush=True)
        return {
            "id": row["id"],
            "search": arm,
            "right": found.verdict == "equivalent",
            "by": found.by,
            "input tokens": sum(each.input_tokens for each in own),
            "calls": sum(each.calls for each in own),
            "reports": reports,
            "reason": found.reason,
            "gold": record.gold,
            "answer": record.answer,
        }

    given = dict(pair.split("=", 1) for pair in options.set)
    common = read_context({
        "model": options.model, "strategy": "single", "gate": "off", "index": str(index), **given,
        "answer": {"style": STYLE[name.removesuffix("-own")], "check": "rules"},
    })  # fmt: skip
    found: list[dict[str, Any]] = []
    with Resources() as resources:
        for arm in options.arms or arms(name):
            mine = asked[:: 2 if arm.startswith("global") or name == "musique-own" else 1]
            if arm == "global":  # the first question has the reports written
                found.append(await ask_one(arm, mine[0]))
                mine = mine[1:]
            found += await asyncio.gather(*(ask_one(arm, row) for row in mine))
    return found


async def write_own(index: Path, data: Path, asked: Sequence[dict[str, Any]], folder: Path) -> None:
    """Write a corpus of the supporting paragraphs and those that a search finds."""
    wanted = {each for row in asked for each in row["supporting_ids"]}
    async with Hopyard(str(index)) as hop:
        for row in asked:
            units = await hop.asearch(row["question"], k=NEAREST)
            wanted |= {source.document_id for unit in units for source in unit.sources}
    _write(data, wanted, folder)


def _write(data: Path, wanted: set[str], folder: Path) -> None:
    lines = (data / "musique" / "corpus.jsonl").read_text("utf-8").splitlines()
    own = [line for line in lines if json.loads(line)["id"] in wanted]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.jsonl").write_text("\n".join(own) + "\n", encoding="utf-8")
    print(f"{len(own)} paragraphs")


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
        if options.own:
            await write_own(index, options.data, questions(options.data, name), options.own)
            continue
        rows = await answer_all(name, index, questions(options.data, name), options)
        text = json.dumps(rows, indent=1, ensure_ascii=False)
        (index.parent / f"answers-{name}.json").write_text(text, encoding="utf-8")
        for row in rows:  # texts of the data stay out of the results
            del row["reason"], row["gold"], row["answer"]
        new = {row["search"] for row in rows}
        kept = [row for row in found.get(name, {}).get("answers", []) if row["search"] not in new]
        rows = kept + rows
        found[name] = {"model": options.model, "searches": summary(rows), "answers": rows}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(name, json.dumps(found[name]["searches"], indent=1))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("model")
    parser.add_argument("sets", nargs="+", metavar="SET=INDEX")
    parser.add_argument("--arms", type=lambda text: text.split(","), help="all by default")
    parser.add_argument("--own", type=Path, metavar="FOLDER", help="write a corpus of its own")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
