"""Public reports of other programs about batch APIs, as small inputs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from batch_server import BatchServer
from model_server import ModelServer, Reply

from hopyard.state.errors import HopyardError

from .test_batches import COUNT, address, build, server
from .test_workers import LONG

__all__ = ("address", "server")

pytestmark = LONG


def sent(server: BatchServer) -> list[int]:
    return [len(batch["requests"]) for batch in server.batches]


@pytest.mark.parametrize("status", [404, 200])
def test_a_batch_that_is_gone_is_sent_once_more(
    address: str, server: BatchServer, status: int
) -> None:
    """tensorzero 1198: polling went on without end, also at an error in a reply of status 200."""
    server.missing, server.missing_status = (lambda number: number == 1), status
    report = build(address)
    assert report.usage["model_calls"] == COUNT and sent(server) == [COUNT, COUNT]


def test_a_batch_that_is_gone_twice_ends_the_build(address: str, server: BatchServer) -> None:
    server.missing = lambda number: True
    with pytest.raises(HopyardError, match="two batches are gone at the provider"):
        build(address)
    assert sent(server) == [COUNT, COUNT]
    server.missing = lambda number: False
    assert build(address).usage["model_calls"] == COUNT


def test_a_batch_that_is_not_found_for_a_moment_is_waited_for(
    address: str, server: BatchServer
) -> None:
    """anthropic-sdk-python 1432: new batches were not found, and were there a minute later."""
    looks: Counter[int] = Counter()

    def missing(number: int) -> bool:
        looks[number] += 1
        return looks[number] <= 2

    server.missing = missing
    assert build(address).usage["model_calls"] == COUNT and sent(server) == [COUNT]


def test_results_that_are_gone_are_asked_for_again(address: str, server: BatchServer) -> None:
    add = server.add_file

    def lossy(data: bytes) -> str:
        name = add(data)
        if len(server.batches) == 1 and b'"response"' in data:
            del server.files[name]
        return name

    server.add_file = lossy  # type: ignore[method-assign]
    assert build(address).usage["model_calls"] == COUNT and sent(server) == [COUNT, COUNT]


def test_a_batch_with_errors_alone_tells_them(
    address: str, server: BatchServer, model_server: ModelServer
) -> None:
    """kaapi 723, openai-cookbook 1564, litellm 33987: it has no file of results."""
    body = {"error": {"message": "no such option"}}
    model_server.answer = lambda title, messages: Reply(400, body=body)
    with pytest.raises(HopyardError, match="no such option"):
        build(address)
    assert "output_file_id" not in server.batches[0]


def zero(line: str) -> str:
    """ellmer 830: an error of the provider with the status 0 and an empty body."""
    entry = json.loads(line)
    return json.dumps(entry | {"response": {"status_code": 0, "request_id": "", "body": {}}})


def other_order(line: str) -> str:
    """any-llm 1273, stdapi 60: an error beside a response; the order is that of another file."""
    entry = json.loads(line)
    return json.dumps({"error": {}, **entry})


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda line: line[: len(line) // 2], COUNT),  # tensorzero 6957
        (lambda line: "", COUNT),  # aqueduct 55
        (lambda line: json.dumps({"error": None}), COUNT),
        (zero, COUNT),
        (other_order, 0),
        (lambda line: f"{line}\n{line}", 0),  # sglang 1415, aibrix 2149
        (lambda line: f"{line}\r\n\n", 0),
    ],
)
def test_lines_that_are_broken_are_asked_for_again(
    address: str, server: BatchServer, change: Callable[[str], str], again: int
) -> None:
    server.line = lambda line: change(line) if len(server.batches) == 1 else line
    report = build(address)
    assert report.usage["model_calls"] == COUNT and sum(sent(server)) == COUNT + again


def test_a_cancelled_batch_keeps_what_it_has(address: str, server: BatchServer) -> None:
    """stdapi 60, curator 226: results of a batch that was cancelled or expired were dropped."""
    server.end = lambda number: "cancelled" if number == 1 else "completed"
    server.lost = lambda number, place: number == 1 and place >= 4
    assert build(address).usage["model_calls"] == COUNT
    assert sent(server) == [COUNT, 6]


def test_no_answer_without_credit(
    address: str, server: BatchServer, model_server: ModelServer
) -> None:
    """curator 296: each request of a batch failed as the account was empty; nothing is repeated."""
    body: dict[str, Any] = {"error": {"message": "no credit", "code": "insufficient_quota"}}
    model_server.answer = lambda title, messages: Reply(429, body=body)
    with pytest.raises(HopyardError, match="no credit"):
        build(address)
    assert sent(server) == [COUNT]
