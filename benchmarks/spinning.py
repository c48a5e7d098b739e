"""How the built-in model answers on quiet and on busy cores, by how long its threads wait awake.

    python benchmarks/spinning.py

Each number of rounds (`SPINS_VARIABLE`; 300,000 is GNU OpenMP's own) and each number of busy loops
beside it is a process of its own, in turn. Writes `benchmarks/results/spinning.json`: the median
seconds of a prompt of about 300 tokens with an answer of 16, and the processor's seconds of one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx

from hopyard.models.builtin.chat import SPINS, SPINS_VARIABLE, builtin_address
from hopyard.models.concurrency import usable_cores

RESULTS = Path(__file__).parent / "results" / "spinning.json"
WORDS = ("hop", "yard", "passage", "river", "director", "city", "born", "film", "the", "of", "in")
ROUNDS = (300_000, SPINS)
BUSY = (0, 2, 8)
PROMPTS = 3


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", type=int, help="busy loops; measure in this process")
    busy = parser.parse_args().child
    if busy is not None:
        print(json.dumps(_measure(busy)))
        return
    found = {str(busy): {str(spins): _child(spins, busy) for spins in ROUNDS} for busy in BUSY}
    result = {"command": "python benchmarks/spinning.py", "cores": usable_cores(), "busy": found}
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")


def _child(spins: int, busy: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--child", str(busy)],
        env={**os.environ, SPINS_VARIABLE: str(spins)},
        stdout=subprocess.PIPE,
        check=True,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _measure(busy: int) -> dict[str, float]:
    address, random_ = builtin_address(), random.Random(3)
    with httpx.Client(trust_env=False, timeout=600) as client:

        def ask() -> float:
            text = " ".join(random_.choice(WORDS) for _ in range(300))
            asked = {"messages": [{"role": "user", "content": text}], "max_tokens": 16}
            began = time.perf_counter()
            client.post(f"{address}/chat/completions", json=asked).raise_for_status()
            return time.perf_counter() - began

        ask()
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
        try:
            used = time.process_time()
            seconds = statistics.median(ask() for _ in range(PROMPTS))
            used = (time.process_time() - used) / PROMPTS
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
    return {"seconds": round(seconds, 2), "processor_seconds": round(used, 2)}


if __name__ == "__main__":
    main()
