"""Facts about the index of a run: its kinds, its names, how near it is to a text. No model call."""

from __future__ import annotations

import asyncio
from typing import Final

from hopyard.indexes import named
from hopyard.indexes.corpus.manifest import Manifest, read_manifest
from hopyard.indexes.index import Index
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.embedder import Vector
from hopyard.nodes.resources import index_folder
from hopyard.nodes.run import Run, index_name
from hopyard.state.errors import IndexMissingError

_CLOSEST: Final = 3
"""Passages whose distance counts: a single one may be near by chance."""


async def check_index(run: Run) -> None:
    """See that the index that the settings name, and their filter, can be used.

    The agent does so before anything is spent. Settings without an index are fine: not every
    question needs one.
    """
    if not run.settings.index:
        return
    await asyncio.to_thread(_manifest, index_name(run.settings))
    if run.settings.where:
        await run.allowed()


async def index_kinds(run: Run) -> tuple[str, ...]:
    """The kinds that the index has; empty if no index can be read."""
    if not run.settings.index:
        return ()
    try:
        manifest = await asyncio.to_thread(_manifest, run.settings.index)
    except IndexMissingError:
        return ()  # a search will report it; a run without documents continues
    return manifest.kinds


async def nearness_of(run: Run, text: str) -> Nearness:
    """How near the index's passages are to a text; unmeasured without an index."""
    if not run.settings.index:
        return UNMEASURED
    index = await run.index()
    vector = await run.embed(text) if index.has("dense") else None
    return await asyncio.to_thread(nearness, text, vector, index)


async def name_in(run: Run, text: str) -> str:
    """A name of the index's documents that a text holds; "" for none, or without an index."""
    if not run.settings.index:
        return ""
    index = await run.index()
    vector = await run.embed(text) if index.has("dense") else None
    return await asyncio.to_thread(named.name_in, text, vector, index)


def nearness(question: str, vector: Vector | None, index: Index) -> Nearness:
    """How near a question is to an index.

    Args:
        vector: Its embedding [d] by the index's model; None where the index has no dense part.
    """
    found = UNMEASURED
    if vector is not None and index.has("dense"):
        dense = index.reader("dense")
        scores = [score for _, score in dense.search(vector, _CLOSEST)]
        mean, deviation = dense.background(vector)
        if scores and deviation:
            outstanding = (sum(scores) / len(scores) - mean) / deviation
            found = found._replace(cosine=round(scores[0], 4), outstanding=round(outstanding, 4))
    if index.has("sparse"):
        words, known = index.reader("sparse").shares(question)
        found = found._replace(words=round(words, 4), known=round(known, 4))
    return found


def _manifest(name: str) -> Manifest:
    return read_manifest(index_folder(name))
