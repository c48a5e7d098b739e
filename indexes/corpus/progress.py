"""Callbacks that report the progress of a build."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, the items done, and how many there are (0: not known yet). A build
calls it from several threads, one at a time."""


def silent(stage: str, done: int, total: int) -> None:
    """The progress callback that says nothing."""
    del stage, done, total
