"""Lists and counts by `every` and by strategies that search.

    python benchmarks/every/questions.py DATA FOLDER
    PYTHONPATH=. python benchmarks/every/measure.py FOLDER MODEL [--set NAME=VALUE ...]
    PYTHONPATH=. python benchmarks/every/measure.py FOLDER MODEL \
        --strategies global --corpora news,films --rest --set global.level=1

Asks the forty questions, or those that the results lack, with each strategy, and puts
the results into `benchmarks/results/every.json`, and FOLDER/answers.json gets the answers. An item
counts as found if the answer has its title, and as wrong if the answer has the title of another
document. A count is exact if the first number of the answer is right, and a list if it has all
items and no other. The agent `react` counts its calls apart, so run with a new HOPYARD_HOME: its
calls are those of its prompt in that ledger.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any, Final

from hopyard import Hopyard, abuild_index

RESULTS: Final = Path(__file__).parents[1] / "results" / "every.json"
NAMES: Final = ("every", "chain", "react", "global")
WORDS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
                "ten", "eleven", "twelve", "thirteen")  # fmt: skip


def plain(text: str) -> str:
    """A text as titles are compared: letters and digits, without Markdown's backslashes."""
    return " ".join(re.findall(r"\w+", text.replace("\\", "").casefold()))


def spelled_out(answer: str) -> str:
    """An answer with whole titles: of `Filings 1 and 2`, and of numbers below a table's header."""
    heads: list[str] = []
    lines = answer.split("\n")
    for place, line in enumerate(lines):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        else:
            pairs = zip(heads, cells, strict=False)
            named = [f"{head} {cell}" if cell[:1].isdigit() else cell for head, cell in pairs]
            lines[place] = f"| {' | '.join(named)} |"
    return re.sub(
        r"\bFilings ((?:\d+(?:, | and |, and )?)+)",
        lambda found: " ".join(f"Filing {number}," for number in re.findall(r"\d+", found[1])),
        "\n".join(lines),
    )


def found_in(answer: str, titles: list[str]) -> set[str]:
    """The titles that an answer has. A title within a longer title that it has does not count."""
    text, found = f" {plain(spelled_out(answer))} ", set[str]()
    for title in sorted(titles, key=lambda title: -len(plain(title))):
        for form in (title, re.sub(r" \([^)]*\)$", "", title)):
            wanted = f" {plain(form)} "
            if wanted.strip() and wanted in text:
                text, found = text.replace(wanted, " | "), {*found, title}
    return found


def number_in(answer: str) -> int | None:
    """The first number of an answer, in digits or in words."""
    for word in re.findall(r"\w+", answer.partition("\n")[0].casefold()):
        if word.isdigit() and not re.fullmatch(r"19\d\d|20\d\d", word):
            return int(word)
        if word in WORDS:
            return WORDS.index(word)
    return None


def scored(line: dict[str, Any], titles: list[str], answer: Any) -> dict[str, Any]:
    """The measures of one answer."""
    usage = answer.usage
    result: dict[str, Any] = {
        "id": line["id"],
        "strategy": answer.strategy,
        "calls": usage.model_calls + usage.cached_calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "read_share": answer.read_share,
        "answer": answer.text,
        "supported": [cited.supported for cited in answer.citations].count(True),
        "citations": len(answer.citations),
    }
    gold = {*line["items"]}
    if line["kind"] == "count":
        return result | {"exact": number_in(answer.text) == len(gold)}
    found = found_in(answer.text, titles)
    right = len(found & gold)
    return result | {
        "recall": right / len(gold),
        "precision": right / len(found) if found else 0.0,
        "exact": found == gold,
        "missing": sorted(gold - found),
        "wrong": sorted(found - gold),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The means of each strategy."""
    found: dict[str, Any] = {}
    for name in NAMES:
        own = [row for row in rows if row["strategy"] == name]
        lists = [row for row in own if "recall" in row]
        if own:
            counts = [row for row in own if "recall" not in row]
            found[name] = {
                "lists": len(lists),
                "item recall": round(mean(row["recall"] for row in lists), 3),
                "item precision": round(mean(row["precision"] for row in lists), 3),
                "exact lists": sum(row["exact"] for row in lists),
                "counts": len(counts),
                "exact counts": sum(row["exact"] for row in counts),
                "calls": round(mean(row["calls"] for row in own), 1),
                "tokens": round(mean(row["tokens"] for row in own)),
            }
    return found


def react_cost(asked: int) -> dict[str, float]:
    """The agent's own calls and tokens of a question, without those that check its citations."""
    with closing(sqlite3.connect(Path(os.environ["HOPYARD_HOME"]) / "ledger.sqlite")) as ledger:
        calls, tokens = ledger.execute(
            "SELECT count(*), sum(input_tokens + output_tokens) FROM calls WHERE prompt = 'react'"
        ).fetchone()
    return {"calls": round(calls / asked, 1), "tokens": round(tokens / asked)}


async def measure(corpora: list[Path], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Ask all questions side by side."""
    settings = dict(pair.split("=", 1) for pair in options.set)

    async def ask(hop: Any, line: dict[str, Any], titles: list[str], name: str) -> dict[str, Any]:
        answer = await hop.aask(line["question"], strategy=name)
        print(line["id"], name, answer.text.partition("\n")[0][:80], flush=True)
        return scored(line, titles, answer)

    work, opened = [], []
    for corpus in corpora:
        index = corpus.parent / "index"
        graph = ["entity-graph", "communities"] if "global" in options.strategies else []
        await abuild_index(index, [corpus], kinds=["dense", "sparse", *graph])
        titles = [json.loads(line)["title"] for line in corpus.open(encoding="utf-8")]
        hop = Hopyard(index, model=options.model, settings=settings)
        opened.append(hop)
        lines = [*map(json.loads, (corpus.parent / "questions.jsonl").open(encoding="utf-8"))]
        work += [
            ask(hop, line, titles, name)
            for line in lines
            for name in options.strategies
            if not (options.rest and (line["id"], name) in options.known)
        ]
    rows = await asyncio.gather(*work)
    for hop in opened:
        await hop.aclose()
    return rows


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("model")
    parser.add_argument("--rest", action="store_true", help="only what the results lack")
    parser.add_argument("--corpora", type=lambda text: text.split(","), default=["*"])
    parser.add_argument("--strategies", type=lambda text: text.split(","), default=[*NAMES[:3]])
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    corpora = sorted(
        path for name in options.corpora for path in options.folder.glob(f"{name}/corpus.jsonl")
    )
    found = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}
    options.known = {(row["id"], row["strategy"]) for row in found.get("questions", [])}
    rows = asyncio.run(measure(corpora, options))
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    (options.folder / "answers.json").write_text(text, encoding="utf-8")
    for row in rows:  # texts of the data stay in the folder
        del row["answer"]
        row |= {key: len(row[key]) for key in ("missing", "wrong") if key in row}
    asked = {(row["id"], row["strategy"]) for row in rows}
    others = [
        row for row in found.get("questions", []) if (row["id"], row["strategy"]) not in asked
    ]
    before = found.get("strategies", {}).get("react", {})
    found = {"model": options.model, **found, "questions": [*others, *rows]}
    found["strategies"] = summary(found["questions"])
    if "react" in found["strategies"]:
        new = sum(name == "react" for _, name in asked)
        old = sum(row["strategy"] == "react" for row in others)
        cost = react_cost(new) if new else {"calls": 0, "tokens": 0}
        for name, digits in (("calls", 1), ("tokens", None)):
            total = old * before.get(name, 0) + new * cost[name]
            found["strategies"]["react"][name] = round(total / (old + new), digits)
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: found[name] for name in found if name != "questions"}, indent=1))


if __name__ == "__main__":
    main()
