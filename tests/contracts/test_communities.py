"""The communities of the entity graph keep Hopyard's contract of index kinds."""

from __future__ import annotations

from hopyard.indexes.kinds.communities import KIND
from hopyard.testing import IndexKindContract


class TestCommunities(IndexKindContract):
    kind = KIND
    exact_updates = False
