"""Write the measured numbers into the adapter's model card: `python -m lab.report`.

The tables of the card stand between two marks. They are made from `lab/results/`, so that no number
is typed by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ("main", "replace_between_marks", "tables")

RESULTS: Final = Path(__file__).with_name("results")
CARD: Final = Path("models/builtin/adapter/MODEL_CARD.md")
BEGIN: Final = "<!-- measured: begin -->"
END: Final = "<!-- measured: end -->"
_BASE, _ADAPTED = "embedded:base", "embedded"
_NAMES: Final = {
    "exact_match": "exact match",
    "f1": "F1",
    "valid": "usable splits",
    "echo": "splits that repeat the question",
    "f1_with_gold": "F1 with the gold sub-questions",
    "left_whole": "left whole",
    "accuracy": "accuracy",
    "single": "of `single` questions",
    "tree": "of `tree` questions",
    "hop": "of `hop` questions",
    "direct": "of `direct` questions",
    "good_total": "mean total of good ones",
    "bad_total": "mean total of corrupted ones",
    "auroc": "AUROC, good against corrupted",
    "weaker_found": "weaker sub-question found",
    "failed": "calls without usable output",
}
"""Columns of the report, in order."""


def tables(measured: dict[str, Any], agreement: dict[str, Any]) -> str:
    """Both tables in Markdown, with the commands that measured them."""
    base, adapted = (measured["models"][name] for name in (_BASE, _ADAPTED))
    lines = ["| step | questions | measure | without | with |", "|---|---|---|---|---|"]
    lines += _rows(base["steps"], adapted["steps"])
    lines += ["", f"Measured with `{measured['command']}`. {measured.get('note', '')}".rstrip(), ""]
    lines += ["| prompt | outputs that fit the schema, without | with |", "|---|---|---|"]
    lines += [
        f"| {name} | {rate['rate']:.3f} of {rate['calls']} | {_rate(adapted, name)} |"
        for name, rate in base["parse_rate"].items()
    ]
    lines += [
        "",
        "| log-probabilities, engine against PyTorch | tokens | mean difference | largest |",
        "|---|---|---|---|",
    ]
    for name in ("without", "with"):
        found = agreement[name]
        lines.append(
            f"| {name} the adapter | {found['tokens']} | {found['mean_difference']} "
            f"| {found['largest_difference']} |"
        )
    lines += ["", f"Measured at that commit with `{agreement['command']}`."]
    return "\n".join(lines)


def replace_between_marks(document: str, text: str) -> str:
    """Replace what stands between the two marks of a document.

    Raises:
        ValueError: A mark is missing.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


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
    """Write the tables into the model card."""
    measured = json.loads((RESULTS / "measured.json").read_text())
    agreement = json.loads((RESULTS / "agreement.json").read_text())
    text = replace_between_marks(CARD.read_text(), tables(measured, agreement))
    CARD.write_text(text)


if __name__ == "__main__":
    main()
