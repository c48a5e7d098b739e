"""Writes the measured numbers into the documents: `python -m lab.report`.

The tables of `docs/adapter.md` and of the model card stand between two marks and are made from
`training/results/`, so that a number is never typed by hand.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ("between_marks", "main", "tables")

BEGIN: Final = "<!-- measured: begin -->"
END: Final = "<!-- measured: end -->"
_BASE, _ADAPTED = "embedded:base", "embedded"
_NAMES: Final = {
    "exact_match": "exact match",
    "f1": "F1",
    "valid": "usable splits",
    "echo": "splits that repeat the question",
    "f1_with_gold": "F1 with the gold halves",
    "left_whole": "left whole",
    "accuracy": "accuracy",
    "single": "of `single` questions",
    "tree": "of `tree` questions",
    "hop": "of `hop` questions",
    "direct": "of `direct` questions",
    "good_total": "mean total of good ones",
    "bad_total": "mean total of spoiled ones",
    "auroc": "AUROC, good against spoiled",
    "weaker_found": "weaker half found",
    "failed": "calls without usable output",
}
"""The grades that are shown, in order."""


def tables(measured: dict[str, Any], agreement: dict[str, Any]) -> str:
    """Both tables in Markdown, with the commands that measured them."""
    base, adapted = (measured["models"][name] for name in (_BASE, _ADAPTED))
    lines = ["| step | questions | measure | without | with |", "|---|---|---|---|---|"]
    lines += _rows(base["steps"], adapted["steps"])
    lines += ["", f"Measured with `{measured['command']}`. {measured.get('note', '')}".rstrip(), ""]
    lines += ["| prompt | outputs that fit, without | with |", "|---|---|---|"]
    lines += [
        f"| {name} | {rate['rate']:.3f} of {rate['calls']} | {_rate(adapted, name)} |"
        for name, rate in base["parse_rate"].items()
    ]
    lines += [
        "",
        "| log-probabilities, engine against PyTorch | tokens | mean difference | largest |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {name} the adapter | {one['tokens']} | {one['mean_difference']} "
        f"| {one['largest_difference']} |"
        for name, one in agreement.items()
        if name in {"without", "with"}
    ]
    lines += ["", f"Measured with `{agreement['command']}`."]
    return "\n".join(lines)


def between_marks(document: str, table: str) -> str:
    """The document with the table in place of what stands between the marks.

    Raises:
        ValueError: A mark is missing.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def _rows(base: dict[str, Any], adapted: dict[str, Any]) -> Iterator[str]:
    for step, grades in base.items():
        after = adapted.get(step, {})
        for key, name in _NAMES.items():
            if key in grades or key in after:
                found = f"{after.get(key, 0):g}" if after else "not measured"
                yield f"| {step} | {grades['n']} | {name} | {grades.get(key, 0):g} | {found} |"


def _rate(model: dict[str, Any], prompt: str) -> str:
    rate = model["parse_rate"].get(prompt)
    return f"{rate['rate']:.3f} of {rate['calls']}" if rate else "not measured"


def main() -> None:
    """Write the tables into the documents given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=Path, nargs="*")
    parser.add_argument("--results", type=Path, default=Path("training/results"))
    options = parser.parse_args()
    documents = options.documents or [
        Path("docs/adapter.md"),
        Path("models/adapter/MODEL_CARD.md"),
    ]
    measured = json.loads((options.results / "measured.json").read_text())
    agreement = json.loads((options.results / "agreement.json").read_text())
    for document in documents:
        text = between_marks(document.read_text(), tables(measured, agreement))
        document.write_text(text)


if __name__ == "__main__":
    main()
