"""The report of a build."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopyard.indexes.corpus.records import BadItem
from hopyard.state.usage import Usage, no_usage


@dataclass(slots=True)
class BuildReport:
    """The report of a build."""

    added: int = 0
    """Documents that are new."""
    updated: int = 0
    """Documents that changed in text, title, metadata, source, or in how they are chunked."""
    removed: int = 0
    """Documents taken out."""
    unchanged: int = 0
    """Documents given that the index held as they are."""
    passages: int = 0
    """Passages in the index now."""
    embedded: int = 0
    """Passage texts embedded; all others had their vector."""
    bad: list[BadItem] = field(default_factory=list)
    """Documents left out, and why."""
    warnings: list[str] = field(default_factory=list)
    """Facts about the index that the user should know, a sentence each."""
    usage: Usage = field(default_factory=no_usage)
    """Model calls, without the embedding model's."""
    seconds: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether the index holds other documents than before."""
        return bool(self.added or self.updated or self.removed)
