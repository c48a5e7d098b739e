"""Measure model variants: `python -m lab.measure DATA SAMPLE --out FILE.json`.

Every call uses the product's own path (constrained output, repair, retries) and a ledger in a
temporary folder, so that no answer comes from an earlier run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from hopyard.nodes.resources import shared_resources
from hopyard.state.errors import ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context
from lab.held_out import Case, cases
from lab.scores import auroc

__all__ = ("main", "measure")

_CUT_OFF: Final = "length limit"
"""In the client's message for an answer that did not end: a failure, not a missing model."""


async def measure(model: str, asked: Sequence[Case]) -> dict[str, Any]:
    """Grades by step, and the parse rate of every prompt."""
    context = Context(model=model)
    caller = shared_resources().caller(model)
    grades: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = defaultdict(int)
    for case in asked:
        counts[case.step] += 1
        try:
            output = await caller.call(case.prompt, case.values, context, "measure")
        except (ModelOutputError, ModelUnreachableError) as error:
            if isinstance(error, ModelUnreachableError) and _CUT_OFF not in str(error):
                raise
            grades[case.step]["failed"].append(1.0)
            continue
        for name, grade in case.grade(output).items():
            grades[case.step][name].append(grade)
    steps = {step: {"n": counts[step], **_summary(found)} for step, found in grades.items()}
    parsed = {
        rate.prompt: {"calls": rate.calls, "rate": round(rate.rate, 4)}
        for rate in caller.ledger.parse_rates()
    }
    return {"identity": caller.provider.identity, "steps": steps, "parse_rate": parsed}


def _summary(grades: dict[str, list[float]]) -> dict[str, float]:
    """Means; for a judge also how well its totals tell good from bad."""
    summary = {name: round(fmean(values), 3) for name, values in grades.items()}
    if "good_total" in grades and "bad_total" in grades:
        summary["auroc"] = round(auroc(grades["good_total"], grades["bad_total"]), 3)
    if "failed" in grades:
        summary["failed"] = sum(grades["failed"])
    return summary


def main() -> None:
    """Measure the variants one after the other and write one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the question sets")
    parser.add_argument("sample", type=Path, help="the sample corpus's questions.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", nargs="+", default=["embedded:base", "embedded"])
    parser.add_argument("--limit", type=int, default=60, help="cases for each step and set at most")
    parser.add_argument("--steps", default="", help="only steps whose name begins with this")
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    report: dict[str, Any] = {
        "command": "python -m lab.measure " + shlex.join(sys.argv[1:]),
        "seed": options.seed,
        "models": {},
    }
    asked = [
        case
        for case in cases(options.data, options.sample, options.limit, options.seed)
        if case.step.startswith(options.steps)
    ]
    for model in options.models:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as home:
            os.environ["HOPYARD_HOME"] = home
            report["models"][model] = asyncio.run(measure(model, asked))
        report["models"][model]["seconds"] = round(time.monotonic() - started)
        options.out.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        print(json.dumps(report["models"][model], indent=1), flush=True)


if __name__ == "__main__":
    main()
