"""Real reports keep their words, and the comparison costs little of the time of reading."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from .conftest import Compared

pytest.importorskip("pypdfium2")

DATA = Path(__file__).parents[5] / "shared" / "data"
FILES = sorted(DATA.glob("*/pdf/*.pdf"))
PAGES = 4
WHOLE = 10_000 if os.environ.get("HOPYARD_TEST_SIZE") else 40
"""Pages of a file that is read whole, at most."""


@pytest.mark.timeout(180 if WHOLE == 40 else 3600)
@pytest.mark.skipif(not FILES, reason="the data sets are not there")
@pytest.mark.parametrize("part", range(4))
def test_pages_of_reports_keep_their_words(part: int, compared: Compared) -> None:
    for file in FILES[part::4]:
        kept = compared(file.name, some_pages(file)).kept
        assert kept is not None
        assert kept.is_whole, f"{file.name}: {kept}"


def some_pages(file: Path) -> bytes:
    """A file; of a long one a few pages from the middle, as a file of their own."""
    import pypdfium2

    whole = pypdfium2.PdfDocument(file)
    if len(whole) <= WHOLE:
        whole.close()
        return file.read_bytes()
    cut = pypdfium2.PdfDocument.new()
    first = max(0, len(whole) // 2 - PAGES // 2)
    cut.import_pages(whole, list(range(first, min(len(whole), first + PAGES))))
    stream = io.BytesIO()
    cut.save(stream)
    cut.close()
    whole.close()
    return stream.getvalue()
