"""Which reports are written before the report about a community that does not fit its window.

GraphRAG (section 3.1.4) writes all reports from the leaves up. Reports on demand are written only
where they are needed: for the sub-communities whose reports would replace elements of a community
that does not fit, the longest first. How long a report gets is known only when it is written, so it
is expected to fill an eighth of the window. So the number of calls is known before any is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hopyard.indexes.kinds.communities.context import Left, fill
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Community
from hopyard.state.text.tokens import tokens_of

__all__ = ("NO_LIMIT", "Plan", "plan_reports")

NO_LIMIT: Final = 1_000_000
_REPORT: Final = 8
"""A report takes this part of the window: 1,000 of 8,000 tokens."""


@dataclass(frozen=True)
class Plan:
    """The report about a community, and those of its parts that are written before."""

    community: Community
    read: frozenset[str]
    """Ids of the elements that the report and those of the parts are written from."""
    tokens: int
    """Estimated tokens of its prompt."""
    parts: tuple[Plan, ...] = ()

    @property
    def calls(self) -> int:
        """Calls of the model. A community of one entity takes none: its lines are its report."""
        own = len(self.community.entities) > 1
        return own + sum(part.calls for part in self.parts)

    @property
    def input_tokens(self) -> int:
        """Estimated tokens of the prompts of all these calls."""
        return self.tokens + sum(part.input_tokens for part in self.parts)


def plan_reports(
    community: Community,
    communities: CommunityIndex,
    elements: Elements,
    tokens: int,
    most: int = NO_LIMIT,
) -> Plan:
    """Plan the reports that a report needs. It reads passages, so it may block.

    A smaller limit that still holds all calls of a plan gives the same plan.

    Args:
        communities: The communities of the index. Reports that its build wrote take no call.
        tokens: The window: what a prompt shows of a community at most.
        most: Reports to be written at most, its own included; from 1. With 1, a community that does
            not fit shows the elements of the highest combined degree.
    """
    groups, report = list(elements.groups(community.entities)), tokens // _REPORT
    left, used, spare = Left(groups, tokens_of), 0, most - 1
    children = [communities.community(child) for child in community.children]
    inside = {child.id: _elements(child, elements) for child in children} if spare else {}
    parts: list[Plan] = []
    read: set[str] = set()
    for child in sorted(children, key=lambda part: -left.tokens_of(inside.get(part.id, ()))):
        if left.tokens + used <= tokens or not spare:
            break
        if left.tokens_of(inside[child.id]) <= report or len(child.entities) == 1:
            continue
        built = communities.report(child.id)
        if built is not None:
            below = frozenset(built.read)
        else:
            part = plan_reports(child, communities, elements, tokens, spare)
            spare, below = spare - part.calls, part.read
            parts.append(part)
        read |= below
        left.remove(below)
        used += report
    rest = (element for group in groups for element in group.elements if element.id not in read)
    room = tokens - min(used, max(tokens - left.tokens, tokens // 2))
    return Plan(
        community=community,
        read=frozenset(read.union(element.id for element in fill(rest, room, tokens_of))),
        tokens=min(tokens, used + left.tokens),
        parts=tuple(parts),
    )


def _elements(community: Community, elements: Elements) -> frozenset[str]:
    return frozenset(
        element.id for group in elements.groups(community.entities) for element in group.elements
    )
