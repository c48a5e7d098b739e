"""Where the command line prints: answers to standard output, everything else to the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar, cast

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

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All of them but tab and line feed; and what turns the direction of the text after it."""

FILES: Final = "files"
"""The stage of a build that counts files."""
_LONGEST_NAME: Final = 40

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


def say(text: str | Text, style: str = "") -> None:
    """Print a text as it is, without markup and without breaking its lines."""
    out.print(text, style=style, markup=False, soft_wrap=True)


def tell(text: str | Text, style: str = "") -> None:
    """As `say`, on standard error."""
    err.print(text, style=style, markup=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(valid_unicode(json.dumps(value, ensure_ascii=False)))


_IN_BYTES: Final = frozenset({"bytes", "copy", "fetch", "publish"})
"""The stages that count bytes."""


class _Counts(MofNCompleteColumn):
    """How many are done; bytes as sizes."""

    def render(self, task: Task) -> Text:
        if task.description not in _IN_BYTES:
            return super().render(task)
        total = "?" if task.total is None else decimal(int(task.total))
        return Text(f"{decimal(int(task.completed))}/{total}", style="progress.download")


class ProgressBar:
    """A bar for each stage of a long work; the callback that a build takes."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        if not done and not total:  # a stage with nothing to do would never end
            return
        self._progress.start()
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total or None, file="")
        self._progress.update(self._tasks[stage], completed=done, total=total or None)

    def show_file(self, path: Path) -> None:
        """Name the file that is being read, which may be slow."""
        if FILES in self._tasks:
            self._progress.update(self._tasks[FILES], file=printable(path.name)[:_LONGEST_NAME])


def print_either(value: Any, sentence: str, *, as_json: bool) -> None:
    """One JSON object for programs, or a sentence for people."""
    if as_json:
        print_json(value)
    else:
        say(sentence)


@contextmanager
def progress_bar() -> Iterator[ProgressBar]:
    """A bar for each stage of a long work, on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        _Counts(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[file]}", markup=False, style="dim"),
    )
    progress = Progress(*columns, console=err)  # it starts with the first stage
    try:
        yield ProgressBar(progress)
    finally:
        if progress.live.is_started:  # the end of none prints an empty line
            progress.stop()
