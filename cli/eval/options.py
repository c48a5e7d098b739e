"""Options that `hopyard eval` and `hopyard eval-global` share."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Final

import typer

from hopyard.measures.questions import Half
from hopyard.state.errors import StoppedByUserError

__all__ = (
    "PARALLEL",
    "SAMPLE",
    "DryRunOption",
    "HalfOption",
    "LimitOption",
    "MaxCallsOption",
    "MaxSecondsOption",
    "MaxTokensOption",
    "NameOption",
    "OutOption",
    "ParallelOption",
    "SampleOption",
    "SplitOption",
    "StrategiesOption",
    "interrupted",
    "names",
    "recording",
    "selection",
)

PARALLEL: Final = 16
"""Questions at once. The built-in model answers one call at a time, but calls of one prompt that
wait together follow one another, and share the prompt's beginning."""
SAMPLE: Final = 3
"""Questions that `--dry-run` asks to learn what one costs."""

StrategiesOption = Annotated[
    str,
    typer.Option(
        "--strategies",
        "-s",
        help="Columns: tree,tree+mmr,tree@tree.theta=0.6.",
    ),
]
SplitOption = Annotated[str, typer.Option(help="Only questions of this split.")]
LimitOption = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, show_default=False, help="Only the first N of these questions."
    ),
]
HalfOption = Annotated[
    Half | None,
    typer.Option(help="Only this half of the questions."),
]
NameOption = Annotated[str, typer.Option(help="Name of the question set.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder for records and report.")]
ParallelOption = Annotated[int, typer.Option(metavar="N", min=1, help="Questions at once.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Estimate the cost from a sample.")]
SampleOption = Annotated[
    int, typer.Option(metavar="N", min=1, help="Questions asked by --dry-run.")
]
MaxCallsOption = Annotated[
    int,
    typer.Option(metavar="N", min=0, show_default=False, help="Model calls of this run at most."),
]
MaxTokensOption = Annotated[
    int,
    typer.Option(metavar="N", min=0, show_default=False, help="Tokens of this run at most."),
]
MaxSecondsOption = Annotated[
    float, typer.Option(metavar="N", min=0, show_default=False, help="Seconds of this run at most.")
]


def names(text: str) -> list[str]:
    """The names in a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def recording(folder: Path | None) -> AbstractContextManager[None]:
    """Record model calls in a folder, if one is given."""
    from hopyard.nodes.resources import shared_resources

    return shared_resources().recording(folder) if folder else nullcontext()


def selection(split: str, half: Half | None, limit: int) -> str:
    """Which questions of the set are asked, as part of a sentence."""
    parts = [
        f"split {split}" if split else "",
        f"{half} half" if half else "",
        f"the first {limit}" if limit else "",
    ]
    return ", ".join(part for part in parts if part)


def interrupted(folder: Path) -> StoppedByUserError:
    """The error of Ctrl-C during an evaluation."""
    return StoppedByUserError(
        f"Interrupted. The answers so far are in {folder}. The same command continues."
    )
