"""A corpus store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hopyard.indexes.corpus.store import CorpusStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CorpusStore]:
    with CorpusStore(tmp_path) as store:
        yield store
