"""The rules of `indexes.text.names`, which need no model."""

from __future__ import annotations

from typing import Final

from hopyard.indexes.text.finders import NameFinder
from hopyard.indexes.text.names import names_in

FINDER: Final = NameFinder("rules", names_in, version=5)
