"""A text of a Rich Text file as it is read: its paragraphs and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hopyard.indexes.documents.readers.marks import join_runs
from hopyard.indexes.documents.readers.sheets import joined_heads
from hopyard.indexes.passages.markdown import table_lines

_BULLETS: Final = frozenset("·•o§-–")
_DEEPEST: Final = 6


@dataclass(slots=True)
class Flow:
    """A text that is being read: the document, a note, a header."""

    blocks: list[str] = field(default_factory=list)
    runs: list[tuple[str, bool]] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    heads: int = 0
    merged: list[bool] = field(default_factory=list)
    is_merged: bool = False
    after: list[str] = field(default_factory=list)
    """Comments and text boxes, which follow the paragraph that they belong to."""

    def table(self, word: str) -> None:
        """Take a word that is about tables; others change nothing."""
        if word == "trowd":
            self.merged, self.is_merged = [], False
            if self.row:  # the definition is written again at the end of the row
                return
            self.paragraph()
        elif word == "clvmrg":
            self.is_merged = True
        elif word == "cellx":
            self.merged.append(self.is_merged)
            self.is_merged = False
        elif word == "trhdr":
            self.heads = max(self.heads, len(self.rows) + 1)
        elif word == "cell":
            self.paragraph(in_table=True)
            self.row.append(" ".join(self.cell))
            self.cell = []
        elif word == "row" and self.row:
            self._end_row()

    def _end_row(self) -> None:
        above = self.rows[-1] if self.rows else []
        for place, is_merged in enumerate(self.merged[: len(self.row)]):
            if is_merged and place < len(above) and not self.row[place].strip():
                self.row[place] = above[place]
        self.rows.append(self.row)
        self.row = []

    def paragraph(self, level: int = 0, *, in_table: bool = False) -> None:
        """End a paragraph, or a heading of a level from 1."""
        lines = join_runs(self.runs).split("\n")
        text = "\n".join(" ".join(line.split()) for line in lines).strip()
        self.runs = []
        if in_table or (self.row and text):
            if text:
                self.cell.append(text.rstrip(";, "))
            return
        if text:
            self.end_table()
            self.blocks.append(f"{'#' * level} {text}" if 0 < level <= _DEEPEST else text)
        if self.after and not self.row:
            self.end_table()
            self.blocks += self.after
            self.after = []

    def end_table(self) -> None:
        """Write the table that was read."""
        if self.row:
            self.rows.append(self.row)
        if self.rows:
            self.blocks.append("\n".join(table_lines(joined_heads(self.rows, self.heads))))
        self.row, self.rows, self.heads = [], [], 0

    def list_mark(self) -> None:
        """Write the number of a list item as it is, and a bullet as a dash."""
        text = "".join(run for run, _ in self.runs).strip()
        if text:
            self.runs = [("- " if text in _BULLETS else f"{text} ", False)]
