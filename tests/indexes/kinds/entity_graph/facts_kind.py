"""An index kind for tests that keeps the extractions of its passages and nothing else.

It stands in for the entity graph, whose build also merges names and needs vectors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kind import Estimate, IndexKind
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.find.extractions import (
    ExtractionCounts,
    extractions,
    is_current,
)
from hopyard.indexes.kinds.entity_graph.find.model import estimate
from hopyard.prompts.indexes.entity_graph import FACTS
from hopyard.state.errors import IndexMissingError


class FactsKind(IndexKind):
    """Writes `facts.json`, the extraction of each passage, and `counts.json`."""

    name = "facts"
    about = "The names and facts of passages. For tests."
    settings = EntityGraphSettings
    asks_model = True

    @property
    def prompts(self) -> Mapping[str, str]:
        return {FACTS.name: str(FACTS.version)}

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        contents = {passage.id: passage.content_hash for passage in context.corpus.passages()}
        last = _counts(context.previous) if context.previous else None
        found = await extractions(
            context, contents, builder=_builder(context.options, last), last=last
        )
        facts = {
            name: found.by_content[content].model_dump(include={"mentions", "facts"})
            for name, content in contents.items()
            if content in found.by_content
        }
        (context.directory / "facts.json").write_text(json.dumps(facts, sort_keys=True))
        (context.directory / "counts.json").write_text(found.counts.model_dump_json())
        return {"facts": sum(len(values["facts"]) for values in facts.values())}

    def open(self, directory: Path) -> Any:
        try:
            return json.loads((directory / "facts.json").read_text())
        except (OSError, ValueError) as error:
            raise IndexMissingError("facts.json is missing or damaged") from error

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        last = _counts(directory)
        return is_current(last, _builder(options, last), options)

    async def estimate(
        self, passages: Sequence[Passage], index_directory: Path, options: BuildOptions
    ) -> Estimate:
        return await estimate(passages, index_directory, options)


def _counts(directory: Path) -> ExtractionCounts:
    return ExtractionCounts.model_validate_json((directory / "counts.json").read_bytes())


def _builder(options: BuildOptions, last: ExtractionCounts | None) -> str:
    """What the settings say; an update of an index that the model wrote asks the model too."""
    if options.keep and last is not None:
        written = any(not share.model.startswith(("imported", "rules")) for share in last.authors)
        return "model" if written or last.calls else "rules"
    return EntityGraphSettings.of(options.settings).builder
