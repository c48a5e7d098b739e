"""Notices for the user: shown also where the command line shows only errors of loggers."""

from __future__ import annotations

import logging
from functools import lru_cache

_notices = logging.getLogger(__name__)
_notices.setLevel(logging.WARNING)


@lru_cache(maxsize=256)
def point_out(text: str) -> None:
    """Tell the user something, once in a process."""
    _notices.warning(text)
