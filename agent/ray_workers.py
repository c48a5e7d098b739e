"""Workers as actors of Ray, on this machine or on a cluster.

They take items from the same table as `hopyard worker`, so leases and results are the table's: an
actor that dies is started again by Ray, and its items return when their lease ends.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hopyard.agent.worker import open_work, run_worker
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import IndexAddress


@contextmanager
def ray_workers(address: IndexAddress, on: str, context: Context) -> Iterator[list[Any]]:
    """One actor for each core of the cluster; each GPU goes to an actor.

    Args:
        address: Of the index.
        on: "ray" for this machine, or the address of a cluster, ray://HOST:PORT.

    Yields:
        The actors.

    Raises:
        HopyardError: Ray is not installed, or the cluster does not answer.
    """
    require("--on ray", "ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    own = {name: value for name, value in os.environ.items() if name.startswith("HOPYARD_")}
    own.pop("HOPYARD_HOME", None)  # a folder of this machine
    options: dict[str, Any] = {"runtime_env": {"env_vars": own}, "address": on}
    if "://" not in on:
        options = {"address": "local", "include_dashboard": False}
    try:
        ray.init(log_to_driver=False, **options)
    except Exception as error:  # Ray's errors and those of gRPC have no common class
        raise HopyardError(
            f"Ray does not start at {on!r} ({error}): check its address and version."
        ) from error
    try:
        resources = ray.cluster_resources()
        cores, gpus = (int(resources.get(name, 0)) for name in ("CPU", "GPU"))
        actor: Any = ray.remote(max_restarts=-1, max_task_retries=-1)(_Actor)
        given = (address.name, address.database, address.shown, context.model_dump_json())
        actors = [
            actor.options(num_cpus=1, num_gpus=int(number < gpus)).remote(*given)
            for number in range(max(1, cores))
        ]
        for each in actors:
            each.work.remote()
        yield actors
        for each in actors:
            ray.kill(each)
    finally:
        ray.shutdown()


class _Actor:
    """A worker."""

    def __init__(self, name: str, database: str, shown: str, settings: str) -> None:
        self._address = IndexAddress(name, database, shown)
        self._context = Context.model_validate_json(settings)

    def work(self) -> None:
        """Work until the builder ends the actor."""
        with Resources() as resources, open_work(self._address) as queue:
            run_worker(queue, resources, self._context, threading.Event())
