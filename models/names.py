"""The names of the built-in models, light to import."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("current_name",)

_FORMER_NAME: Final = re.compile(r"^embedded(?=$|[:/])")


def current_name(name: str) -> str:
    """A model's name or identity with `builtin` in place of the former `embedded`.

    The former name stands in ledgers, indexes and gates, and stays there.
    """
    return _FORMER_NAME.sub("builtin", name)
