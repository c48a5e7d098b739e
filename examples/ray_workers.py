"""Workers as actors of Ray: one for each core, with the GPUs of the cluster.

    python examples/ray_workers.py 'postgresql://me@db.example.org/hopyard?index=docs'
    python examples/ray_workers.py 'postgresql://…?index=docs' ray://head.example.org:10001

They do what `hopyard worker` does: they take items of `hopyard index build --on workers` from the
same table. Ray starts an actor again that has died. Each machine needs Hopyard and Ray.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import closing

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


class Actor:
    """A worker that Ray starts."""

    def work(self, address: str, concurrency: int | None) -> None:
        """Work until Ray ends the actor."""
        from hopyard.agent.worker import Worker, shared_index
        from hopyard.nodes.resources import Resources
        from hopyard.state.storage.postgres.work import WorkQueue

        with Resources() as resources, closing(WorkQueue(shared_index(address, "Ray"))) as queue:
            asyncio.run(Worker(queue, resources, concurrency).run(threading.Event()))


def start(address: str, cluster: str = "local", concurrency: int | None = None) -> list[object]:
    """Start the actors; a call of each is under way."""
    import ray

    shared = ("HOPYARD_", "OPENAI_", "OLLAMA_")
    variables = {name: value for name, value in os.environ.items() if name.startswith(shared)}
    options = {} if cluster.startswith("ray://") else {"include_dashboard": False}
    ray.init(cluster, runtime_env={"env_vars": variables}, log_to_driver=False, **options)
    cores, gpus = (int(ray.cluster_resources().get(name, 0)) for name in ("CPU", "GPU"))
    actor = ray.remote(max_restarts=-1, max_task_retries=-1)(Actor)
    return [
        actor.options(num_cpus=1, num_gpus=int(number < gpus))
        .remote()
        .work.remote(address, concurrency)
        for number in range(max(1, cores))
    ]


if __name__ == "__main__":
    import ray

    ray.get(start(*sys.argv[1:3]))
