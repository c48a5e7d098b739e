"""Builds an index for a test, in or out of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hopyard.indexes.building import build as building
from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus.records import Document

T = TypeVar("T")


def build(documents: Iterable[Document], **options: Any) -> BuildReport:
    """`hopyard.indexes.building.build.build`, waited for."""
    return wait(building.build(documents, **options))


def wait(work: Coroutine[Any, Any, T]) -> T:
    """The result of async work, from an event loop of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
