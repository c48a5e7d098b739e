"""Ctrl-C: at start-up it ends the process, in a command it raises `KeyboardInterrupt`.

Python's own way, an exception at any line, prints a traceback where it meets an import, a
destructor or the end of the process.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Iterator

INTERRUPTED: Final = "Interrupted."
_EXIT: Final = 130
_SHOW_CURSOR: Final = "\x1b[?25h"
"""A progress bar hides it."""

T = TypeVar("T")


def end_at_once() -> None:
    """From here on Ctrl-C says one sentence and ends the process: nothing is open yet."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # else it is shut out
        signal.signal(signal.SIGINT, _end)


def raise_in_command() -> None:
    """From here on Ctrl-C is a `KeyboardInterrupt`: a command closes what it has opened."""
    if signal.getsignal(signal.SIGINT) == _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def ending_with(sentence: str, exit_code: int = _EXIT) -> Iterator[None]:
    """From here on, Ctrl-C prints this sentence and ends the process at once.

    For work that loses nothing when it is killed, and has steps that cannot be interrupted.
    """
    before = signal.getsignal(signal.SIGINT)
    ours = before == signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, lambda *_: _end_now(sentence, exit_code))
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)


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
    _end_now(INTERRUPTED, _EXIT)


def _end_now(sentence: str, exit_code: int) -> NoReturn:
    start = f"{_SHOW_CURSOR}\n" if os.isatty(2) else ""
    with suppress(OSError):  # a closed pipe
        os.write(2, f"{start}{sentence}\n".encode())
    os._exit(exit_code)
