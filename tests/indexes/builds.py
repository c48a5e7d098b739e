"""Common parts of the tests of a build: an index of ten documents, and its state to compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import BuildReport, build
from hopyard.indexes.corpus.records import Document

Fake = Any  # the fixture's class is not importable
MakeDocuments = Callable[[int], list[Document]]


@pytest.fixture
def documents(make_documents: MakeDocuments) -> list[Document]:
    return make_documents(10)


@pytest.fixture
async def index(directory: Path, documents: list[Document], embedder: Fake) -> Path:
    """An index of ten documents; `embedder.embedded` starts empty again."""
    await build(documents, directory=directory, embedder=embedder)
    embedder.embedded.clear()
    return directory


def counts(report: BuildReport) -> tuple[int, ...]:
    return report.added, report.updated, report.removed, report.unchanged, report.embedded


def state(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of an index that a reader depends on, with the time of its last change."""
    return {
        file.relative_to(directory).as_posix(): (file.stat().st_mtime_ns, file.read_bytes())
        for file in sorted(directory.rglob("*"))
        if file.is_file() and not file.name.startswith("build.")
    }


def changed(document: Document) -> Document:
    return replace(document, text=f"Something else than {document.id}.")
