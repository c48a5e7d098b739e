"""Places for calls: the limit holds, nobody waits for ever. Clients: one for each event loop."""

from __future__ import annotations

import asyncio
import random

import pytest

from hopyard.models.concurrency import LONGEST_STREAK, PerLoop, Scheduler


async def order_of(scheduler: Scheduler, prefixes: list[str]) -> list[str]:
    """The order in which calls run that all wait for one place."""
    ran: list[str] = []

    async def call(prefix: str) -> None:
        async with scheduler.place(prefix):
            ran.append(prefix)
            await asyncio.sleep(0)

    async with scheduler.place(prefixes[0]):
        calls = [asyncio.create_task(call(prefix)) for prefix in prefixes]
        await asyncio.sleep(0)
    await asyncio.gather(*calls)
    return ran


@pytest.mark.parametrize("keep_prefixes", [False, True])
@pytest.mark.parametrize("limit", [1, 3, 16])
async def test_the_limit_holds_under_load(limit: int, keep_prefixes: bool) -> None:
    scheduler = Scheduler(limit, keep_prefixes=keep_prefixes)
    draw = random.Random(limit)
    running = most = done = 0

    async def call() -> None:
        nonlocal running, most, done
        await asyncio.sleep(draw.random() / 500)
        async with scheduler.place(draw.choice("abc")):
            running += 1
            most = max(most, running)
            await asyncio.sleep(draw.random() / 2000)
            running -= 1
        done += 1

    await asyncio.gather(*(call() for _ in range(200)))
    assert (most, done) == (limit, 200)


async def test_without_prefixes_it_is_first_come_first_served() -> None:
    assert await order_of(Scheduler(1), list("abab")) == list("abab")


async def test_a_freed_place_goes_to_a_call_with_the_same_prefix() -> None:
    assert await order_of(Scheduler(1, keep_prefixes=True), list("abcab")) == list("aabbc")


async def test_calls_with_one_prefix_keep_their_order() -> None:
    scheduler = Scheduler(1, keep_prefixes=True)
    ran: list[int] = []

    async def call(number: int) -> None:
        async with scheduler.place("a"):
            ran.append(number)

    async with scheduler.place("a"):
        calls = [asyncio.create_task(call(number)) for number in range(10)]
        await asyncio.sleep(0)
    await asyncio.gather(*calls)
    assert ran == list(range(10))


async def test_another_prefix_is_let_in_after_the_longest_streak() -> None:
    prefixes = ["a"] * 10 + ["b"] + ["a"] * 3 * LONGEST_STREAK
    ran = await order_of(Scheduler(1, keep_prefixes=True), prefixes)
    assert ran.count("a") == 10 + 3 * LONGEST_STREAK
    assert ran.index("b") == LONGEST_STREAK - 1  # the call that held the place began the streak


async def test_none_starves_while_calls_with_one_prefix_keep_coming() -> None:
    scheduler = Scheduler(1, keep_prefixes=True)
    served = asyncio.Event()
    calls = 0

    async def stream() -> None:
        nonlocal calls
        while not served.is_set() and calls < 1000:
            async with scheduler.place("a"):
                calls += 1
                await asyncio.sleep(0)

    async def lone() -> None:
        async with scheduler.place("b"):
            served.set()

    streams = [asyncio.create_task(stream()) for _ in range(3)]
    await asyncio.sleep(0)
    await asyncio.wait_for(lone(), 5)
    await asyncio.gather(*streams)
    assert calls <= 2 * LONGEST_STREAK + 3


async def test_a_cancelled_call_hands_its_place_on() -> None:
    scheduler = Scheduler(1)
    held = asyncio.Event()

    async def hold() -> None:
        async with scheduler.place("a"):
            held.set()
            await asyncio.Event().wait()

    holder = asyncio.create_task(hold())
    await held.wait()
    waiter = asyncio.create_task(order_of(scheduler, ["b"]))
    await asyncio.sleep(0)
    holder.cancel()
    assert await asyncio.wait_for(waiter, 1) == ["b"]


async def test_a_cancelled_waiter_takes_no_place() -> None:
    scheduler = Scheduler(1)
    async with scheduler.place("a"):
        waiters = [asyncio.create_task(order_of(scheduler, ["b"])) for _ in range(3)]
        await asyncio.sleep(0)
        waiters[0].cancel()
        await asyncio.sleep(0)
    assert await asyncio.wait_for(asyncio.gather(*waiters[1:]), 1) == [["b"], ["b"]]


async def test_a_waiter_cancelled_at_its_turn_hands_the_place_on() -> None:
    scheduler = Scheduler(1)
    async with scheduler.place("a"):
        waiters = [asyncio.create_task(order_of(scheduler, ["b"])) for _ in range(2)]
        await asyncio.sleep(0)
    waiters[0].cancel()  # its turn has come, and it has not run yet
    assert await asyncio.wait_for(waiters[1], 1) == ["b"]
    with pytest.raises(asyncio.CancelledError):
        await waiters[0]


async def test_a_failing_call_hands_its_place_on() -> None:
    scheduler = Scheduler(1)
    with pytest.raises(RuntimeError):
        async with scheduler.place("a"):
            raise RuntimeError
    assert await asyncio.wait_for(order_of(scheduler, ["b"]), 1) == ["b"]


async def test_places_survive_any_storm_of_cancellations() -> None:
    scheduler = Scheduler(3, keep_prefixes=True)
    draw = random.Random(1)
    running = most = 0

    async def call() -> None:
        nonlocal running, most
        async with scheduler.place(draw.choice("ab")):
            running += 1
            most = max(most, running)
            try:
                await asyncio.sleep(draw.random() / 1000)
            finally:
                running -= 1

    for _ in range(20):
        calls = [asyncio.create_task(call()) for _ in range(20)]
        await asyncio.sleep(draw.random() / 1000)
        for waiter in draw.sample(calls, 10):
            waiter.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    assert most == 3
    assert scheduler._free == 3


# Clients


def counting() -> tuple[PerLoop[str, object], list[str]]:
    made: list[str] = []

    def make(key: str) -> object:
        made.append(key)
        return object()

    return PerLoop(make, most=2), made


async def same(clients: PerLoop[str, object], key: str) -> bool:
    return clients(key) is clients(key)


def test_a_loop_gets_one_client_a_key() -> None:
    clients, made = counting()
    for _ in range(2):
        assert asyncio.run(same(clients, "a"))
    assert made == ["a", "a"]


def test_the_clients_of_a_closed_loop_are_let_go() -> None:
    clients, _ = counting()
    for _ in range(5):
        asyncio.run(same(clients, "a"))
    assert len(clients._clients) == 1


async def test_a_loop_keeps_so_many_and_no_more() -> None:
    clients, made = counting()
    for key in ("a", "b", "c", "a"):
        clients(key)
    assert made == ["a", "b", "c", "a"]
    assert len(clients._clients[asyncio.get_running_loop()]) == 2


def test_outside_of_a_loop_each_client_is_new() -> None:
    clients, made = counting()
    assert clients("a") is not clients("a")
    assert made == ["a", "a"]
