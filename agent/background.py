"""One event loop in a thread of its own, for every call of the Python API.

A sync call waits for it, in a script, a thread or a notebook whose own loop is running. An async
call waits for it without blocking. So all runs of a process share one loop, and a client of a
model that was made once keeps its connections to one loop.

anyio's `BlockingPortal` does not do: a `sys.exit` in a step of one run ends its loop, and with it
the runs of all other threads; and it cancels a task again at each await, so that a run could not
finish its writes.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import aclosing, suppress
from typing import Any, Final, Generic, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from hopyard.state.errors import UsageError

T = TypeVar("T")

_STOPPING: Final = 5.0
"""Seconds that the exit of the process waits for runs to be cancelled."""


class _Loop:
    """A running event loop. It ends with the main thread, before Python joins other threads."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="hopyard", daemon=True)
        self._thread.start()
        # Not a daemon: Python would join the thread of an open thread store first, forever.
        threading.Thread(target=self._end, name="hopyard-end").start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt):  # The step's task gives it to the caller.
                continue
            break
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def _end(self) -> None:
        threading.main_thread().join()
        with suppress(RuntimeError):  # It is closed already.
            asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop)
            self._thread.join(_STOPPING)


async def _cancel_all() -> None:
    loop = asyncio.get_running_loop()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop.stop()


_running: _Loop | None = None
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603  (one loop a process)
    with _starting:
        if _running is None or _running.pid != os.getpid():  # A fork has no threads.
            _running = _Loop()
        return _running.loop


def wait(work: Coroutine[Any, Any, T], *, nested: bool = False) -> T:
    """Run work on the background loop and wait for its result.

    Args:
        nested: Whether it is a part of the LangGraph run that calls, and shares its thread.

    Raises:
        UsageError: The caller runs on the background loop itself, which would wait for itself.
    """
    try:
        _check_outside()
    except UsageError:
        work.close()
        raise
    running = _Work(work, nested=nested)
    try:
        return running.future.result()
    finally:  # Ctrl-C, too.
        running.end()


async def wait_async(work: Coroutine[Any, Any, T]) -> T:
    """Run work on the background loop and await its result; cancelling the caller cancels it."""
    if _is_inside():
        return await _isolated(work)
    running = _Work(work)
    done = asyncio.wrap_future(running.future)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await _end(running, done)
        raise


def stream(items: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """Iterate over what work on the background loop yields; stopping early cancels it.

    Raises:
        UsageError: The caller runs on the background loop itself.
    """
    _check_outside()
    waiting: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
    running = _Work(_pump(items, waiting.put))
    try:
        while (item := waiting.get()) is not None:
            yield item[0]
        running.future.result()
    finally:
        running.end()


async def stream_async(items: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """Iterate over what work on the background loop yields; stopping early cancels it."""
    here = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    def put(item: tuple[T] | None) -> None:
        with suppress(RuntimeError):  # The caller may have left.
            here.call_soon_threadsafe(waiting.put_nowait, item)

    running = _Work(_pump(items, put))
    done = asyncio.wrap_future(running.future)
    try:
        while (item := await waiting.get()) is not None:
            yield item[0]
        await asyncio.shield(done)
    finally:
        await _end(running, done)


async def _end(running: _Work[Any], done: asyncio.Future[Any]) -> None:
    running.cancel()
    await asyncio.wait([done])
    if not done.cancelled():
        done.exception()  # Marks it as retrieved.


async def _pump(items: AsyncGenerator[T, None], put: Callable[[tuple[T] | None], None]) -> None:
    # One task iterates from begin to end: the items' own context managers need that.
    try:
        async with aclosing(items):
            async for item in items:
                put((item,))
    finally:
        put(None)


def _check_outside() -> None:
    if _is_inside():
        raise UsageError(
            "A step of a running question called Hopyard's sync API, which would block it; await "
            "the async method instead, as in `await hop.aask(...)`."
        )


def _is_inside() -> bool:
    try:
        return _running is not None and asyncio.get_running_loop() is _running.loop
    except RuntimeError:
        return False


class _Work(Generic[T]):
    """Work on the background loop. Its future is done when the work has ended, not before."""

    def __init__(self, work: Coroutine[Any, Any, T], *, nested: bool = False) -> None:
        self.future: Future[T] = Future()
        self._loop = _loop()
        self._task: asyncio.Task[T] | None = None
        self._loop.call_soon_threadsafe(self._begin, _isolated(work, nested=nested))

    def end(self) -> None:
        """Cancel it if it still runs, and wait until it has ended."""
        self.cancel()
        if not _is_inside():  # the garbage collector runs anywhere; the loop cannot wait for itself
            wait_for_futures([self.future])

    def cancel(self) -> None:
        """Cancel it if it still runs."""
        if not self.future.done():
            self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self, work: Coroutine[Any, Any, T]) -> None:
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(self._finish)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _finish(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            self.future.cancel()
            self.future.set_running_or_notify_cancel()
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())


async def _isolated(work: Coroutine[Any, Any, T], *, nested: bool = False) -> T:
    """Run work that takes no checkpointer, thread or stream from a LangGraph run around it."""
    around = var_child_runnable_config.get()
    if around is None or nested:
        return await work
    kept = RunnableConfig(callbacks=around.get("callbacks"))  # a trace shows one run, not two
    token = var_child_runnable_config.set(kept)
    try:
        return await work
    finally:
        var_child_runnable_config.reset(token)
