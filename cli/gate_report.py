"""What the gate's commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from hopyard.classifiers.labels import Label, count_drops
from hopyard.cli.console import out, print_json

__all__ = ("show_labels",)


def show_labels(labels: Sequence[Label], path: Path, *, as_json: bool) -> None:
    """What a labelling found: labels by rule, dropped questions by reason."""
    rules = Counter((one.rule, one.label) for one in labels if one.label is not None)
    found = {
        "labels": str(path),
        "model": labels[0].model if labels else "",
        "questions": len(labels),
        "retrieve": sum(one.label == 1 for one in labels),
        "no_retrieval": sum(one.label == 0 for one in labels),
        "rules": {
            rule: {"retrieve": rules[rule, 1], "no_retrieval": rules[rule, 0]}
            for rule in sorted({rule for rule, _ in rules})
        },
        "dropped": count_drops(labels),
        "seconds_a_question": round(fmean(one.seconds for one in labels), 3) if labels else 0.0,
    }
    if as_json:
        print_json(found)
        return
    out.print(
        f"{found['questions']} questions: {found['retrieve']} need retrieval, "
        f"{found['no_retrieval']} do not; {found['seconds_a_question']} s a question."
    )
    drops = ", ".join(f"{reason} {count}" for reason, count in count_drops(labels).items())
    out.print(f"Not answered rightly from their passages: {drops or 'none'}.", style="dim")
