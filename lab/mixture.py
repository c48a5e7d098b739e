"""The training mixture: how many examples of each prompt, from which sets.

`python -m lab.mixture DATA --out examples.jsonl` writes one example a line.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from lab.examples import TrainingExample, read_examples, write_examples
from lab.hopping import judge_edges
from lab.materials import Materials, materials
from lab.recipes import (
    about_passages,
    aggregates,
    answers,
    chains,
    decompositions,
    other,
    other_splits,
    routes,
    splits,
)
from lab.routing import chat, direct, rewrite_follow_up
from lab.splitting import judge_branch, judge_split, replace_half

__all__ = ("COUNTS", "build")

COUNTS: Final[dict[str, int]] = {
    "answer": 9000,
    "aggregate": 100,
    "decompose": 500,
    "replace-sub-question": 50,
    "judge-decomposition": 0,  # training improved neither judge (lab/README.md)
    "judge-branch": 0,
    "route": 300,
    "route-with-hop": 300,
    "next-question": 300,
    "rewrite": 24,
    "direct": 50,
    "judge-edges": 80,
    "questions": 110,
}
"""Examples of each prompt at most."""


def build(
    data: Path,
    seed: int,
    counts: Mapping[str, int] | None = None,
    written: Container[str] | None = None,
) -> list[TrainingExample]:
    """All examples, shuffled; the same for the same seed and data.

    Args:
        data: The folder of the question sets.
        seed: Of all random choices.
        counts: Examples of some prompts at most, instead of the default.
        written: Use these written questions, and those over the same passages; None: all.
    """
    wanted = {**COUNTS, **(counts or {})}
    rng = random.Random(seed)
    made = materials(data, rng, written)
    makers: dict[str, Callable[[Materials, random.Random], Iterator[TrainingExample]]] = {
        "answer": answers,
        "aggregate": aggregates,
        "decompose": decompositions,
        "replace-sub-question": lambda m, r: (
            replace_half(s, other(m, r), r) for s in splits(m, r)
        ),
        "judge-decomposition": lambda m, r: _flat(
            judge_split(s, m.splits, r) for s in splits(m, r)
        ),
        "judge-branch": lambda m, r: _flat(judge_branch(s, m.splits, r) for s in splits(m, r)),
        "route": lambda m, r: routes(m, r, with_hop=False),
        "route-with-hop": lambda m, r: routes(m, r, with_hop=True),
        "next-question": chains,
        "rewrite": lambda m, r: _flat(
            rewrite_follow_up([f for f, _ in m.facts], r) for _ in range(10**6)
        ),
        "direct": lambda _, r: (direct(*chat(r)) for _ in range(10**6)),
        "judge-edges": lambda m, r: (judge_edges(s, other_splits(m, r), r) for s in splits(m, r)),
        "questions": about_passages,
    }
    examples = [
        example
        for name, make in makers.items()
        for example in _distinct(make(made, rng), wanted[name])
    ]
    rng.shuffle(examples)
    return examples


def _flat(groups: Iterable[Iterable[TrainingExample]]) -> Iterator[TrainingExample]:
    return (example for group in groups for example in group)


def _distinct(examples: Iterator[TrainingExample], count: int) -> Iterator[TrainingExample]:
    if not count:
        return
    seen: set[str] = set()
    for example in islice(examples, 20 * count):
        key = repr(sorted(example.values.items()))
        if key not in seen:
            seen.add(key)
            yield example
        if len(seen) == count:
            return


def main() -> None:
    """Write the mixture and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the question sets")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--counts", nargs="*", default=[], metavar="PROMPT=N")
    parser.add_argument(
        "--written", type=Path, metavar="FILE", help="only the written questions of this file"
    )
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.counts]
    counts = {name: int(number) for name, _, number in pairs}
    written = None
    if options.written:
        written = {example.values.get("question", "") for example in read_examples(options.written)}
    examples = build(options.data, options.seed, counts, written)
    write_examples(options.out, examples)
    for name, count in Counter(example.prompt for example in examples).most_common():
        print(f"{count:6d} {name}")


if __name__ == "__main__":
    main()
