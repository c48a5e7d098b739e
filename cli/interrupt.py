"""Ctrl-C during a build: it ends soon, and says how to continue."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine
from typing import Any, Final, NoReturn, TypeVar

from hopyard.state.errors import EXIT_INTERRUPTED

__all__ = ("GRACE", "run_build")

GRACE: Final = 1.0
"""Seconds that a build may take to end by itself. Some steps cannot be interrupted, and a build
that is killed loses nothing that it has stored."""
_SENTENCE: Final = "\nInterrupted: run the same command to continue; what was embedded is kept.\n"
_SHOW_CURSOR: Final = "\x1b[?25h"

T = TypeVar("T")


def run_build(work: Coroutine[Any, Any, T]) -> T:
    """Run a build; after Ctrl-C the process ends within two seconds, with one sentence."""
    try:
        return asyncio.run(_watched(work))
    except KeyboardInterrupt:
        _end()


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    try:
        # `wait` leaves the task alone, so the cancellation arrives here at once.
        await asyncio.wait([task])
    except asyncio.CancelledError:
        timer = threading.Timer(GRACE, _end)
        timer.daemon = True
        timer.start()
        task.cancel()
        await asyncio.wait([task])
        timer.cancel()
        raise
    return task.result()


def _end() -> NoReturn:
    if sys.stderr.isatty():
        sys.stderr.write(_SHOW_CURSOR)  # a progress bar hid it
    sys.stderr.write(_SENTENCE)
    sys.stderr.flush()
    # Threads that still run would keep a regular exit waiting.
    os._exit(EXIT_INTERRUPTED)
