"""Questions over whole tables, with answers computed from the cells: `table` beside `chain`.

    python benchmarks/tables.py write samples           # papers/ and questions.jsonl
    hopyard index build samples/papers --out tables-index --with dense,sparse,tables
    python benchmarks/tables.py ask samples tables-index --model openai:gpt-5 --strategy table

`--strategy chain --step 2` asks `chain` every second question.

The papers are invented. An answer is right if it has every value of the computed answer: texts as
they are, numbers with all their digits or rounded to two decimals. Needs `pip install python-docx`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

import table_papers
from table_questions import QUESTIONS

_NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)


def write(folder: Path) -> None:
    """Write the papers and the questions."""
    made = table_papers.write(folder / "papers")
    asked = [
        {"id": f"tables-{number:02}", "question": question, "answer": list(map(str, answer(made)))}
        for number, (question, answer) in enumerate(QUESTIONS, 1)
    ]
    (folder / "questions.jsonl").write_text(
        "".join(f"{json.dumps(q, ensure_ascii=False)}\n" for q in asked), encoding="utf-8"
    )


def is_right(answer: str, values: Sequence[str]) -> bool:
    """Whether an answer has every value: a text, or a number with two decimals at least."""
    text = _CODE.sub("", answer)
    plain = text.replace("\u202f", "").replace("\u00a0", "").replace("−", "-")
    numbers = {Decimal(found.replace(",", "")) for found in _NUMBER.findall(plain)}
    numbers |= {
        Decimal(found.replace(".", "").replace(",", "."))
        for found in re.findall(
            r"(?<![\w.])-?\d{1,3}(?:\.\d{3})*,\d{1,2}(?!\d)|(?<![\w.])-?\d+,\d{1,2}(?!\d)", plain
        )
    }
    return all(_has(value, plain.casefold(), numbers) for value in values)


def _has(value: str, text: str, numbers: Iterable[Decimal]) -> bool:
    try:
        wanted = Decimal(value)
    except ArithmeticError:
        return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text) is not None
    close = Decimal("0.0051") if wanted != wanted.to_integral_value() else Decimal(0)
    return any(abs(number - wanted) <= close for number in numbers)


async def ask(options: argparse.Namespace) -> None:
    """Ask, and print what was wrong."""
    from hopyard.evaluation.ask import ask as record_of
    from hopyard.evaluation.variants import Variant
    from hopyard.measures.questions import Question
    from hopyard.nodes.resources import Resources
    from hopyard.state.settings.sources import read_context

    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines][:: options.step][: options.most]
    given = {"index": str(options.index), "model": options.model, "answer": {"check": "rules"}}
    waits = {"timeout": 20000.0, "concurrency": 100} if options.wait else {}
    context, variant = read_context({**given, **waits}), Variant(options.strategy, options.strategy)
    with Resources() as resources:
        questions = [Question(id=item["id"], question=item["question"]) for item in asked]
        results = await asyncio.gather(
            *(
                record_of(each, variant, context, f"{options.strategy}/{each.id}", resources)
                for each in questions
            )
        )
    wrong, costs = [], [record.cost for record, _ in results]
    for item, (record, _) in zip(asked, results, strict=True):
        if not is_right(record.answer, item["answer"]):
            wrong.append({**item, "given": record.answer})
    said = {
        "questions": len(asked),
        "right": len(asked) - len(wrong),
        "calls": sum(cost.model_calls for cost in costs),
        "input_tokens": sum(cost.input_tokens for cost in costs),
        "output_tokens": sum(cost.output_tokens for cost in costs),
    }
    print(json.dumps({**said, "wrong": wrong}, ensure_ascii=False, indent=1))
    if options.out:
        told = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}
        told[options.strategy] = {"model": options.model, **said, "wrong": wrong}
        text = json.dumps(told, ensure_ascii=False, indent=1)
        options.out.write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Write the papers, or ask."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    writing = parts.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.set_defaults(run=lambda options: write(options.folder))
    asking = parts.add_parser("ask")
    asking.add_argument("folder", type=Path)
    asking.add_argument("index", type=Path)
    asking.add_argument("--model", required=True)
    asking.add_argument("--strategy", required=True)
    asking.add_argument("--step", type=int, default=1, help="ask every n-th question")
    asking.add_argument("--most", type=int, help="questions at most")
    asking.add_argument("--wait", action="store_true", help="wait hours for an answer")
    asking.add_argument("--out", type=Path, help="JSON file that keeps the result")
    asking.set_defaults(run=lambda options: asyncio.run(ask(options)))
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
