"""Workers as actors of Ray: one for each core, with the GPUs of the cluster.

They take items from the same table as other workers. Ray starts an actor again that has died.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from typing import Any, Final

from hopyard.agent.workers.worker import Worker, shared_index
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import private_name
from hopyard.state.storage.postgres.work import WorkQueue

RAY: Final = "ray"
_SHARED: Final = ("HOPYARD_", "OLLAMA_", "PG"), ("_API_KEY", "_BASE_URL")
"""Beginnings and endings of the variables that the actors get: settings and keys."""

_log: Final = logging.getLogger(__name__)


class Actor:
    """A worker that Ray starts."""

    def work(self, address: str, settings: dict[str, Any]) -> None:
        """Work until Ray ends the actor."""
        with Resources() as resources, closing(WorkQueue(shared_index(address, RAY))) as queue:
            asyncio.run(Worker(queue, resources, Context(**settings)).run(threading.Event()))


@contextmanager
def ray_workers(cluster: str, index: str, settings: Context) -> Iterator[None]:
    """Workers in a cluster while the block runs. An actor's error is logged; the others continue.

    Args:
        cluster: "ray" for this machine, or `ray://HOST:PORT`.

    Raises:
        UsageError: Ray is not installed.
        HopyardError: The cluster cannot be reached.
    """
    require(f"--on {cluster}", RAY)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    given = {"concurrency": settings.concurrency, "budget": settings.budget.model_dump()}
    begins, ends = _SHARED
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(begins) or name.endswith(ends)
    }
    options: dict[str, Any] = {"address": "local", "include_dashboard": False}
    if cluster != RAY:
        options = {"address": cluster}
        variables.pop("HOPYARD_HOME", None)  # a folder of this machine
    try:
        ray.init(
            **options,
            runtime_env={"env_vars": variables},
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # where Ray starts too slowly, it raises no class of its own
        raise HopyardError(
            f"Ray ({cluster}) cannot be used ({_line(error, 0)}): check the "
            "address and the cluster, or use --on workers."
        ) from error
    try:
        cores, gpus = (int(ray.cluster_resources().get(name, 0)) for name in ("CPU", "GPU"))
        actor = ray.remote(max_restarts=-1, max_task_retries=-1)(Actor)
        for number in range(max(1, cores)):
            made = actor.options(num_cpus=1, num_gpus=int(number < gpus)).remote()
            call: Future[None] = made.work.remote(private_name(index), given).future()
            call.add_done_callback(_tell)
        yield
    finally:
        ray.shutdown()


def _tell(call: Future[None]) -> None:
    if not call.cancelled() and (error := call.exception()):
        said = getattr(error, "cause", None) or error
        _log.warning("an actor of Ray has ended: %s", _line(said, -1))


def _line(error: BaseException, number: int) -> str:
    return (str(error).strip() or repr(error)).splitlines()[number]
