"""The page `docs/performance.md`, of which each benchmark writes its own sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ("write_section",)

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance.md"


def write_section(heading: str, lines: Sequence[str]) -> None:
    """Replace a section of the page; a new one is appended.

    Args:
        heading: Its heading, of the second level.
        lines: The text below the heading.
    """
    section = "\n".join([f"## {heading}", "", *lines, ""])
    before, *sections = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    places = [n for n, text in enumerate(sections) if text.startswith(f"## {heading}\n")]
    if places:
        sections[places[0]] = section
    else:
        sections.append(section)
    PAGE.write_text("\n".join(part.strip("\n") + "\n" for part in [before, *sections]), "utf-8")
