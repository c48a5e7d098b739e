"""The table that workers take the calls and texts of a build from."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.agent.workers.worker import Worker
from hopyard.models.work.orders import Orders
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage import work_items
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import Item, packed, unpacked
from hopyard.testing import WordEmbedder


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
