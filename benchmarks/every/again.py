"""Questions of the forty asked again in other words: the calls of `every`, and what it answers.

    python benchmarks/every/questions.py DATA FOLDER
    PYTHONPATH=. python benchmarks/every/again.py FOLDER MODEL [--set NAME=VALUE ...]

Asks ten questions, then the same ten in other words, and scores both as `measure.py` does. Then one
call each compares other questions with the ten: with another condition, so that none of the
tables answers them. Results go to `benchmarks/results/every_again.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any, Final

from benchmarks.every.measure import scored
from hopyard import Hopyard
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.strategies.every import AGAIN
from hopyard.state.settings.fields import Context

RESULTS: Final = Path(__file__).parents[1] / "results" / "every_again.json"
AGAIN_AS: Final = {
    "filings-01": "Give me every 10-K annual report among the filings, with company and "
    "fiscal year.",
    "filings-03": "What does Best Buy have among the filings, and what form does each one have?",
    "filings-06": "Welche Unterlagen gibt es von Corning, und zu welchem Geschäftsjahr?",
    "filings-07": "Name the 10-Qs and whose they are.",
    "filings-08": "What press releases about a quarter's earnings are there, 10-Qs left out, and "
    "who issued them?",
    "news-01": "How many articles did Engadget bring out in November 2023?",
    "news-12": "What did Kyle Wiggers write, and when did each article appear?",
    "films-03": "How many films from the years 1930 to 1935 have a document of their own?",
    "films-13": "Which Italian films have their own document? Give the year of each.",
    "films-16": "Name every silent film that is described in its own document and when it came "
    "out.",
}
OTHER: Final = {
    "filings": ("How many filings are of MGM Resorts?", "Which filings are of Corning, and who "
                "audited each?", "Which filings are annual reports for fiscal year 2022?"),
    "news": ("Which articles did Engadget publish in October 2023, and who wrote each?",
             "Which articles did The Verge publish in November 2023, and who wrote each?",
             "List all articles by Kyle Wiggers about OpenAI with their dates.",
             "List all articles by Elizabeth Lopatto with their dates."),
    "films": ("Which films from 1930 to 1939 are described in a document of their own?",
              "Which films from 1930 to 1935 are described in a document of their own, and who "
              "wrote each?", "List all Italian silent films that have a document of their own."),
}  # fmt: skip


async def ask(hop: Hopyard, line: dict[str, Any], titles: list[str]) -> dict[str, Any]:
    """Ask one question, and score it."""
    answer = await hop.aask(line["question"], strategy="every")
    row = scored(line, titles, answer)
    print(line["id"], line["question"][:60], "->", row.pop("answer").partition("\n")[0], flush=True)
    recalled = [step for step in answer.steps if step.id == "recall" and step.reason]
    return {
        "id": line["id"],
        "question": line["question"],
        "exact": row["exact"],
        "paid calls": answer.usage.model_calls,
        "all calls": row["calls"],
        "paid tokens": answer.usage.input_tokens + answer.usage.output_tokens,
        "taken": bool(recalled),
    }


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Both wordings of each corpus, then the other questions."""
    settings = dict(pair.split("=", 1) for pair in options.set)
    found: dict[str, Any] = {"first": [], "again": [], "other": []}
    for name, others in OTHER.items():
        folder = options.folder / name
        titles = [json.loads(line)["title"] for line in (folder / "corpus.jsonl").open()]
        lines = [
            line
            for line in map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
            if line["id"] in AGAIN_AS
        ]
        hop = Hopyard(folder / "index", model=options.model, settings=settings)
        found["first"] += await asyncio.gather(*(ask(hop, line, titles) for line in lines))
        worded = [{**line, "question": AGAIN_AS[line["id"]]} for line in lines]
        for line in worded:
            line["kind"] = "count" if line["question"].startswith("How many") else "list"
        found["again"] += await asyncio.gather(*(ask(hop, line, titles) for line in worded))
        await hop.aclose()
        listed = "\n".join(f"{place}. {line['question']}" for place, line in enumerate(lines, 1))
        context = Context.model_validate({"model": options.model, **settings})
        with Resources() as resources:
            run = Run("", context, resources)
            outputs = await asyncio.gather(
                *(run.call(AGAIN, {"earlier": listed, "question": other}) for other in others)
            )
        found["other"] += [
            {"question": other, "taken": bool(output.earlier)}
            for other, output in zip(others, outputs, strict=True)
        ]
    return found


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("model")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    found = asyncio.run(measure(options := parser.parse_args()))
    text = json.dumps({"model": options.model, **found}, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
