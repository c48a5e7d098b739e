"""One change of an index, in a process of its own: `python -m hopyard.web.change`.

The server stays quick while documents are read and embedded, and a file that breaks its reader
breaks no more than this process. It reads one JSON object: the index, the documents to add (files)
or to remove (ids), and whether to estimate only. It writes a JSON object a line: progress, and at
the end a report or an error.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from hopyard.agent.building import aadd_documents
from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.shared import build_folder
from hopyard.indexes.documents.folders import FolderNames
from hopyard.indexes.documents.loaders import LoadReport, read
from hopyard.indexes.kind import select_kinds
from hopyard.indexes.status import status
from hopyard.models.names import embedding_name
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError
from hopyard.state.settings.given import read_given

__all__ = ("main",)

_PAUSE: Final = 0.2
"""Seconds between two lines of progress of one stage."""


async def _change(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    index = await asyncio.to_thread(build_folder, name)
    if asked.get("estimate"):
        return await _estimate(index, asked["add"])
    if asked.get("remove"):
        removed = await building.remove(asked["remove"], directory=index)
        return {"removed": removed.removed, "passages": removed.passages}
    report = await aadd_documents(name, asked["add"], progress=_Told())
    counts = {name: getattr(report, name) for name in ("added", "updated", "unchanged", "passages")}
    left_out = [*map(str, report.bad), *map(str, report.skipped)]
    return {
        **counts,
        "left_out": left_out,
        "incomplete": [*map(str, report.incomplete)],
        "warnings": list(report.warnings),
        "seconds": round(report.seconds, 1),
    }


async def _estimate(index: Path, files: Sequence[str]) -> dict[str, Any]:
    """The cost of adding files. Kinds that ask a model try it with a few passages."""
    manifest = read_manifest(index)
    if not any(kind.asks_model for kind in select_kinds(manifest.kinds)):
        return {"estimate": {}}
    model = status(index).model
    context = read_given([("model", model)] if model else []).context
    with closing(Resources()) as resources:
        passages, kinds = await building.estimate_update(
            list(read(files, (), LoadReport(), folders=FolderNames(files, index))),
            directory=index,
            embedder=resources.embedder(embedding_name(manifest.embedding)),
            caller=lambda: resources.caller(context.model),
            settings=context,
        )
    return {"passages": passages, "estimate": {name: asdict(kind) for name, kind in kinds.items()}}


class _Told:
    """Writes down how far a build is."""

    def __init__(self) -> None:
        self._last = ("", 0.0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Some of a stage is done."""
        name, at = self._last
        if stage != name or time.monotonic() - at > _PAUSE:
            self._last = stage, time.monotonic()
            _tell({"progress": {"stage": stage, "done": done, "total": total}})


def _tell(said: Mapping[str, Any]) -> None:
    print(json.dumps(said), file=sys.__stdout__, flush=True)


def main() -> None:
    """Make the change that standard input asks for."""
    asked = json.load(sys.stdin)
    try:
        with redirect_stdout(sys.stderr):  # what a library prints is no line of JSON
            report = asyncio.run(_change(asked["index"], asked))
        _tell({"report": report})
    except HopyardError as error:
        _tell({"error": str(error)})


if __name__ == "__main__":
    main()
