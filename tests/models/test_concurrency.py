"""Clients: one for each event loop. `calls.test_call` tests the limit of calls and their twins."""

from __future__ import annotations

import asyncio

from hopyard.models.concurrency import PerLoop


def counting() -> tuple[PerLoop[str, object], list[str]]:
    made: list[str] = []

    def make(key: str) -> object:
        made.append(key)
        return object()

    return PerLoop(make, most=2), made


async def same(clients: PerLoop[str, object], key: str) -> bool:
    return clients(key) is clients(key)


def test_a_loop_gets_one_client_a_key_and_lets_go_those_of_a_closed_loop() -> None:
    clients, made = counting()
    for _ in range(2):
        assert asyncio.run(same(clients, "a"))
    assert made == ["a", "a"]
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
