"""How well a check of citations tells right statements from wrong ones.

    python benchmarks/support.py                                  # the rules, both halves
    python benchmarks/support.py --check model --model openai:NAME --half report
    python benchmarks/support.py --half choose --cases            # the errors, one by one
    python benchmarks/support.py --answers RUN/records.jsonl      # marks on recorded answers

`support_pairs.jsonl` has 204 statements with the passages that they cite: tables, prose and lists
in English, German, Korean and Chinese. A third of the passages are those of `examples/office` and
`examples/solar_system`, with statements in the manner of the recorded answers; the others are of a
made-up company. Half of the statements are wrong: the value of another row, another number, person,
date, place or unit, a negation, exchanged roles, a wrong calculation. The labels follow from how
the statements were written; no check was asked. A group of statements about one passage is in the
choosing or in the reporting half by the hash of its id. The rules were written with the choosing
half; `--cases` shows no others.

With `--check model` a chat model gets one call for each statement (100 for the reporting half). It
sees the passages, the statement and its question, nothing else. The row `doubt` is computed from
the other two: the model's verdict if the rules mark a statement, or its quote denies it. Writes
`benchmarks/results/support.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.corpus.records import Passage
from hopyard.measures.exact import clopper_pearson
from hopyard.nodes.citations import cite_passages
from hopyard.nodes.judge import is_denied, judge_statements
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.nodes.support.compare import compare
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.sources import read_context

PAIRS: Final = Path(__file__).with_name("support_pairs.jsonl")
RESULTS: Final = Path(__file__).parent / "results" / "support.json"
HALVES: Final = ("choose", "report")


@dataclass(frozen=True)
class Pair:
    """A statement with its passages and its label."""

    id: str
    half: str
    kind: str
    type: str
    statement: str
    question: str
    passages: tuple[Passage, ...]
    right: bool


def read_pairs() -> list[Pair]:
    """All pairs, in the order of the file."""
    return [
        pair
        for line in PAIRS.read_text("utf-8").splitlines()
        for pair in _pairs_of(json.loads(line))
    ]


def _pairs_of(group: dict[str, Any]) -> Iterable[Pair]:
    digest = hashlib.sha256(group["id"].encode()).hexdigest()
    passages = tuple(
        Passage(
            id=f"{group['id']}-{place}",
            document_id=group["id"],
            position=place,
            title=given["title"],
            text=given["text"],
            content_hash="",
            tokens=0,
            section=given.get("section", ""),
        )
        for place, given in enumerate(group["passages"])
    )
    for label in ("right", "wrong"):
        for number, given in enumerate(group[label], 1):
            yield Pair(
                id=f"{group['id']}-{label}-{number}",
                half=HALVES[int(digest, 16) % 2],
                kind=group["kind"],
                type=given["type"],
                statement=given["statement"],
                question=given.get("question", ""),
                passages=passages,
                right=label == "right",
            )


def judge_by_rules(pairs: Sequence[Pair]) -> list[bool | None]:
    """Whether the rules find each statement in its passages."""
    return [compare(pair.statement, pair.passages, asked=pair.question).supported for pair in pairs]


async def judge_by_model(pairs: Sequence[Pair], model: str) -> list[bool | None]:
    """Whether a model finds each statement in its passages; None where a call failed."""
    context = read_context({"model": model})
    with Resources() as resources:
        run = Run(new_run_id(), context, resources)

        async def judge(pair: Pair) -> bool | None:
            claims = [(pair.statement, range(1, len(pair.passages) + 1))]
            try:
                [stated] = await judge_statements(
                    run, pair.question, claims, pair.passages, step=pair.id
                )
            except ModelOutputError:
                return None
            return stated

        return await asyncio.gather(*map(judge, pairs))


def score(pairs: Sequence[Pair], verdicts: Sequence[bool | None]) -> dict[str, Any]:
    """Shares of the right statements that pass and of the wrong ones that are marked."""
    found: dict[str, Any] = {"failed_calls": sum(verdict is None for verdict in verdicts)}
    judged = list(zip(pairs, verdicts, strict=True))
    for name, right in (("right_pass", True), ("wrong_marked", False)):
        own = [(pair, verdict) for pair, verdict in judged if pair.right is right]
        good = sum(verdict is right for _, verdict in own)
        _, low, high = clopper_pearson(good, len(own))
        found[name] = {
            "of": len(own),
            "number": good,
            "share": round(good / len(own), 3),
            "interval": [round(low, 3), round(high, 3)],
        }
    return found | {"errors": [pair.id for pair, verdict in judged if verdict is not pair.right]}


def combine(pairs: Sequence[Pair], rows: dict[str, Any]) -> list[bool | None]:
    """The verdicts of `answer.check=doubt`: the model's where the rules mark a statement."""
    rules, model = (
        [pair.right != (pair.id in rows[check]["errors"]) for pair in pairs]
        for check in ("rules", "model")
    )
    return [
        stated if not passes or denied else passes
        for passes, stated, denied in zip(rules, model, map(is_pair_denied, pairs), strict=True)
    ]


def is_pair_denied(pair: Pair) -> bool:
    """Whether a quote of a statement denies it: `doubt` asks about it."""
    cited = cite_passages(pair.statement, pair.passages, asked=pair.question)
    return any(is_denied(pair.statement, found["quote"]) for found in cited if found)


def count_marks(records: Path) -> dict[str, Any]:
    """The marks on the answers of a run of `hopyard eval`, by strategy."""
    found: dict[str, Counter[str]] = {}
    for line in records.read_text("utf-8").splitlines():
        record = json.loads(line)
        counts = found.setdefault(record["strategy"], Counter())
        supported = [cited.get("supported", True) for cited in record["citations"]]
        counts["answers"] += bool(supported)
        counts["citations"] += len(supported)
        counts["citations marked"] += supported.count(False)
        counts["answers with a mark"] += not all(supported)
        counts["answers without a mark that a quote denies"] += all(supported) and any(
            is_denied(cited.get("claim", record["answer"]), cited["quote"])
            for cited in record["citations"]
        )
        counts["answers with all marked"] += bool(supported) and not any(supported)
    return {name: dict(counts) for name, counts in found.items()}


def main() -> None:
    """Judge the pairs, print the table, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", choices=("rules", "model"), default="rules")
    parser.add_argument("--model", default="", help="the chat model of --check model")
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--cases", action="store_true", help="show errors of the choosing half")
    parser.add_argument("--answers", type=Path, help="records of `hopyard eval`")
    given = parser.parse_args()
    if given.answers:
        print(json.dumps(count_marks(given.answers), indent=1))
        return
    if given.check == "model" and not given.model:
        parser.error("--check model needs --model, such as openai:NAME")
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for half in HALVES if given.half == "both" else (given.half,):
        pairs = [pair for pair in read_pairs() if pair.half == half]
        verdicts = (
            judge_by_rules(pairs)
            if given.check == "rules"
            else asyncio.run(judge_by_model(pairs, given.model))
        )
        found = Counter(
            pair.right
            for pair, verdict in zip(pairs, verdicts, strict=True)
            if verdict and is_pair_denied(pair)
        )
        print(f"{half}: a quote denies {found[True]} right and {found[False]} wrong that pass")
        row = score(pairs, verdicts) | ({"model": given.model} if given.model else {})
        rows = results.setdefault(half, {})
        rows[given.check] = row
        if {"rules", "model"} <= rows.keys():
            rows["doubt"] = score(pairs, combine(pairs, rows))
        if given.cases and half == "choose":
            for pair, verdict in zip(pairs, verdicts, strict=True):
                if verdict is not pair.right:
                    print(f"{pair.id} ({pair.type}): {pair.statement}")
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    print(_table(results))


def _table(results: dict[str, Any]) -> str:
    lines = ["| half | check | right that pass | wrong that are marked |", "|---|---|---:|---:|"]
    for half in HALVES:
        for check, row in sorted(results.get(half, {}).items(), reverse=True):
            cells = [
                f"{100 * row[name]['share']:.0f} % of {row[name]['of']}"
                for name in ("right_pass", "wrong_marked")
            ]
            lines.append(f"| {half} | {check} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
