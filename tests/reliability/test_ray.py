"""Ray's actors as workers of a build. Ray listens on all addresses: it runs where only loopback is.

`make test-scale` runs it in a network namespace, if Ray is installed. Ray gives up where it has not
started within 30 seconds, and no setting changes that: with less than about a tenth of one core the
tests are left out.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres.work import WorkQueue

from .test_workers import COUNT, Command, ModelServer, Zygote, address, build, corpus, hire

__all__ = ("address", "build", "corpus", "hire")

pytest.importorskip("ray", reason="Ray is not installed")
PATIENCE = 500.0
"""Seconds in which Ray or an actor begins to work: half a minute where two cores are free."""
GAVE_UP = "timed out during startup"
pytestmark = [
    pytest.mark.timeout(4 * PATIENCE),
    pytest.mark.skipif(
        [name for _, name in socket.if_nameindex()] != ["lo"],
        reason="there are other networks than loopback",
    ),
]
ROOT = Path(__file__).parents[2]
OPEN = {
    "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    "RAY_AUTH_MODE": "disabled",
    "GRPC_POLL_STRATEGY": "poll",  # Ray forks its client server: gRPC 1.81 ends it
    "GRPC_ENABLE_FORK_SUPPORT": "false",
    "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": str(int(PATIENCE)),
    "RAY_worker_register_timeout_seconds": str(int(PATIENCE)),
}
WAITING = ("--set", "concurrency=1", "--set", f"timeout={3 * PATIENCE}")
HEAD = "start --head --port 6399 --ray-client-server-port 9901 --num-cpus 2 --block"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A cluster of one machine, for clients."""
    quiet = "--include-dashboard false --disable-usage-stats --node-ip-address 127.0.0.1"
    command = [sys.executable, "-m", "ray.scripts.scripts", *HEAD.split(), *quiet.split()]
    environment = os.environ | OPEN | {"HOPYARD_HOME": str(tmp_path / "cluster")}
    told = tmp_path / "ray.err"
    with (
        told.open("wb") as err,
        subprocess.Popen(command, env=environment, stderr=err, start_new_session=True) as ray,
    ):
        try:
            end = time.monotonic() + PATIENCE
            while True:
                with socket.socket() as tried:
                    if not tried.connect_ex(("127.0.0.1", 9901)):
                        break
                leave_out_if_ray_gave_up(told)
                assert time.monotonic() < end and ray.poll() is None, told.read_text()
                time.sleep(0.2)
            yield "ray://127.0.0.1:9901"
        finally:
            ray.send_signal(signal.SIGINT)
            ray.wait(PATIENCE)
            with suppress(ProcessLookupError):  # where it gave up, its children run on
                os.killpg(ray.pid, signal.SIGKILL)


def leave_out_if_ray_gave_up(told: Path) -> None:
    """Leave a test out if Ray's errors say that the machine is too busy for it."""
    if GAVE_UP in told.read_text(errors="replace"):
        pytest.skip("Ray did not start within its 30 seconds: the machine is too busy")


def test_actors_work_and_are_started_again(
    build: Callable[..., Command], model_server: ModelServer, address: str
) -> None:
    with halted(model_server):
        builder = build(*WAITING, on="ray", **OPEN)
        killed = working(address, builder)
        os.kill(killed, signal.SIGKILL)
        assert working(address, builder, but=killed)
    ended = builder.end()
    assert ended.code == 0, ended
    turns = Counter(call.turn for call in model_server.calls)
    assert len(turns) == COUNT and sum(turns.values()) <= COUNT + 1, "one call was under way"
    end = time.monotonic() + PATIENCE
    while actors():
        assert time.monotonic() < end, "the actors end with the build"
        time.sleep(0.1)


def test_a_cluster_works(
    cluster: str, build: Callable[..., Command], model_server: ModelServer, address: str
) -> None:
    with halted(model_server):
        builder = build(*WAITING, on=cluster, **OPEN)
        assert working(address, builder)
    ended = builder.end()
    assert ended.code == 0, ended
    assert {*Counter(call.turn for call in model_server.calls).values()} == {1}
    assert max(Counter(model_server.embedded).values()) == 1


def test_a_cluster_that_is_not_there(build: Callable[..., Command], zygote: Zygote) -> None:
    ended = build(on="ray://127.0.0.1:9", **OPEN).end()
    assert ended.code == 1 and "Ray (ray://127.0.0.1:9) cannot be used" in ended.err, ended
    assert "Traceback" not in ended.err


@contextmanager
def halted(server: ModelServer) -> Iterator[None]:
    """Until the end of the block, no call is answered: an actor begins after half a minute."""
    answer, go_on = server.answer, threading.Event()

    def halting(title: str, messages: list[dict[str, Any]]) -> Any:
        go_on.wait(3 * PATIENCE)
        return answer(title, messages)

    server.answer = halting
    try:
        yield
    finally:
        go_on.set()


def working(address: str, builder: Command, but: int = 0) -> int:
    """The process of an actor that has an item."""
    end = time.monotonic() + PATIENCE
    with closing(WorkQueue(index_address(address))) as queue:
        while True:
            held = queue._run("SELECT DISTINCT worker FROM work_items WHERE worker <> ''")
            found = {int(worker.split()[1]) for (worker,) in held} & actors() - {but}
            if found:
                return found.pop()
            leave_out_if_ray_gave_up(builder.err)
            assert time.monotonic() < end, builder.err.read_text()
            time.sleep(0.05)


def actors() -> set[int]:
    """The processes of actors."""
    command = ["ps", "-eo", "pid=,args="]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return {int(line.split()[0]) for line in found.stdout.splitlines() if "ray::Actor" in line}
