"""Blocking work in an async build: it runs in threads, and is never left half done."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(
    function: Callable[..., T], *arguments: Any, stop: threading.Event | None = None
) -> T:
    """Run a function in a thread.

    A thread cannot be interrupted, and a build that is cancelled closes its files. So a cancelled
    caller waits here until the thread has ended.

    Args:
        stop: Set when the caller is cancelled, for a function that looks at it now and then.
    """
    work = contextvars.copy_context().run
    loop = asyncio.get_running_loop()
    return await finish(loop.run_in_executor(None, work, function, *arguments), stop)


async def finish(work: asyncio.Future[T], stop: threading.Event | None = None) -> T:
    """The result of some work, which runs to its end even when the caller is cancelled."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if stop is not None:
            stop.set()
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                continue
        if not work.cancelled():
            work.exception()  # else asyncio reports that nobody asked for it
        raise


@asynccontextmanager
async def enter_in_thread(open_: Callable[[], AbstractContextManager[T]]) -> AsyncIterator[T]:
    """Open and close something in threads. It gets an error, as under `with`."""
    with_ = ExitStack()
    try:
        yield await in_thread(lambda: with_.enter_context(open_()))
    except BaseException as error:
        await in_thread(with_.__exit__, type(error), error, error.__traceback__)
        raise
    else:
        await in_thread(with_.close)
