"""Two invented reports of thirty pages, for tests that read inside long documents."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from building import build

from hopyard.indexes.corpus.records import PAGE_END, Document
from hopyard.testing.models import WordEmbedder

_PLAIN: Final = (
    "The harbour office describes pier {page} here. Ships moor at pier {page} in summer. "
    "The crane of pier {page} lifts heavy crates for the town."
)
_TOLLS: Final = (
    "Tolls of the year by kind of ship. Barges paid 1,200 crowns. Ferries paid {ferries} crowns.",
    "Tugs paid 90 crowns. All tolls together came to {total} crowns, as the auditor confirmed.",
)


def _report(year: int, ferries: str, total: str) -> Document:
    pages = [_PLAIN.format(page=page) for page in range(1, 31)]
    pages[6] = "Clause 4.2.1 lets the harbour master close pier 7 for repairs without notice."
    pages[17:19] = [page.format(ferries=ferries, total=total) for page in _TOLLS]
    return Document(
        id=f"report-{year}",
        title=f"Harbour Report {year}",
        text=f"\n\n{PAGE_END}".join(pages),
        source=f"reports/harbour_{year}.pdf",
    )


REPORTS: Final = (_report(2023, "310", "1,600"), _report(2024, "455", "1,745"))
"""The tolls begin on page 18 and end on page 19; clause 4.2.1 is on page 7."""


def build_reports(directory: Path) -> Path:
    """An index of the reports and a short letter."""
    letter = Document(id="letter", title="Letter", text="Ann asks who confirmed the tolls.")
    build(
        [*REPORTS, letter],
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=24,
        kinds=("dense", "sparse"),
    )
    return directory
