"""The kinds of index that a build knows without being told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hopyard.indexes.derived import Derived
from hopyard.indexes.kinds.dense.hnsw import Dense
from hopyard.indexes.kinds.sparse.bm25 import Sparse

__all__ = ("DEFAULT_KINDS", "KINDS")

KINDS: Final[Mapping[str, Derived]] = {kind.name: kind for kind in (Dense(), Sparse())}
"""By name. A kind that needs a model is made by the caller: `{**KINDS, "passage-graph": …}`."""

DEFAULT_KINDS: Final = ("dense", "sparse")
