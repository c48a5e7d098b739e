"""The report of an evaluation of questions about a whole corpus as files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hopyard.evaluation.global_report import GlobalReport
from hopyard.measures.bootstrap import Interval
from hopyard.state.storage.atomic import write_file
from hopyard.state.storage.lines import write_model
from hopyard.state.text.counting import counted
from hopyard.state.text.template import render_markdown

__all__ = ("GLOBAL_PAGE", "GLOBAL_REPORT", "save_global_report")

GLOBAL_REPORT: Final = "global.json"
GLOBAL_PAGE: Final = "global.md"


def save_global_report(report: GlobalReport, folder: Path) -> None:
    """Write global.json and global.md."""
    write_model(folder / GLOBAL_REPORT, report)
    tools = {"counted": counted, "rate": _rate, "bounds": _bounds}
    page = render_markdown("hopyard.evaluation", GLOBAL_PAGE, report=report, **tools)
    write_file(folder / GLOBAL_PAGE, page.encode())


def _rate(value: Interval | None) -> str:
    if value is None:
        return "–"
    text = _bounds(value)
    return f"**{text}**" if value.low > 0.5 or value.high < 0.5 else text


def _bounds(value: Interval) -> str:
    return f"{100 * value.mean:.1f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"
