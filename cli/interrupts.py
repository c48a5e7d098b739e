"""What Ctrl-C does: at start-up it ends the process, in a command it is a `KeyboardInterrupt`.

Python's own way, an exception at any line, prints a traceback where it meets an import, a
destructor or the end of the process.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

__all__ = ("INTERRUPTED", "end_at_once", "end_quickly", "raise_in_command", "run_async", "runner")

INTERRUPTED: Final = "Interrupted."
_EXIT: Final = 130

T = TypeVar("T")


def end_at_once() -> None:
    """From here on Ctrl-C says one sentence and ends the process: nothing is open yet."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # else it is shut out
        signal.signal(signal.SIGINT, _end)


def raise_in_command() -> None:
    """From here on Ctrl-C is a `KeyboardInterrupt`: a command closes what it has opened."""
    if signal.getsignal(signal.SIGINT) == _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end_quickly() -> NoReturn:
    """End an interrupted process without waiting for threads: a model may compute for long."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # a closed pipe
            stream.flush()
    os._exit(_EXIT)


def runner() -> asyncio.Runner:
    """A runner that does not wait for its threads once it has been interrupted."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    interrupted = False

    class Threads(ThreadPoolExecutor):
        """The loop's threads. A call of a model that computes here cannot be ended."""

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait and not interrupted, cancel_futures=cancel_futures or interrupted)

    def loop() -> asyncio.AbstractEventLoop:
        made = asyncio.new_event_loop()
        made.set_default_executor(Threads(thread_name_prefix="asyncio"))
        return made

    class Runner(asyncio.Runner):
        def run(self, coro: Any, *, context: Any = None) -> Any:
            nonlocal interrupted
            try:
                return super().run(coro, context=context)
            except KeyboardInterrupt:
                interrupted = True
                raise

    return Runner(loop_factory=loop)


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, without waiting for threads after Ctrl-C."""
    with runner() as made:
        return made.run(work)


def _end(*_: object) -> NoReturn:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(_EXIT)
