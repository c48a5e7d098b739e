"""A build in Postgres that several processes do: nothing is lost or paid for twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Zygote
from model_server import ModelServer, Reply
from postgres_server import OWN, PostgresServer

from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres.work import WorkQueue

from ..indexes.kinds.passage_graph.script import Writer, person
from .conftest import EMBEDDING

COUNT = 40
LONG = pytest.mark.skipif(not os.environ.get("TEST_SCALE"), reason="runs in `make test-scale`")
BUILD = ("--with", "dense,sparse,passage-graph", "--model", "openai:scripted", "--json")
KINDS = ("--embedding", EMBEDDING, "--chunk-tokens", "0")
WORKER = """
import asyncio, sys, threading
from hopyard.agent.workers.worker import Worker
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage import work_items
from hopyard.state.storage.postgres.work import WorkQueue
work_items.LEASE = float(sys.argv[2])
queue = WorkQueue(index_address(sys.argv[1]))
print("ready", flush=True)
asyncio.run(Worker(queue, Resources(), Context(concurrency=4)).run(threading.Event()))
"""


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    return f"{postgres.place()}&index=docs"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Documents whose texts differ, so that each call and each embedding is another."""
    people = [person(number) for number in range(COUNT)]
    entries = [
        {"id": f"d{number}", "title": each.title, "text": f"{each.text} It is number {number}."}
        for number, each in enumerate(people)
    ]
    file = tmp_path / "docs.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)))
    return file


@pytest.fixture
def build(
    address: str, corpus: Path, zygote: Zygote, model_server: ModelServer, tmp_path: Path
) -> Callable[..., Command]:
    """Starts the build on a machine."""
    model_server.answer = Writer()

    def start(*more: str, on: str = "workers", out: str = address, **variables: str) -> Command:
        environment = model_server.environment() | {"HOPYARD_HOME": str(tmp_path / "builder")}
        arguments = ("index", "build", str(corpus), "--out", out, *BUILD, *KINDS, "--on", on)
        return zygote.start(*arguments, *more, environment=environment | variables)

    return start


@pytest.fixture
def hire(
    address: str, model_server: ModelServer, tmp_path: Path
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts workers, each on a machine of its own."""
    hired: list[subprocess.Popen[str]] = []

    def start(lease: float = 60.0) -> subprocess.Popen[str]:
        variables = model_server.environment() | {"HOPYARD_HOME": str(tmp_path / f"w{len(hired)}")}
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER, address, str(lease)],
            env=os.environ | variables,
            stdout=subprocess.PIPE,
            text=True,
        )
        hired.append(process)
        assert process.stdout and process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in hired:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def items(postgres: PostgresServer, address: str) -> int:
    with closing(WorkQueue(index_address(address))) as queue:
        [[count]] = queue._run("SELECT count(*) FROM work_items")
        return int(count)


def test_workers_share_a_build(
    build: Callable[..., Command],
    hire: Callable[[], Any],
    model_server: ModelServer,
    address: str,
    postgres: PostgresServer,
) -> None:
    model_server.hold(until=3)
    hire()
    ended = build("--set", "concurrency=2").end()
    assert ended.code == 0, ended
    turns = Counter(call.turn for call in model_server.calls)
    assert len(turns) == COUNT and set(turns.values()) == {1}
    assert ended.json["usage"]["model_calls"] == COUNT
    assert max(Counter(model_server.embedded).values()) == 1
    assert model_server.most_at_once() > 2, "the worker has places of its own"
    assert items(postgres, address) == 0


@LONG
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_kills_of_workers_and_builders(
    build: Callable[..., Command], hire: Callable[..., Any], model_server: ModelServer
) -> None:
    """A call that is asked again was under way at a kill."""
    model_server.delay = 0.2
    chance, killed = random.Random(5), []

    def kill(end: Callable[[], Any]) -> None:
        time.sleep(chance.uniform(0.3, 1.5))
        killed.append(time.monotonic())
        end()

    workers = [hire(12), hire(12)]
    builder = build("--set", "concurrency=2")
    model_server.wait_for_call()
    for worker in workers:
        kill(worker.kill)
    hire()
    kill(builder.kill)
    builder = build("--set", "concurrency=2")
    ended = builder.end()
    assert ended.code == 0, ended
    asked: dict[str, list[Any]] = {}
    for call in model_server.calls:
        asked.setdefault(call.turn, []).append(call)
    assert len(asked) == COUNT
    for first, *again in asked.values():
        # A reply needs a moment to be stored.
        under_way = [at for at in killed if first.started < at < first.finished + 0.5]
        assert len(again) <= len(under_way), (first, again, killed)
    assert sum(len(calls) - 1 for calls in asked.values()) <= 4 + 4 + 2


@LONG
@pytest.mark.skipif(bool(OWN), reason="another's server is not stopped")
def test_the_database_restarts_during_a_build(
    build: Callable[..., Command],
    hire: Callable[[], Any],
    model_server: ModelServer,
    postgres: PostgresServer,
) -> None:
    model_server.delay = 0.3
    hire()
    builder = build("--set", "concurrency=2")
    model_server.wait_for_call()
    postgres.stop()
    time.sleep(0.5)
    postgres.start()
    ended = builder.end()
    assert ended.code == 0, ended
    assert {*Counter(call.turn for call in model_server.calls).values()} == {1}


@LONG
def test_a_prompt_that_is_too_long_and_a_refused_call(
    build: Callable[..., Command], model_server: ModelServer
) -> None:
    """The errors of a worker are those that the builder would have had."""
    answer, long = model_server.answer, "maximum context length is 8192 tokens"

    def refusing(title: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        if "number 7." in turn:
            return Reply(400, body={"error": {"message": "no such thing"}})
        if "number 8." in turn:
            return Reply(400, body={"error": {"message": long}})
        return answer(title, messages)

    model_server.answer = refusing
    ended = build("--set", "writing.max_failure_rate=0.1").end()
    assert ended.code == 0, ended
    assert ended.json["passage_graph"]["failed"] == 2


@LONG
def test_a_model_that_does_not_answer_ends_the_build(
    build: Callable[..., Command], model_server: ModelServer
) -> None:
    answer, asked = model_server.answer, []

    def leaving(title: str, messages: list[dict[str, Any]]) -> Any:
        asked.append(title)
        return answer(title, messages) if len(asked) < 10 else Reply(401)

    model_server.answer = leaving
    ended = build("--set", "concurrency=2").end()
    assert ended.code == 4 and "refused access" in ended.err, ended
    model_server.answer = answer
    before = len(model_server.calls)
    ended = build().end()
    assert ended.code == 0, ended
    assert len(model_server.calls) - before == COUNT - 9, "nine were answered, and are known"


def test_budgets_hold(build: Callable[..., Command], model_server: ModelServer) -> None:
    ended = build("--max-calls", "10").end()
    assert ended.code == 0 and ended.json["usage"]["model_calls"] == 10, ended
    assert len(model_server.calls) == 10


def test_an_index_in_a_folder_cannot_be_shared(
    build: Callable[..., Command], zygote: Zygote, model_server: ModelServer, tmp_path: Path
) -> None:
    ended = build(out=str(tmp_path / "index")).end()
    assert ended.code == 2 and "--on needs an index in Postgres" in ended.err
    assert "it is workers, batch, ray" in build(on="somebody").end().err
    worker = zygote.run("worker", "-i", str(tmp_path), environment=model_server.environment())
    assert worker.code == 2 and "`hopyard worker` needs an index in Postgres" in worker.err
