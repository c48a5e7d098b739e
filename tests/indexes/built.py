"""An index under test with one kind in focus, and how it is built, added to and removed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from building import wait

from hopyard.indexes.building import build as building
from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus.manifest import generation_directory, read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS, Estimate
from hopyard.models.calls.call import ModelCaller
from hopyard.nodes.resources import Resources
from hopyard.state.registry import load
from hopyard.state.settings.fields import Context


class Built:
    """An index directory. Its builds ask the model `scripted`, which the test registers.

    Attributes:
        kind: The kind whose files, stats and estimate are looked at.
        kinds: All kinds of a build.
    """

    kind: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]

    def __init__(self, directory: Path, embedder: Any, **settings: Any) -> None:
        self.directory = directory
        self.embedder = embedder
        self._settings = settings

    def context(self, **settings: Any) -> Context:
        """The settings of a build, or of a question."""
        return Context.model_validate({"model": "scripted", **self._settings, **settings})

    def build(
        self,
        documents: Iterable[Document],
        *,
        progress: Callable[[str, int, int], None] = lambda *_: None,
        **settings: Any,
    ) -> BuildReport:
        """Build from scratch."""
        options = {"kinds": self.kinds, "chunk_tokens": 0, "progress": progress}
        report: BuildReport = self.run(building.build, documents, settings, **options)
        return report

    def add(self, *documents: Document, **settings: Any) -> BuildReport:
        """Add documents."""
        report: BuildReport = self.run(building.add, documents, settings)
        return report

    def remove(self, *ids: str) -> BuildReport:
        """Remove documents."""
        return wait(building.remove(ids, directory=self.directory, embedder=lambda: self.embedder))

    def estimate(self, documents: Iterable[Document], **settings: Any) -> tuple[int, Estimate]:
        """The passages of a build, and what the kind would cost."""
        options = {"kinds": self.kinds, "chunk_tokens": 0}
        passages, found = self.run(building.estimate, documents, settings, **options)
        return passages, found[self.kind]

    def run(
        self,
        change: Callable[..., Any],
        documents: Iterable[Document],
        settings: dict[str, Any],
        **options: Any,
    ) -> Any:
        """Wait for a change of the index, or for its estimate."""
        context = self.context(**settings)
        with Resources() as resources:
            return wait(
                change(
                    documents,
                    directory=self.directory,
                    embedder=self.embedder,
                    settings=context,
                    caller=lambda: self.caller(resources, context),
                    **options,
                )
            )

    def caller(self, resources: Resources, context: Context) -> ModelCaller:
        """Opens the chat model."""
        return resources.caller(context.model)

    def open(self) -> Index:
        """The index, to be closed."""
        return Index.open(self.directory, self.embedder)

    @property
    def folder(self) -> Path:
        """The kind's folder in the current generation."""
        generation = read_manifest(self.directory).generation
        return generation_directory(self.directory, generation) / self.kind

    @property
    def stats(self) -> Any:
        """The kind's stats of the current generation."""
        return load(KINDS[self.kind].stats).load(self.folder)

    @property
    def files(self) -> dict[str, bytes]:
        """Every file of the kind but the stats."""
        return {
            file.name: file.read_bytes()
            for file in sorted(self.folder.iterdir())
            if file.name != "stats.json"
        }
