"""How a traversal is drawn in the terminal."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hopyard.cli.render import rendered

STEPS = [
    {
        "step": "hop",
        "round": 0,
        "tail": "z",
        "question": "Who made it?",
        "score": 0.6,
        "head": "a",
        "visits": 2,
    },
    {"step": "hop", "round": 0, "head": "b", "visits": 1},
    {
        "step": "hop",
        "round": 1,
        "tail": "a",
        "question": "Where is [b]it[/b]?",
        "verdict": "necessary",
        "score": 0.4,
        "head": "b",
        "visits": 2,
    },
    {"step": "hop", "round": 1, "tail": "b", "reason": "none of its questions is relevant"},
    {"step": "prune", "passages": [{"passage_id": "b", "score": 0.512}]},
]


def test_each_hop_is_a_line() -> None:
    result: dict[str, Any] = {
        "question": "Which is it?",
        "answer": "b",
        "gate": {"gate": "off", "probability": None, "retrieve": True, "reason": "no gate"},
        "route": {"strategy": "hop", "by": "forced", "probability": None, "reason": "asked for"},
        "citations": [],
        "steps": STEPS,
        "truncated": False,
        "thread_id": "t",
        "usage": dict.fromkeys(("model_calls", "cached_calls", "input_tokens", "output_tokens"), 1)
        | {"seconds": 1.0},
    }
    console = Console(file=io.StringIO(), width=100)
    console.print(rendered(result))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    first = next(row for row, line in enumerate(lines) if line.startswith("enter"))
    assert [line.rstrip() for line in lines[first : first + 5]] == [
        "enter  Who made it? → a · visits 2",
        "enter  → b · visits 1",
        "hop 1  a · Where is [b]it[/b]? → b · visits 2 · necessary",
        "hop 1  b · none of its questions is relevant",
        "kept   b 0.51",
    ]
