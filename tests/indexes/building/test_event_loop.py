"""Builds inside a running event loop: they block nothing, and end when they are cancelled."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document

from ..builds import Fake, documents, index

__all__ = ("documents", "index")


async def test_a_build_leaves_the_event_loop_free(
    directory: Path, documents: list[Document], make_embedder: Callable[..., Fake]
) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    def wait_for_ticks() -> None:
        """Block until the loop has run: for ever, if this is the loop's own thread."""
        wanted, deadline = ticks + 3, time.monotonic() + 60
        while ticks < wanted:
            assert time.monotonic() < deadline, "the event loop is blocked"
            time.sleep(0.001)

    def progress(stage: str, done: int, total: int) -> None:
        if stage in ("read", "dense", "sparse"):  # told by a thread at work
            stages.add(stage)
            wait_for_ticks()

    stages: set[str] = set()
    embedder = make_embedder(before=wait_for_ticks)
    ticking = asyncio.create_task(tick())
    new = Document("new", "", "new")
    await build(documents, directory=directory, embedder=embedder, progress=progress)
    await add([new], directory=directory, embedder=embedder, progress=progress)
    await remove(["new"], directory=directory, progress=progress)
    ticking.cancel()

    assert stages == {"read", "dense", "sparse"}
    assert len(embedder.embedded) == 11


async def test_two_indexes_build_at_once(
    tmp_path: Path, documents: list[Document], make_embedder: Callable[..., Fake]
) -> None:
    both = threading.Barrier(2, timeout=60)
    await asyncio.gather(
        *(
            build(documents, directory=tmp_path / name, embedder=make_embedder(before=both.wait))
            for name in ("a", "b")
        )
    )
    assert read_manifest(tmp_path / "a").counts == read_manifest(tmp_path / "b").counts


async def test_a_cancelled_build_ends_its_batch_and_continues_later(
    directory: Path, documents: list[Document], make_embedder: Callable[..., Fake], monkeypatch: Any
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.vectors.BATCH", 3)
    begun, goes_on = threading.Event(), threading.Event()
    embedder = make_embedder(before=lambda: (begun.set(), goes_on.wait(60)))
    task = asyncio.create_task(build(documents, directory=directory, embedder=embedder))
    await asyncio.to_thread(begun.wait, 60)

    for _ in range(3):  # the build waits for its thread, however often it is cancelled
        task.cancel()
        await asyncio.sleep(0.02)
        assert not task.done()
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert len(embedder.embedded) == 3
    assert not (directory / "manifest.json").exists()
    assert not (directory / "build.pid").exists()
    report = await build(documents, directory=directory, embedder=embedder)
    assert (report.added, report.embedded) == (10, 7)


async def test_a_cancelled_build_stops_reading(directory: Path, embedder: Fake) -> None:
    begun, ended = threading.Event(), False

    def documents() -> Iterator[Document]:
        nonlocal ended
        for number in range(60_000):
            begun.set()
            time.sleep(0.001)
            yield Document(f"d{number}", "", f"Text {number}.")
        ended = True

    task = asyncio.create_task(build(documents(), directory=directory, embedder=embedder))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not ended, "it has read for a minute"
    report = await build([Document("a", "", "A text.")], directory=directory, embedder=embedder)
    assert (report.added, report.removed) == (1, 0)
