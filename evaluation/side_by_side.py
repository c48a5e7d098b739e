"""Run the calls of a judge side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

__all__ = ("run_side_by_side",)

T = TypeVar("T")


async def run_side_by_side(
    tasks: Sequence[Coroutine[Any, Any, T]], limit: int, done: Callable[[int, int], None]
) -> list[T]:
    """Run tasks, a limited number at once.

    Args:
        tasks: Coroutines.
        limit: Tasks at once.
        done: Called after each task with the number of finished tasks and of all tasks.

    Returns:
        The results, in the order of the tasks.

    Raises:
        Exception: The first error of a task; the other tasks are cancelled.
    """
    places, finished = asyncio.Semaphore(limit), 0

    async def run(task: Coroutine[Any, Any, T]) -> T:
        nonlocal finished
        async with places:
            result = await task
        finished += 1
        done(finished, len(tasks))
        return result

    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(run(task)) for task in tasks]
    except BaseExceptionGroup as errors:  # the first is the cause; the others were cancelled
        raise errors.exceptions[0] from errors
    finally:
        for task in tasks:
            task.close()  # without effect on a task that has started
    return [task.result() for task in running]
