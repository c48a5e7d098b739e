"""A build in Postgres that several processes do, against a slow model server on this machine.

    PYTHONPATH=tests:. python benchmarks/workers.py postgresql://me@localhost/scale

The server waits half a second before each answer, so the figures are those of the queue and not of
a model. Each process makes at most four calls at once; the first process is the builder. Calls a
second are counted from the first request to the last reply. Writes
`benchmarks/results/workers.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from model_server import ModelServer

RESULTS: Final = Path(__file__).resolve().parent / "results" / "workers.json"
PASSAGES: Final = 160
DELAY: Final = 0.5
PLACES: Final = "concurrency=4"


def questions(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Questions as the prompt wants them, different for each passage."""
    del title
    topic = str(messages[-1]["content"]).split()[-1]
    ask = [f"{word} is {topic}?" for word in ("What", "Where", "How old", "How large")]
    return {"incoming": ask[:2], "outcoming": ask}


def measure(address: str, processes: int, folder: Path) -> dict[str, Any]:
    """Build with so many processes; each has a data folder of its own."""
    documents = folder / "documents.jsonl"
    entries = ({"id": str(n), "text": f"Plant {n} grows by river {n}"} for n in range(PASSAGES))
    documents.write_text("\n".join(map(json.dumps, entries)))
    with ModelServer(questions, delay=DELAY) as server:

        def start(name: str, *arguments: str) -> subprocess.Popen[bytes]:
            own = {"HOPYARD_HOME": str(folder / name), "OMP_NUM_THREADS": "1"}
            return subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "hopyard.cli.main", *arguments],
                env=os.environ | server.environment() | own,
                stdout=subprocess.DEVNULL,
            )

        workers = [
            start(f"worker-{number}", "worker", "-i", address, "--set", PLACES)
            for number in range(processes - 1)
        ]
        time.sleep(5 * len(workers))  # until they look for work
        kinds = ("--with", "dense,sparse,passage-graph", "--chunk-tokens", "0")
        models = ("--model", "openai:scripted", "--embedding", "ollama:words", "--set", PLACES)
        build = ("index", "build", str(documents), "--out", address, "--on", "workers")
        code = start("builder", *build, *kinds, *models).wait()
        for worker in workers:
            worker.kill()
            worker.wait()
        calls = server.calls
        seconds = max(call.finished for call in calls) - min(call.started for call in calls)
        return {
            "processes": processes,
            "exit_code": code,
            "calls": len(calls),
            "calls_asked_twice": sum(Counter(call.turn for call in calls).values())
            - len({call.turn for call in calls}),
            "calls_at_once": server.most_at_once(),
            "seconds": round(seconds, 1),
            "calls_a_second": round(len(calls) / seconds, 1),
        }


def main() -> None:
    """Measure one, two and four processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="Of a database whose schema may be written.")
    given = parser.parse_args()
    mark = "&" if "?" in given.address else "?"
    results = []
    for processes in (1, 2, 4):
        with tempfile.TemporaryDirectory() as folder:
            address = f"{given.address}{mark}index=workers-{processes}"
            results.append(measure(address, processes, Path(folder)))
        print(json.dumps(results[-1]))
    found = {"passages": PASSAGES, "seconds_a_call": DELAY, "calls_at_once_a_process": 4}
    RESULTS.write_text(json.dumps(found | {"runs": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
