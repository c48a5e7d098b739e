"""Writes the shipped gate's numbers into `docs/gate.md`: `python -m lab.gate_report`.

The block between the two marks is made from the gate's `gate.json` and `evaluation.json`, so that
no number is typed by hand. `--tried FOLDER…` first notes what other trainings gave, each in the
folder of its gate, in `classifiers/results/tried.json`; what was tried is shown beside what ships.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from hopyard.classifiers.card import evaluation_lines
from hopyard.classifiers.evaluate import read_evaluation
from hopyard.classifiers.manifest import MANIFEST_FILE, read_manifest
from hopyard.state.atomic import write_file
from hopyard.state.errors import UsageError

__all__ = ("BEGIN", "END", "between_marks", "block", "main", "noted", "tried_table")

BEGIN: Final = "<!-- gate: begin -->"
END: Final = "<!-- gate: end -->"


def block(folder: Path) -> str:
    """What is known of the gate in a folder, in Markdown."""
    if not (folder / MANIFEST_FILE).is_file():
        return "No gate ships with this version yet."
    return "\n".join(_lines(folder)).rstrip()


def _lines(folder: Path) -> Iterator[str]:
    manifest = read_manifest(folder)
    size = sum(one.stat().st_size for one in folder.iterdir() if one.is_file())
    train, held_out = manifest.labels["train"], manifest.labels["validation"]
    yield (
        f"The gate that ships: for `{manifest.model}`, {manifest.parameters / 1e6:.1f}M "
        f"parameters, {size / 1e6:.1f} MB, trained on {sum(train.values())} labelled questions "
        f"({train['retrieve']} need retrieval), with {sum(held_out.values())} more for early "
        f"stopping, temperature {manifest.temperature:.2f} and threshold "
        f"{manifest.threshold:.2f}."
    )
    yield ""
    questions = sum(train.values()) + sum(held_out.values())
    yield (
        f"It cost {manifest.training['labelling_seconds'] / 60:.0f} minutes of labelling (those "
        f"{questions} questions and the dropped ones without a label) and "
        f"{manifest.training['training_seconds'] / 60:.0f} minutes of training."
    )
    yield ""
    if found := read_evaluation(folder):
        yield from evaluation_lines(found)


def noted(folder: Path) -> dict[str, Any]:
    """What the training of the gate in a folder was, and gave on validation."""
    manifest = read_manifest(folder)
    settings = manifest.training["settings"]
    return {
        "name": folder.name,
        "model": manifest.model,
        "base": manifest.base,
        "pretraining": settings["pretraining"],
        "steps": settings["pretraining_steps"] if settings["pretraining"] != "none" else 0,
        "rate": manifest.training["rate"],
        "class_weights": settings["class_weights"],
        "dropout": settings["dropout"],
        "seed": settings["seed"],
        "labels": sum(sum(one.values()) for one in manifest.labels.values()),
        "loss": min(manifest.training["validation_losses"]),
        **manifest.validation,
    }


def tried_table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """All trainings in Markdown."""
    columns = ("name", "base", "pretraining", "steps", "rate", "class_weights", "dropout", "seed")
    numbers = ("labels", "loss", "auroc", "ece")
    names = (*columns, *numbers)
    yield f"| {' | '.join(name.replace('_', ' ') for name in names)} | labelled with |"
    yield f"|{'---|' * (len(names) + 1)}"
    for row in rows:
        model = row["model"].rpartition("/")[2]
        yield f"| {' | '.join(str(row[name]) for name in names)} | {model} |"


def between_marks(document: str, text: str) -> str:
    """The document with the text in place of what stands between the marks.

    Raises:
        UsageError: A mark is missing.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(f"The document has no {BEGIN} … {END}; add both marks.")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and write the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gate", type=Path, default=Path("classifiers/gate"))
    parser.add_argument("--document", type=Path, default=Path("docs/gate.md"))
    parser.add_argument("--tried", type=Path, nargs="*", default=[], help="folders of gates")
    parser.add_argument("--results", type=Path, default=Path("classifiers/results/tried.json"))
    options = parser.parse_args(arguments)
    rows = json.loads(options.results.read_bytes()) if options.results.exists() else []
    new = [noted(folder) for folder in options.tried]
    names = {one["name"] for one in new}
    rows = [one for one in rows if one["name"] not in names] + new
    text = block(options.gate)
    if rows:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        write_file(options.results, (json.dumps(rows, indent=1) + "\n").encode())
        text += "\n\nTrainings that were tried, on their validation split:\n\n"
        text += "\n".join(tried_table(rows))
    document = between_marks(options.document.read_text(encoding="utf-8"), text)
    write_file(options.document, document.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
