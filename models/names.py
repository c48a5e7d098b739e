"""Names of models, light to import."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("NO_EMBEDDING", "current_name")

NO_EMBEDDING: Final = "none"
"""The name of the embedding model of an index that needs none, such as one for BM25 alone."""

_FORMER_NAME: Final = re.compile(r"^embedded(?=$|[:/])")


def current_name(name: str) -> str:
    """A model's name or identity with `builtin` in place of the former `embedded`.

    The former name stands in ledgers, indexes and gates, and stays there.
    """
    return _FORMER_NAME.sub("builtin", name)
