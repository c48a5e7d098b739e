"""The communities as strategies and pages read them: levels, members and reports.

A row number names each community; `LEVEL-NUMBER` is its id. Arrays are mapped from the disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.files import ArrayFiles, Part, inside
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.communities.clustering import Hierarchy
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.search import Kept
from hopyard.state.errors import UsageError

if TYPE_CHECKING:
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph

REPORTS_FILE: Final = "reports.jsonl"
_LABELS: Final = 10
"""Labels of a community as plain values."""


@dataclass(frozen=True, eq=False)
class CommunityFiles(ArrayFiles):
    """The files of the kind, without the reports: c communities of e entities at l levels."""

    parts: ClassVar[Mapping[str, Part]] = {
        "level": Part(np.int32, 1),
        "parent": Part(np.int32, 1, {"": "level"}, or_none=("",), like="level"),
        "members": Part(np.int32, like="level"),
        "passages": Part(np.int32, 1, like="level"),
        "titles": Part(like="level"),
        "modularity": Part(np.float64, 1),
    }

    level: NDArray[np.int32]
    """[c] See `Hierarchy`, also for the next two."""
    parent: NDArray[np.int32]
    members: Ragged
    passages: NDArray[np.int32]
    """[c] In how many passages the entities of each community stand."""
    titles: Ragged
    """[c] The labels of its best connected entities."""
    modularity: NDArray[np.float64]
    """[l] Of the communities at each level."""

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The communities and their members."""
        return Hierarchy(self.level, self.parent, self.members)

    def fits(self, name: str) -> bool:
        """Whether a field fits the others."""
        if name == "modularity":
            return len(self.modularity) == self.hierarchy.levels
        return super().fits(name) and (
            name != "members" or inside(self.members.values, 0, self.hierarchy.entities)
        )


class CommunityIndex:
    """The communities of one generation, read from their folder. Any thread may use it."""

    def __init__(self, files: CommunityFiles, reports: dict[str, Report]) -> None:
        """Wrap the files; see `load`."""
        self.files = files
        self.reports = reports
        """The reports that the build wrote, by the id of the community."""
        self.kept = Kept()
        """Objects that strategies make of the communities once."""

    @classmethod
    def load(cls, directory: Path) -> CommunityIndex:
        """Open the communities. It raises as `CommunityFiles.load` does."""
        return cls(CommunityFiles.load(directory), _load_reports(directory))

    def __len__(self) -> int:
        return len(self.files.hierarchy)

    @property
    def levels(self) -> int:
        """Number of levels: 0 is the root level, `levels` - 1 the last."""
        return self.files.hierarchy.levels

    @property
    def entities(self) -> int:
        """Number of entities; each is in one community of a level."""
        return len(self._leaves)

    @cached_property
    def ids(self) -> Sequence[str]:
        """The ids of all communities, by row."""
        levels = self.files.hierarchy.level.tolist()
        return [f"{level}-{row - self._starts[level]}" for row, level in enumerate(levels)]

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each community, by its id."""
        return {name: row for row, name in enumerate(self.ids)}

    def at(self, level: int) -> list[Community]:
        """The communities that hold each entity once at a level, those of upper levels first.

        Communities of upper levels are those that have no children.

        Raises:
            UsageError: The index does not have the level.
        """
        if not 0 <= level < self.levels:
            last = self.levels - 1
            raise UsageError(f"The communities have no level {level}: give one from 0 to {last}.")
        return [self._community(row) for row in self.files.hierarchy.at(level).tolist()]

    def community(self, community_id: str) -> Community:
        """A community by its id.

        Raises:
            UsageError: The index does not have the community.
        """
        if community_id not in self.rows:
            raise UsageError(f"The index has no community {community_id!r}.")
        return self._community(self.rows[community_id])

    def of_entity(self, entity: int) -> tuple[str, ...]:
        """The ids of the communities that an entity is in, from the root to the leaf."""
        row, found = int(self._leaves[entity]), []
        while row >= 0:
            found.append(self.ids[row])
            row = int(self.files.hierarchy.parent[row])
        return tuple(reversed(found))

    def titles_of(self, entities: Iterable[int]) -> list[str]:
        """Id and title of the root communities of some entities, those of most entities first."""
        counts = Counter(self.of_entity(entity)[0] for entity in entities)
        return [f"{name} {self.community(name).title}" for name, _ in counts.most_common()]

    def report(self, community_id: str) -> Report | None:
        """The report that the build wrote about a community; None if it wrote none."""
        return self.reports.get(community_id)

    def plain(self, community: Community, graph: EntityGraph) -> dict[str, Any]:
        """A community as plain values, with the labels of its commonest entities."""
        rows = sorted(community.entities, key=lambda row: -graph.passages_with[row])[:_LABELS]
        report = self.report(community.id)
        return {
            **community.model_dump(mode="json", exclude={"entities"}),
            "entities": len(community.entities),
            "labels": [graph.label(row) for row in rows],
            "report": report
            and report.model_dump(mode="json", include={"summary", "rating", "findings"}),
        }

    @cached_property
    def _starts(self) -> list[int]:
        levels: list[int] = np.searchsorted(
            self.files.hierarchy.level, np.arange(self.levels)
        ).tolist()
        return levels

    @cached_property
    def _leaves(self) -> NDArray[np.int64]:
        return self.files.hierarchy.partition(self.levels - 1)

    @cached_property
    def _children(self) -> Ragged:
        parent = self.files.hierarchy.parent
        order = np.argsort(parent, kind="stable")
        bounds = np.searchsorted(parent[order], np.arange(len(parent) + 1))
        return Ragged(order, bounds.astype(np.int64))

    def _community(self, row: int) -> Community:
        hierarchy, name = self.files.hierarchy, self.ids[row]
        parent, report = int(hierarchy.parent[row]), self.reports.get(name)
        return Community(
            id=name,
            level=int(hierarchy.level[row]),
            parent=self.ids[parent] if parent >= 0 else "",
            children=tuple(self.ids[child] for child in self._children[row].tolist()),
            entities=tuple(hierarchy.members[row].tolist()),
            passages=int(self.files.passages[row]),
            title=report.title if report else self.files.titles.text(row),
        )


def save_reports(directory: Path, reports: Mapping[str, Report]) -> None:
    """Write the reports of a generation into the kind's folder."""
    lines = (report.model_dump_json() + "\n" for report in reports.values())
    (directory / REPORTS_FILE).write_text("".join(lines), encoding="utf-8")


def _load_reports(directory: Path) -> dict[str, Report]:
    file = directory / REPORTS_FILE
    try:
        with file.open(encoding="utf-8") as lines:
            reports = [Report.model_validate_json(line) for line in lines]
    except (OSError, ValueError) as error:
        raise damage_error(file, f"cannot be read ({error})") from error
    return {report.community: report for report in reports}
