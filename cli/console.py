"""Where the command line prints: answers to standard output, everything else to the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hopyard.state.text.unicode import valid_unicode

if TYPE_CHECKING:
    from hopyard.indexes.kind import Progress as ProgressCallback

__all__ = ("err", "out", "print_json", "printable", "progress_bar")

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All of them but tab and line feed; and what turns the direction of the text after it."""

T = TypeVar("T")


def printable(value: T) -> T:
    """The value without control characters in its texts: a terminal would obey them."""
    if isinstance(value, str):
        return cast(T, _CONTROL.sub("", valid_unicode(value)))
    if isinstance(value, Mapping):
        return cast(T, {key: printable(part) for key, part in value.items()})
    if isinstance(value, list):
        return cast(T, [printable(part) for part in value])
    return value


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(valid_unicode(json.dumps(value, ensure_ascii=False)))


class _Counts(MofNCompleteColumn):
    """How many are done; bytes as sizes."""

    def render(self, task: Task) -> Text:
        if task.description != "bytes":
            return super().render(task)
        total = "?" if task.total is None else decimal(int(task.total))
        return Text(f"{decimal(int(task.completed))}/{total}", style="progress.download")


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """A bar for each stage of a long work, on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        _Counts(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err) as progress:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if not done and not total:  # a stage with nothing to do would never end
                return
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total or None)
            progress.update(tasks[stage], completed=done, total=total or None)

        yield report
