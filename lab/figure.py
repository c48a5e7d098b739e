"""Small figures as PNG files. The same numbers give the same file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ("figure",)


@contextmanager
def figure(file: Path, *, across: str, up: str, title: str) -> Iterator[Any]:
    """Draw into the axes that this gives; the file is written at the end of the block.

    Args:
        file: The PNG file; its folder is made if it is missing.
        across: Label of the horizontal axis.
        up: Label of the vertical axis.
        title: The measured values.
    """
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = drawn.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    yield axes
    file.parent.mkdir(parents=True, exist_ok=True)
    # Matplotlib's date and version are left out, so that the same numbers give the same file.
    drawn.savefig(file, dpi=110, metadata={"Software": None})
