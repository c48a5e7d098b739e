"""Ray's actors as workers. Ray listens on all addresses, so it runs where only loopback exists.

`make test-scale` runs it in a network namespace, if Ray is installed.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .test_workers import COUNT, Command, ModelServer, address, build, corpus, hire

__all__ = ("address", "build", "corpus", "hire")

pytest.importorskip("ray", reason="Ray is not installed")
ONLY_LOOPBACK = [name for _, name in socket.if_nameindex()] == ["lo"]
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not ONLY_LOOPBACK, reason="there are other networks than loopback")
def test_actors_work_and_are_started_again(
    address: str, build: Any, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.delay = 1.0
    script = str(ROOT / "examples" / "ray_workers.py")
    environment = (
        os.environ
        | model_server.environment()
        | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "HOPYARD_HOME": str(tmp_path / "ray"),
        }
    )
    command = [sys.executable, "-W", "ignore", script, address]
    with subprocess.Popen(command, env=environment, start_new_session=True) as ray:
        try:
            end = time.monotonic() + 120
            while not (before := children(ray.pid)):
                assert time.monotonic() < end and ray.poll() is None
                time.sleep(0.2)
            builder: Command = build("--set", "concurrency=1")
            while len(model_server.calls) < 5:
                time.sleep(0.05)
            os.kill(before[0], signal.SIGKILL)
            ended = builder.end()
            assert ended.code == 0, ended
            turns = Counter(call.turn for call in model_server.calls)
            assert len(turns) == COUNT and sum(turns.values()) <= COUNT + 16
            assert model_server.most_at_once() > 1, "the actors worked"
            while before[0] in (now := children(ray.pid)) or len(now) < len(before):
                assert time.monotonic() < end
                time.sleep(0.2)
        finally:
            ray.send_signal(signal.SIGINT)
            ray.wait(60)


def children(pid: int) -> list[int]:
    """The actors among a process's descendants."""
    found = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in found.stdout.splitlines()]
    family, size = {pid}, 0
    while len(family) > size:
        size = len(family)
        family |= {int(child) for child, parent, _ in rows if int(parent) in family}
    return [int(child) for child, _, said in rows if int(child) in family and "ray::Actor" in said]
