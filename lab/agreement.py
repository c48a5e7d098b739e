"""Compare log-probabilities of the engine and of PyTorch, with the adapter and without.

`python -m lab.agreement examples.jsonl --out FILE.json`: the engine writes some
answers, and PyTorch computes the log-probability of each written token from the same weights. The
difference without an adapter comes from the engine's arithmetic on quantised weights; the adapter
should add almost nothing to it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import torch

from hopyard.models.builtin.chat import BASE, adapter_file, builtin_address
from lab.base import load_base, with_adapter
from lab.examples import TrainingExample, read_examples
from lab.packing import conversation

__all__ = ("compare_log_probabilities", "engine_tokens", "torch_log_probabilities")

TOKENS: Final = 24
"""Tokens of an answer at most."""


def engine_tokens(address: str, prompt: Sequence[int]) -> tuple[list[int], list[float]]:
    """Let the engine write greedily; return the tokens and their log-probabilities."""
    body = {
        "prompt": list(prompt), "n_predict": TOKENS, "n_probs": 1, "temperature": 0.0,
        "cache_prompt": False,
    }  # fmt: skip
    url = address.removesuffix("/v1") + "/completion"
    answer = httpx.post(url, json=body, timeout=120, trust_env=False).raise_for_status().json()
    written = answer["completion_probabilities"]
    return [token["id"] for token in written], [token["logprob"] for token in written]


def torch_log_probabilities(
    model: Any, prompt: Sequence[int], written: Sequence[int]
) -> list[float]:
    """PyTorch's log-probability of each written token."""
    tokens = torch.tensor([[*prompt, *written]])
    with torch.no_grad():
        logits = model(input_ids=tokens).logits[0, len(prompt) - 1 : -1]
    chosen = torch.log_softmax(logits.float(), -1)[torch.arange(len(written)), list(written)]
    return [float(value) for value in chosen]


def compare_log_probabilities(
    model: Any, tokenizer: Any, address: str, examples: Sequence[TrainingExample]
) -> dict[str, Any]:
    """Differences over all written tokens, and whether both chat templates give the same ids."""
    differences, same = [], True
    for example in examples:
        turns, learned = conversation(example)
        asked = turns[:learned]
        ids = tokenizer.apply_chat_template(asked, tokenize=True, add_generation_prompt=True)[
            "input_ids"
        ]
        same &= ids == _engine_ids(address, asked)
        written, ours = engine_tokens(address, ids)
        theirs = torch_log_probabilities(model, ids, written)
        differences += [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    return {
        "tokens": len(differences),
        "mean_difference": round(sum(differences) / len(differences), 4),
        "largest_difference": round(max(differences), 4),
        "same_template": same,
    }


def _engine_ids(address: str, turns: Sequence[dict[str, str]]) -> list[int]:
    server = address.removesuffix("/v1")
    options: dict[str, Any] = {"timeout": 60, "trust_env": False}
    text = httpx.post(f"{server}/apply-template", json={"messages": list(turns)}, **options)
    body = {"content": text.json()["prompt"], "add_special": False, "parse_special": True}
    ids: list[int] = httpx.post(f"{server}/tokenize", json=body, **options).json()["tokens"]
    return ids


def main() -> None:
    """Compare without and with the adapter, and write one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--adapter", default="", help="the GGUF file; the shipped one by default")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    chosen: dict[str, TrainingExample] = {}
    for example in read_examples(options.examples):
        chosen.setdefault(example.prompt, example)
    examples = list(chosen.values())[: options.count]
    model, tokenizer = load_base("embedded")
    report = {
        "command": "python -m lab.agreement " + shlex.join(sys.argv[1:]),
        "without": compare_log_probabilities(
            model.eval(), tokenizer, builtin_address(BASE), examples
        ),
    }
    adapted = with_adapter(model, 0, str(adapter_file(options.adapter))).eval()
    address = builtin_address(options.adapter)
    report["with"] = compare_log_probabilities(adapted, tokenizer, address, examples)
    options.out.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
