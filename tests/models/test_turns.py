"""Calls of several processes wait for each other: for an answer, a place, a turn of a minute."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopyard.models.ledger import Entry, Ledger, open_ledger

PARIS = Entry("answer", 1, "m", 0, '{"answer": "Paris"}', "parsed", 100, 5, 0.5)


@pytest.fixture
def ledger(place: Path | str) -> Iterator[Ledger]:
    opened = open_ledger(place)
    yield opened
    opened.close()


async def test_two_askers_of_one_call_pay_once(ledger: Ledger, place: Path | str) -> None:
    paid = []

    async def ask(asker: Ledger, run: str) -> None:
        async with asker.turns.asking("k"):
            if asker.find("k", run) is None:
                await asyncio.sleep(0)
                paid.append(run)
                asker.record("k", PARIS, run=run, run_seconds=0)

    other = open_ledger(place)
    await asyncio.gather(ask(ledger, "a"), ask(other, "b"), ask(ledger, "c"))
    other.close()
    assert len(paid) == 1
    assert sum(ledger.usage(run)["cached_calls"] for run in "abc") == 2


async def ask(ledger: Ledger) -> None:
    async with asyncio.timeout(60), ledger.turns.asking("k"):
        pass


@pytest.fixture
def slow(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> tuple[threading.Event, threading.Event]:
    """A hold that has begun, and what lets it go on."""
    hold, began, go_on = ledger.turns._tables.hold, threading.Event(), threading.Event()

    def slowly(key: str) -> bool:
        began.set()
        return go_on.wait(60) and hold(key)

    monkeypatch.setattr(ledger.turns._tables, "hold", slowly)
    return began, go_on


async def test_an_asker_who_is_cancelled_holds_nothing(
    ledger: Ledger, slow: tuple[threading.Event, threading.Event]
) -> None:
    began, go_on = slow
    cancelled = asyncio.create_task(ask(ledger))
    await asyncio.to_thread(began.wait)
    cancelled.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    await ask(ledger)


def test_an_event_loop_that_ends_holds_nothing(
    ledger: Ledger, slow: tuple[threading.Event, threading.Event]
) -> None:
    began, ended = slow

    async def tell_the_end() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def main() -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(ask(ledger)), asyncio.create_task(tell_the_end())]
        await asyncio.to_thread(began.wait)
        return tasks

    assert all(task.cancelled() for task in asyncio.run(main()))
    asyncio.run(ask(ledger))


async def test_places_are_common_to_all_processes(place: Path | str) -> None:
    first, second = open_ledger(place), open_ledger(place)
    running, most, others = 0, 0, 0
    three = asyncio.Event()

    async def call(ledger: Ledger, limit: int | None, model: str = "m") -> None:
        nonlocal running, most, others
        async with ledger.turns.place(model, limit):
            if model == "m":
                running += 1
                most = max(most, running)
                if running == 3:
                    three.set()
                await asyncio.wait_for(three.wait(), 60)
                await asyncio.sleep(0.01)
                running -= 1
            else:
                others += 1

    async with asyncio.TaskGroup() as group:
        for ledger in (first, second) * 8:
            group.create_task(call(ledger, 3))
    assert most == 3
    async with first.turns.place("m", 1):
        await call(second, 1, "other")
        await call(second, None, "no limit")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await call(second, 1)
    await call(second, 1)
    assert others == 2
    first.close()
    second.close()


_HOLDER = """
import asyncio, sys
from pathlib import Path
from hopyard.models.ledger import open_ledger

async def hold():
    place = sys.argv[1]
    async with open_ledger(place if "://" in place else Path(place)).turns.place("m", 1):
        print("held", flush=True)
        await asyncio.sleep(60)

asyncio.run(hold())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_kill_frees_a_place(ledger: Ledger, place: Path | str) -> None:
    async def take(seconds: float) -> None:
        async with asyncio.timeout(seconds), ledger.turns.place("m", 1):
            pass

    command = [sys.executable, "-c", _HOLDER, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError):
            asyncio.run(take(0.3))
        holder.kill()
    asyncio.run(take(60))


_TURNS = """
import asyncio, sys, time
from pathlib import Path
from hopyard.models.ledger import open_ledger

place = sys.argv[1]
ledger = open_ledger(place if "://" in place else Path(place))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    asyncio.run(ledger.turns.wait("m", 0.2))
    print(time.time(), flush=True)
"""


def test_turns_are_common_to_all_processes(ledger: Ledger, place: Path | str) -> None:
    command = [sys.executable, "-c", _TURNS, str(place)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    takers = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for taker in takers:
        assert taker.stdout.readline() == "ready\n"
    began = time.time()
    for taker in takers:
        taker.stdin.write("\n")
        taker.stdin.flush()
    ended = [taker.communicate()[0].split() for taker in takers]
    times = sorted(float(time) for times in ended for time in times)
    assert len(times) == 10 and times[-1] - began >= 9 * 0.2, "one in .2 s, of both"
    asyncio.run(
        asyncio.wait_for(ledger.turns.wait("other", 600), 60)
    )  # another model has its own line


async def test_a_turn_that_needed_more_keeps_the_next_one_waiting(ledger: Ledger) -> None:
    await ledger.turns.wait("m", 0)
    await ledger.turns.wait("m", 1000)
    ledger.turns.took("m", 2000)
    assert 2900 < ledger.turns._turn("m", 1) <= 3000
    ledger.turns.took("m", -500)
    assert 2400 < ledger.turns._turn("m", 1) <= 2500


async def test_calls_that_no_longer_wait_leave_no_gap(ledger: Ledger) -> None:
    """Else a question that is asked again after Ctrl-C would wait for the turns of the first."""
    await ledger.turns.wait("m", 0.5)
    waiting = [asyncio.create_task(ledger.turns.wait("m", 10)) for _ in range(20)]
    await asyncio.sleep(0.1)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.wait_for(ledger.turns.wait("m", 0.5), 60)


async def test_a_clock_that_was_wrong_stops_no_call(ledger: Ledger) -> None:
    await ledger.turns.wait("m", 1)
    ledger.turns.took("m", 86_400)  # as if the clock had been a day ahead
    await asyncio.wait_for(ledger.turns.wait("m", 1), 60)
