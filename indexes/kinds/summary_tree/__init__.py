"""RAPTOR: a tree of summaries over the passages of a corpus.

`clustering` divides a layer into clusters, with the paper's formulas, or keeps those of the last
build. `writing` summarises a cluster. `building` goes up layer by layer, and readers open the
`tree`.

Source: Sarthi et al., "RAPTOR", 2024 (arXiv:2401.18059), section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from hopyard.indexes.kind import count_problem
from hopyard.indexes.written.kind import WrittenKind
from hopyard.state.settings.fields import Group

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.summary_tree.tree import SummaryTree


class SummaryTreeSettings(Group):
    """The summary tree, while it is built. An index keeps the settings of its last build."""

    group: ClassVar[str] = "summary_tree"

    writer: Literal["rule", "model"] = Field(
        "rule",
        description="Who summarises a cluster: rule (its most central sentences; no model call) or "
        "model (one call a cluster).",
    )


class SummaryTreeKind(WrittenKind):
    """The kind `summary-tree`."""

    name = "summary-tree"
    about = (
        "A tree of summaries over clusters of passages (RAPTOR). Read by the searches summaries "
        "and summary-walk."
    )
    settings = SummaryTreeSettings
    needs_vectors = True
    source = "cluster"
    text = "a summary by the model"
    worded = ("hopyard.prompts.indexes.summary_tree:SUMMARY",)
    stats = "hopyard.indexes.kinds.summary_tree.tree:TreeStats"
    builder = "hopyard.indexes.kinds.summary_tree.building"
    reader = "hopyard.indexes.kinds.summary_tree.tree:SummaryTree"

    def readable(self, reader: SummaryTree, index: Index) -> SummaryTree:
        """The summaries that are made only of passages that a caller may read."""
        return reader.part(index.allowed(()) or frozenset())

    def check(self, reader: SummaryTree, counts: Mapping[str, int]) -> str:
        """See that every passage is a leaf."""
        return count_problem(len(reader.leaves), counts["passages"], "passage")

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """The summaries of each passage's clusters, with what they summarise."""
        tree = self.open(directory)
        return {
            name: {
                "summaries": [
                    {"id": summary.id, "of": list(summary.children), "text": summary.text}
                    for summary in tree.above(name)
                ]
            }
            for name in passage_ids
        }


KIND: Final = SummaryTreeKind()
