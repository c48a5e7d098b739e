"""An index of the documents of a test's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.index import Index


@pytest.fixture
async def index(request: pytest.FixtureRequest, directory: Path, embedder: Any) -> Any:
    await build(request.module.DOCUMENTS, directory=directory, embedder=embedder)
    with Index.open(directory, embedder) as opened:
        yield opened
