"""A build in Postgres that several processes do: nothing is lost or paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
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

from hopyard.agent.workers.worker import Worker
from hopyard.models.work.orders import Orders
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage import work_items
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import Item, packed, unpacked
from hopyard.testing import WordEmbedder

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


class TestQueue:
    """The table, without models."""

    @pytest.fixture
    def queues(self, address: str) -> Iterator[tuple[WorkQueue, WorkQueue]]:
        # As two containers whose processes have the same number and host name: procrastinate 1518.
        one, two = (WorkQueue(index_address(address)) for _ in range(2))
        with closing(one), closing(two):
            yield one, two

    def test_an_item_is_taken_by_one(self, queues: tuple[WorkQueue, WorkQueue]) -> None:
        one, two = queues
        orders = [Item(bytes([number]), "call", b"order") for number in range(5)]
        one.put(orders)
        one.put(orders[:1])
        assert [item.key for item in one.take("call", 2)] == [b"\x00", b"\x01"]
        assert [item.key for item in two.take("call", 9)] == [b"\x02", b"\x03", b"\x04"]
        assert one.take("embed", 9) == one.take("call", 9) == []
        two.renew([b"\x00"], 0)
        assert two.take("call", 9) == [], "it is another's"
        one.renew([b"\x00"], 0)
        assert [item.key for item in two.take("call", 9)] == [b"\x00"]

    def test_the_first_result_counts(
        self, queues: tuple[WorkQueue, WorkQueue], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = queues
        monkeypatch.setattr(work_items, "LEASE", 0.1)
        one.put([Item(b"k", "call", b"order")])
        [item] = one.take("call", 1)
        time.sleep(0.2)
        assert two.take("call", 1) == [item], "its lease has ended"
        one.finish(item._replace(data=b"first"))
        two.finish(item._replace(data=b"second"))
        one.put([item])
        assert two.results([b"k"]) == [item._replace(data=b"first")]
        one.delete([b"k"])
        assert two.results([b"k"]) == []

    def test_an_error_is_tried_again_in_the_next_build(
        self, queues: tuple[WorkQueue, WorkQueue]
    ) -> None:
        one, two = queues
        one.put([Item(b"k", "call", b"order")])
        [item] = one.take("call", 1)
        one.finish(item._replace(data=b"refused", failed=True))
        assert one.results([b"k"])[0].failed
        one.put([Item(b"k", "call", b"order")])
        assert one.results([b"k"]) == []
        assert two.take("call", 1) == [Item(b"k", "call", b"order")]
        one.finish(item._replace(data=b"refused", failed=True))
        one.put([Item(b"k", "call", b"order")], again=True)
        assert one.results([b"k"])[0].failed, "its builder has not seen it yet"

    def test_workers_leave_the_calls_of_a_batch_alone(
        self, queues: tuple[WorkQueue, WorkQueue]
    ) -> None:
        one, two = queues
        one.put([Item(b"k", "batched", b"order")])
        assert two.take("call", 1) == []
        one.put([Item(b"k", "call", b"order")])
        assert two.take("call", 1) == [Item(b"k", "call", b"order")], "a build without batches"

    def test_another_index_has_its_own_items(
        self, queues: tuple[WorkQueue, WorkQueue], address: str
    ) -> None:
        queues[0].put([Item(b"k", "call", b"order")])
        with closing(WorkQueue(index_address(f"{address}2"))) as other:
            assert other.take("call", 1) == []

    async def test_a_worker_with_another_model_gives_its_item_back(
        self, queues: tuple[WorkQueue, WorkQueue], tmp_path: Path, model_server: ModelServer
    ) -> None:
        one, two = queues
        asked = {"model": "openai:scripted", "identity": "openai:scripted@example.org"}
        one.put([Item(b"k", "call", packed(asked))])
        match = "is 'openai:scripted' here and"
        with Resources(tmp_path) as resources, pytest.raises(UsageError, match=match):
            await Worker(one, resources).run(threading.Event())
        assert [item.key for item in two.take("call", 1)] == [b"k"]

    def test_an_item_that_ends_its_processes_is_given_up(
        self, queues: tuple[WorkQueue, WorkQueue], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """sidekiq 5300, dramatiq 383, taskiq-aio-pika 35: it was taken again without end."""
        one, two = queues
        one.put([Item(b"bad", "call", b"order"), Item(b"good", "call", b"order")])
        for _ in range(9):
            one.renew([item.key for item in one.take("call", 9)], 0)
        monkeypatch.setattr(work_items, "LEASE", 0.0)
        taken = [item.key for _ in range(9) for item in two.take("call", 1)]
        assert taken == [b"bad"] * 5 + [b"good"] * 4, "items that are given back do not count"
        [given_up] = one.results([b"bad", b"good"])
        assert given_up.key == b"bad" and given_up.failed
        assert "5 processes have ended" in unpacked(given_up.data)["message"]
        one.put([Item(b"bad", "call", b"order")], again=True)
        assert len(one.results([b"bad"])) == 1
        one.put([Item(b"bad", "call", b"order")])
        assert one.results([b"bad"]) == [], "the next build tries it again"

    def test_a_process_that_lost_its_item_does_not_give_it_back(
        self, queues: tuple[WorkQueue, WorkQueue], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """lion-reader 917, aegra 547: a late heartbeat changed the lease of another worker."""
        one, two = queues
        one.put([Item(b"bad", "call", b"order")])
        monkeypatch.setattr(work_items, "LEASE", 0.1)
        assert one.take("call", 1)
        time.sleep(0.2)
        monkeypatch.setattr(work_items, "LEASE", 30.0)
        assert two.take("call", 1)
        one.renew([b"k"], 0)
        assert one.take("call", 1) == []

    def test_an_item_is_taken_once_by_many_at_once(
        self, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """OCA/queue 859, akeneo 7998 (taken twice), laravel/ideas 1364 (deadlocks)."""
        monkeypatch.setattr(work_items, "LEASE", 3600.0)
        orders = [Item(b"%d" % number, "call", b"order") for number in range(200)]
        taken: list[bytes] = []

        def work() -> None:
            with closing(WorkQueue(index_address(address))) as queue:
                queue.put(random.sample(orders, len(orders)))
                while items := queue.take("call", 7):
                    taken.extend(item.key for item in items)
                    queue.renew([item.key for item in items][::-1])

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == sorted(item.key for item in orders)

    @pytest.mark.parametrize("blocks", [True, False])
    async def test_an_item_that_takes_many_leases_stays_with_its_worker(
        self,
        queues: tuple[WorkQueue, WorkQueue],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        blocks: bool,
    ) -> None:
        """celery 5935, pretix 2058: it ran twice. agno 9512: the event loop was blocked.

        workhorse 120: a heartbeat failed, and the work was given up.
        """
        one, two = queues
        monkeypatch.setattr(work_items, "LEASE", 0.6)
        stop, stolen, renew, failures = threading.Event(), [], one.renew, iter([True])

        async def blocking(seconds: float) -> None:
            time.sleep(seconds)  # noqa: ASYNC251

        pause = blocking if blocks else asyncio.sleep

        async def embed(asked: dict[str, Any]) -> bytes:
            for _ in range(20):
                await pause(0.1)
                stolen.extend(two.take("embed", 1))
            stop.set()
            return b"vectors"

        def sometimes(*given: Any) -> None:
            if next(failures, False):
                raise HopyardError("the server is away")
            renew(*given)

        monkeypatch.setattr(one, "renew", sometimes)
        one.put([Item(b"k", "embed", packed({}))])
        with Resources(tmp_path) as resources:
            worker = Worker(one, resources)
            monkeypatch.setattr(worker, "_embed", embed)
            await worker.run(stop)
        assert stolen == [] and one.results([b"k"])[0].data == b"vectors"


def test_texts_that_could_not_be_embedded_end_the_build(address: str) -> None:
    with closing(WorkQueue(index_address(address))) as queue, Orders(queue) as orders:
        embedder = orders.embedder(WordEmbedder())
        refusing = threading.Thread(target=refuse, args=(queue,))
        refusing.start()
        with pytest.raises(HopyardError, match="could not be embedded"):
            embedder.embed_documents(["a text"])
        refusing.join()


def refuse(queue: WorkQueue) -> None:
    while not (items := queue.take("embed", 1)):
        time.sleep(0.05)
    told = packed({"message": "Too long.", "reason": "refused", "cause": ""})
    queue.finish(items[0]._replace(data=told, failed=True))
