"""How many community reports change when documents are added, and what modularity that costs.

    python benchmarks/communities_change.py CORPUS

CORPUS is a corpus in JSONL: here the 399 articles of MultiHop-RAG in a shuffled order (seed 0), of
which 300 are built first. Then 1 % are added ten times in a row, or 10 % at once, or 1 % removed. A
report has changed if its prompt would show something else. `steady` is what an update does;
`from_scratch` clusters the same documents from scratch, as a build of a new index does. No model is
asked. Writes `benchmarks/results/communities_change.json`.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.building import communities_of
from hopyard.indexes.kinds.communities.index import CommunityFiles, CommunityIndex
from hopyard.indexes.kinds.communities.records import MadeWith
from hopyard.indexes.kinds.communities.writing import Limits, elements_of, material_of
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context

RESULTS: Final = Path(__file__).parent / "results" / "communities_change.json"
FIRST: Final = 300
KINDS: Final = ["dense", "entity-graph", "communities"]
MADE: Final = MadeWith(max_size=10, reports="on-demand")
LIMITS: Final = Limits(8000, 8)


class Measured:
    """The report hashes and modularity of an index, as it is and clustered from scratch."""

    def __init__(self, directory: Path) -> None:
        with Index.open(directory) as index:
            own: CommunityIndex = index.reader("communities")
            self.steady = _hashes(index, own.files)
            self.modularity = own.files.modularity.tolist()
            fresh = communities_of(index.reader("entity-graph"), MADE)
            self.from_scratch = _hashes(index, fresh)
            self.modularity_from_scratch = fresh.modularity.tolist()

    def against(self, before: Measured) -> dict[str, Any]:
        """The share of reports that are new since another measurement."""
        pairs = zip(self.modularity, self.modularity_from_scratch, strict=False)
        return {
            "reports": len(self.steady),
            "changed_steady": _share(self.steady, before.steady),
            "changed_from_scratch": _share(self.from_scratch, before.from_scratch),
            "modularity": [round(value, 3) for value in self.modularity],
            "least_share_of_modularity": round(min(own / fresh for own, fresh in pairs), 4),
        }


def _hashes(index: Index, files: CommunityFiles) -> set[str]:
    communities, elements = CommunityIndex(files, {}), elements_of(index)
    materials = (
        material_of(communities.community(name), elements, LIMITS) for name in communities.ids
    )
    return {material.content_hash for material in materials if not material.only}


def _share(now: set[str], before: set[str]) -> float:
    return round(len(now - before) / len(now), 4)


async def measure(documents: list[Document], folder: Path) -> dict[str, Any]:
    """All measurements, each from a copy of the same index."""
    settings = Context()
    with Resources() as resources:
        embedder = resources.embedder(settings.embedding)
        first = folder / "first"
        await build(documents[:FIRST], directory=first, embedder=embedder, kinds=KINDS,
                    settings=settings)  # fmt: skip
        before = Measured(first)
        results: dict[str, Any] = {}

        async def after(name: str, documents: list[Document]) -> None:
            directory = folder / name
            shutil.copytree(first, directory)
            await add(documents, directory=directory, embedder=embedder, settings=settings)
            results[name] = Measured(directory).against(before)

        await after("1 % added", documents[FIRST : FIRST + 3])
        await after("10 % added", documents[FIRST : FIRST + 30])
        directory = folder / "removed"
        shutil.copytree(first, directory)
        await remove([each.id for each in documents[:3]], directory=directory,
                     embedder=lambda: embedder)  # fmt: skip
        results["1 % removed"] = Measured(directory).against(before)
        directory, last = folder / "ten times", before
        shutil.copytree(first, directory)
        steps = []
        for start in range(FIRST, FIRST + 30, 3):
            some = documents[start : start + 3]
            await add(some, directory=directory, embedder=embedder, settings=settings)
            now = Measured(directory)
            steps.append(now.against(last))
            last = now
        results["1 % added ten times: mean of a time"] = {
            name: round(sum(step[name] for step in steps) / len(steps), 4)
            for name in ("changed_steady", "changed_from_scratch")
        } | {"least_share_of_modularity": min(each["least_share_of_modularity"] for each in steps)}
    return results


def main() -> None:
    """Measure, and write the results."""
    documents = load([sys.argv[1]]).documents
    random.Random(0).shuffle(documents)
    with TemporaryDirectory() as folder:
        results = asyncio.run(measure(documents, Path(folder)))
    for name, found in results.items():
        print(name, json.dumps(found))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
