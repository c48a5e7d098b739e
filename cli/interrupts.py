"""What Ctrl-C does: at start-up it ends the process, in a command it is a `KeyboardInterrupt`.

Python's own way, an exception at any line, prints a traceback where it meets an import, a
destructor or the end of the process.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

__all__ = (
    "INTERRUPTED",
    "Runner",
    "end_at_once",
    "end_quickly",
    "raise_in_command",
    "run_async",
)

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


class Runner:
    """As `asyncio.Runner`, but does not wait for its threads once it has been interrupted."""

    def __init__(self) -> None:
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        class Threads(ThreadPoolExecutor):
            """The loop's threads. A call of a model that computes here cannot be ended."""

            interrupted = False

            def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
                over = self.interrupted
                super().shutdown(wait and not over, cancel_futures=cancel_futures or over)

        self._threads = Threads(thread_name_prefix="asyncio")
        self._runner = asyncio.Runner(loop_factory=self._loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run to the end.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the work has been cancelled.
        """
        try:
            return self._runner.run(work)
        except KeyboardInterrupt:
            self._threads.interrupted = True
            raise

    def _loop(self) -> asyncio.AbstractEventLoop:
        import asyncio

        made = asyncio.new_event_loop()
        made.set_default_executor(self._threads)
        return made


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, without waiting for threads after Ctrl-C."""
    with Runner() as runner:
        return runner.run(work)


def _end(*_: object) -> NoReturn:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(_EXIT)
