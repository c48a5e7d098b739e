"""One record for each strategy, which says all that is known without its graph."""

from __future__ import annotations

from typing import Final

BASELINES: Final = frozenset({"cor", "graphrag", "react"})
"""The records with `baseline`, for lists of names that import no record."""
