"""The waits of a model call, together with the calls of all processes that share its ledger.

A call of the same key that is being asked, one of the places that a model has, and a turn where
limits of a minute hold. The ledger's database keeps them, so that a kill frees them.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from hopyard.models.concurrency import PerLoop
from hopyard.models.ledger_tables import Execute, Tables, ledger_key
from hopyard.state.usage import Budget

__all__ = ("Turns",)

T = TypeVar("T")

_PAUSE: Final = 0.1
"""Seconds between two looks whether another process still asks the model the same."""
_TURN: Final = (
    "INSERT INTO turns (model, free) VALUES (:model, {now} + :seconds) ON CONFLICT (model) DO "
    "UPDATE SET free = :seconds + CASE WHEN turns.free BETWEEN {now} - 1 AND {now} THEN turns.free "
    "ELSE {now} END WHERE turns.free NOT BETWEEN {now} AND {now} + 3600 RETURNING free"
)
"""A turn that is more than an hour away is that of a clock which was wrong."""
_UNTIL: Final = "SELECT free - {now} FROM turns WHERE model = :model"
_MORE: Final = (
    "UPDATE turns SET free = CASE WHEN free < {now} THEN {now} ELSE free END + :seconds "
    "WHERE model = :model"
)


class Turns:
    """Waits that calls of several threads and processes share."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._locks = PerLoop[str, asyncio.Lock](lambda _: asyncio.Lock())

    @asynccontextmanager
    async def asking(self, key: str) -> AsyncIterator[None]:
        """Hold a call while asking the model, so that no other process asks the same.

        It waits while another process holds the call, which may have finished it then.
        """
        while not await self._hold(key):  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE)
        try:
            yield
        finally:
            await asyncio.shield(self._in_thread(self._tables.release, key))

    @asynccontextmanager
    async def place(self, model: str, most: int | None) -> AsyncIterator[None]:
        """Hold one of the places that all processes with this ledger have for a model's calls.

        Args:
            model: The model as the ledger names it.
            most: How many there are; None for no limit.
        """
        order = random.sample(range(most or 0), most or 0)
        keys = [ledger_key({"model": model, "place": each}) for each in order]
        held = ""
        async with self._locks(model):  # one call looks for a place, however many wait
            while most and not held:
                for key in keys:
                    if await self._hold(key):
                        held = key
                        break
                else:
                    await asyncio.sleep(_PAUSE)
        try:
            yield
        finally:
            if held:
                await asyncio.shield(self._in_thread(self._tables.release, held))

    @asynccontextmanager
    async def in_turn(
        self, model: str, budget: Budget, tokens: int
    ) -> AsyncIterator[Callable[[int], None]]:
        """Wait until a call may be made, as limits of a minute allow it.

        Args:
            tokens: Those of the prompt. Those of the answer are not known yet, and come later.

        Yields:
            Takes the tokens that the call has spent.
        """
        expected, told = budget.pause(tokens), list[int]()
        await self.wait(model, expected)
        yield told.append
        for spent in told:
            await asyncio.to_thread(self.took, model, budget.pause(spent) - expected)

    async def wait(self, model: str, seconds: float) -> None:
        """Wait for a turn among the calls of all processes to a model. Who waits has taken none.

        Args:
            seconds: Until the next turn; 0 for no limit.
        """
        if seconds:
            async with self._locks(f"turn {model}"):  # one call looks, however many wait
                while wait := await asyncio.to_thread(self._turn, model, seconds):  # noqa: ASYNC110
                    await asyncio.sleep(wait)

    def _turn(self, model: str, seconds: float) -> float:
        """Take a turn, or give the seconds until one is free."""
        now, values = self._tables.now, {"model": model, "seconds": seconds}

        def work(execute: Execute) -> float:
            if execute(_TURN.format(now=now), values).fetchone():
                return 0.0
            return max(0.001, float(execute(_UNTIL.format(now=now), values).fetchone()[0]))

        return self._tables.write(work)

    def took(self, model: str, seconds: float) -> None:
        """Let the next turn come later; less than 0 gives back what was not needed."""
        query, values = _MORE.format(now=self._tables.now), {"model": model, "seconds": seconds}
        if seconds:
            self._tables.write(lambda execute: execute(query, values))

    async def _hold(self, key: str) -> bool:
        """Try to hold a call; a try that is cancelled holds nothing."""
        tried = self._in_thread(self._tables.hold, key)
        try:
            return await asyncio.shield(tried)
        except asyncio.CancelledError:
            if await tried:
                await asyncio.shield(self._in_thread(self._tables.release, key))
            raise

    @staticmethod
    def _in_thread(work: Callable[[str], T], key: str) -> asyncio.Future[T]:
        """Begin work that no cancellation stops.

        `asyncio.run` cancels the tasks that are left when it ends, those of `asyncio.to_thread`
        too: a key that nobody releases would stop every later call of this process.
        """
        return asyncio.get_running_loop().run_in_executor(None, work, key)
