"""A build through OpenAI's batch API: nothing is sent twice that a batch has."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from batch_server import BatchServer
from building import wait
from model_server import ModelServer, Reply
from postgres_server import PostgresServer

import hopyard
from hopyard.agent.workers.shared_build import shared_build
from hopyard.indexes.building import build as building
from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.shared import build_folder
from hopyard.models.work import batches
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.testing import WordEmbedder

from ..indexes.kinds.passage_graph.script import Writer, people
from .test_workers import LONG

COUNT = 10
ASKING: dict[str, Any] = {"model": "openai:scripted", "profile": "builtin"}
SCRIPT = """
import sys
from hopyard.state.storage import work_items
from tests.reliability import test_batches as tests
tests.batches.POLL, tests.batches.QUIET = 0.2, 2.0
work_items.LEASE = 3.0
tests.build(sys.argv[1])
"""


def build(address: str, **settings: Any) -> BuildReport:
    hopyard.register_embedding("words", WordEmbedder())
    directory, context = build_folder(address), Context(**ASKING, **settings)
    with (
        Resources() as resources,
        shared_build("batch", directory, context, resources, WordEmbedder()) as models,
    ):
        kinds = ("dense", "sparse", "passage-graph")
        options: dict[str, Any] = {"directory": directory, "chunk_tokens": 0, "kinds": kinds}
        return wait(building.build(people(COUNT), **options, **models))


@pytest.fixture
def address(
    postgres: PostgresServer,
    model_server: ModelServer,
    server: BatchServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """An index that does not exist yet, in a process that knows the server."""
    monkeypatch.setattr(batches, "POLL", 0.2)
    monkeypatch.setattr(batches, "QUIET", 0.6)
    shared._mirrors.clear()
    for name, value in (model_server.environment() | {"OPENAI_BASE_URL": server.base_url}).items():
        monkeypatch.setenv(name, value)
    return f"{postgres.place()}&index=docs"


@pytest.fixture
def server(model_server: ModelServer) -> Iterator[BatchServer]:
    model_server.answer = Writer()
    with BatchServer(model_server) as started:
        yield started


def test_all_calls_are_one_batch(
    address: str, server: BatchServer, model_server: ModelServer
) -> None:
    report = build(address)
    assert report.usage["model_calls"] == COUNT == len(server.requests()) == len(model_server.calls)
    assert len(server.batches) == 1
    assert report.usage["input_tokens"] > 0
    assert server.files == {}, "its files are deleted"


@LONG
def test_requests_that_a_batch_lost_are_in_the_next(address: str, server: BatchServer) -> None:
    server.end = lambda number: "expired" if number == 1 else "completed"
    server.lost = lambda number, place: number == 1 and place >= 4
    report = build(address)
    sent = [len(batch["requests"]) for batch in server.batches]
    assert report.usage["model_calls"] == COUNT and sent[0] == COUNT
    assert sum(sent) == COUNT + 6


def test_a_request_that_is_refused_fails_alone(
    address: str, server: BatchServer, model_server: ModelServer
) -> None:
    answer = model_server.answer

    def refusing(title: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        refusal = {"error": {"message": "no such thing"}}
        return Reply(400, body=refusal) if "plant 3." in turn else answer(title, messages)

    model_server.answer = refusing
    report = build(address, writing={"max_failure_rate": 0.2})
    assert report.usage["model_calls"] == COUNT - 1
    assert Counter(server.requests()).most_common(1)[0][1] == 1


def test_a_batch_that_is_refused_ends_the_build(address: str, server: BatchServer) -> None:
    server.end = lambda number: "failed"
    with pytest.raises(HopyardError, match="the batch has the status failed: enqueued token limit"):
        build(address)
    server.end = lambda number: "completed"
    assert build(address).usage["model_calls"] == COUNT
    assert len(server.batches) == 2


@LONG
def test_a_batch_whose_reply_was_lost_is_found(address: str, server: BatchServer) -> None:
    server.broken = 1
    assert build(address).usage["model_calls"] == COUNT
    assert len(server.batches) == 1


@LONG
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("ended", [True, False])
def test_a_killed_build_takes_its_batch(
    address: str,
    server: BatchServer,
    model_server: ModelServer,
    ended: bool,
    wait_until: Callable[[Callable[[], Any]], None],
) -> None:
    server.end = lambda number: "in_progress"
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, str(Path(root) / "tests")])
    environment = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen([sys.executable, "-c", SCRIPT, address], env=environment) as process:
        try:
            wait_until(lambda: server.batches)
        finally:
            process.kill()
    if ended:
        server.end = lambda number: "completed"
        server.look(server.batches[0])
        server.end = lambda number: "nobody looks"
    else:
        server.end = lambda number: "completed"
    shared._mirrors.clear()
    assert build(address).usage["model_calls"] == COUNT
    assert len(server.batches) == 1 and len(model_server.calls) == COUNT


async def test_a_batch_that_ended_before_its_requests_are_made_is_not_sent_again(
    address: str,
    server: BatchServer,
    model_server: ModelServer,
    wait_until: Callable[[Callable[[], Any]], None],
) -> None:
    model_server.answer = lambda *_: "{}"
    server.end = lambda number: "in_progress"
    messages = [[{"role": "user", "content": f"{number}"}] for number in range(3)]
    bodies = [json.dumps({"model": "scripted", "messages": each}).encode() for each in messages]
    with closing(WorkQueue(index_address(address))) as queue:
        killed = batches.Batches(queue, "openai:scripted")
        tasks = [asyncio.create_task(killed.answer(body)) for body in bodies]
        await asyncio.to_thread(wait_until, lambda: server.batches)
        for task in [killed._loop, *tasks]:
            assert task and task.cancel()
        server.end = lambda number: "completed"
        after = batches.Batches(queue, "openai:scripted")
        for body in bodies:
            assert (await after.answer(body)).status == 200
        assert len(server.batches) == 1 and after._loop and after._loop.cancel()


async def test_looks_that_fail_in_a_row_end_the_calls(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_TRIES", 2)
    monkeypatch.setattr(batches, "POLL", 1.2)
    monkeypatch.setattr(batches.Batches, "_look", Mock(side_effect=ConnectionError("away")))
    with closing(WorkQueue(index_address(address))) as queue:
        asking = batches.Batches(queue, "openai:scripted")
        async with asyncio.timeout(30):
            messages = b'[{"role": "user", "content": "x"}]'
            answer = await asking.answer(b'{"model": "scripted", "messages": %b}' % messages)
        assert answer.status == 501 and "away" in str(answer.body)
        assert asking._loop and asking._loop.cancel()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], Any]], None]:
    def wait_for(holds: Callable[[], Any]) -> None:
        end = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.05)

    return wait_for


def test_another_model_has_no_batches(address: str) -> None:
    folder, other = build_folder(address), Context(model="ollama:x")
    with (
        Resources() as resources,
        pytest.raises(UsageError, match="--on batch needs a model such as openai:NAME"),
        shared_build("batch", folder, other, resources, WordEmbedder()),
    ):
        pass
