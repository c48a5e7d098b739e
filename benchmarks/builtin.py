"""The built-in engine: the adapter in the weights, against llama.cpp applying it as it computes.

    python benchmarks/builtin.py

The same prompts to three engines in turn: the base as its package has it, the base with the adapter
applied by llama.cpp, and the merged weights that `--model builtin` uses. Each prompt is new to
each engine, so nothing is answered from a prefix. Writes `benchmarks/results/builtin.json`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import xllamacpp

from hopyard.models.builtin.chat import SHIPPED_ADAPTER, engine
from hopyard.models.builtin.lora import merge
from hopyard.models.builtin.weights import weights

RESULTS = Path(__file__).parent / "results" / "builtin.json"
WORDS = ("hop", "yard", "passage", "river", "director", "city", "born", "film", "the", "of", "in")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--words", type=int, default=900, help="of a prompt, about a token each")
    parser.add_argument("--tokens", type=int, default=64, help="of an answer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "merged.gguf"
        started = time.perf_counter()
        merge(weights(), SHIPPED_ADAPTER, file)
        seconds = time.perf_counter() - started
        engines = {
            "base": engine(weights(), None),
            "applied": engine(weights(), SHIPPED_ADAPTER),
            "merged": engine(file, None),
        }
        measured = _measure(engines, options.prompts, options.words, options.tokens)
        result = {
            "command": "python benchmarks/builtin.py",
            "merge_seconds": round(seconds, 1),
            "megabytes": round(file.stat().st_size / 1e6, 1),
            "tokens_per_second": measured,
            "merged_over_applied": {
                kind: round(measured["merged"][kind] / measured["applied"][kind], 2)
                for kind in ("prompt", "answer")
            },
        }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


def _measure(
    engines: dict[str, xllamacpp.Server], prompts: int, words: int, tokens: int
) -> dict[str, dict[str, float]]:
    rng = random.Random(17)
    seen: dict[str, list[dict[str, Any]]] = {name: [] for name in engines}
    for _ in range(prompts + 1):  # the first one warms up
        prompt = " ".join(rng.choices(WORDS, k=words))
        for name, server in engines.items():
            seen[name].append(_timings(server, prompt, tokens))
    return {
        name: {
            "prompt": round(statistics.median(run["prompt_per_second"] for run in runs[1:]), 1),
            "answer": round(statistics.median(run["predicted_per_second"] for run in runs[1:]), 1),
        }
        for name, runs in seen.items()
    }


def _timings(server: xllamacpp.Server, prompt: str, tokens: int) -> dict[str, Any]:
    payload = {"prompt": prompt, "n_predict": tokens, "temperature": 0, "ignore_eos": True}
    reply = httpx.post(f"{server.listening_address}/completion", json=payload, timeout=300)
    timings: dict[str, Any] = reply.raise_for_status().json()["timings"]
    return timings


if __name__ == "__main__":
    main()
