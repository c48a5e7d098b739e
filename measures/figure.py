"""One small figure as a PNG file, the same file for the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hopyard.state.errors import UsageError

__all__ = ("new_axes", "save_figure")


def new_axes(across: str, up: str) -> tuple[Any, Any]:
    """A figure with named axes.

    Args:
        across: What the horizontal axis shows.
        up: What the vertical axis shows.

    Raises:
        UsageError: Matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError(
            "Figures need matplotlib, which is not installed: `pip install 'hopyard[gate]'`, "
            "or leave them out with --no-figures where the command has it."
        ) from error
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def save_figure(figure: Any, file: Path) -> Path:
    """Write the figure, and make its folder if need be."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # Without the date and version that matplotlib writes, the same numbers give the same file.
    figure.savefig(file, dpi=110, metadata={"Software": None})
    return file
