"""How a run is drawn: the tree, what was thrown away, the citations, what it cost."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from hopyard.cli.render import as_json, event_line, rendered

SCORES = {"sufficiency": 2, "non_redundancy": 3, "consistency": 2, "decomposition": 1}


def run(**more: Any) -> dict[str, Any]:
    return {
        "question": "Which is longer?",
        "answer": "Severn",
        "strategy": "tree",
        "gate": {"gate": "off", "probability": None, "retrieve": True, "reason": "no gate"},
        "route": {"strategy": "tree", "by": "model", "probability": None, "reason": "it compares"},
        "citations": [],
        "evidence": [],
        "steps": [],
        "truncated": False,
        "thread_id": "t1",
        "finished": True,
        "usage": {
            "model_calls": 1234,
            "cached_calls": 5,
            "input_tokens": 67890,
            "output_tokens": 42,
            "seconds": 1.25,
        },
    } | more


def drawn(result: dict[str, Any], *, color: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=color)
    console.print(rendered(result))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def node(path: str, question: str, **more: Any) -> dict[str, Any]:
    return {"step": "tree-node", "path": path, "question": question} | more


def test_decisions_and_costs_are_told() -> None:
    reason = "p=0.73 is above 0.50"  # the reason tells the probability
    text = drawn(run(gate=run()["gate"] | {"gate": "model", "reason": reason}))
    assert "retrieve · model: p=0.73 is above 0.50" in text
    assert "tree · model: it compares" in text
    assert "1234 model calls, 5 from the ledger, 67,890 tokens in, 42 out" in text
    assert "thread t1" in text


def test_a_tree_is_drawn_with_its_verdicts_and_what_was_thrown_away() -> None:
    thrown = [
        {"question": "Is it long?", "reason": "no WH-question"},
        {"first": "A?", "second": "B?", "reason": "overlap"},
    ]
    steps = [
        node("", "Which is longer?", verdict="split", score=0.4, scores=SCORES, replaced=thrown),
        node(
            "1",
            "How long is the Severn?",
            verdict="leaf",
            answer="354 km",
            passages=[{"passage_id": "severn", "score": 0.876}],
        ),
        node("2", "How long is the Thames?", verdict="pruned", reason="weak branch"),
        node("2.1", "Where is it?"),
    ]
    text = drawn(run(steps=steps))
    assert "├── How long is the Severn? → 354 km" in text
    assert "leaf · severn 0.88" in text
    assert "└── How long is the Thames?" in text
    assert "pruned · weak branch" in text
    assert "branch 0.40 (sufficiency 2, non redundancy 3, consistency 2, decomposition 1)" in text
    assert "✗ Is it long? (no WH-question)" in text
    assert "✗ A? / B? (overlap)" in text
    assert text.index("Thames") < text.index("Where is it?")
    assert "open" in text


def test_citations_are_numbered() -> None:
    citation = {"passage_id": "severn", "title": "Severn", "quote": "It is 354 km long."}
    text = drawn(run(citations=[citation, citation | {"quote": "[sic] It is."}]))
    assert "[1] “It is 354 km long.” Severn (severn)" in text
    assert "[2] “[sic] It is.” Severn (severn)" in text


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ({"step": "rewrite", "question": "q", "answer": "Q?", "reason": "r"}, "asked  Q?"),
        ({"step": "read", "verdict": "failed", "reason": "no output"}, "read failed: no output"),
        ({"step": "search", "passages": []}, "search nothing"),
    ],
)
def test_steps_are_told(step: dict[str, Any], shown: str) -> None:
    assert shown in drawn(run(steps=[step]))


def test_a_run_that_the_budget_ended_says_so() -> None:
    assert "budget ended" in drawn(run(truncated=True))
    assert "—" in drawn(run(answer=""))


def test_text_is_shown_as_it_is_and_never_as_markup() -> None:
    odd = "[red]x[/red] [link=y]z[/link] [/]"
    text = drawn(run(question=odd, answer=odd, steps=[node("", odd, verdict="leaf", answer=odd)]))
    assert text.count(odd) == 4


def test_passages_cannot_steer_the_terminal() -> None:
    odd = "x\x1b[2J\x1b]0;mine\x07\x9b31m\x00y"
    citation = {"passage_id": odd, "title": odd, "quote": odd}
    steps = [node("", odd, verdict="leaf", answer=odd, reason=odd)]
    text = drawn(run(question=odd, answer=odd, citations=[citation], steps=steps))
    assert not set("\x1b\x07\x9b\x00") & set(text)


@pytest.mark.parametrize(
    ("graph", "step", "update", "line"),
    [
        ("", "route", {"route": {"strategy": "tree"}}, "route: tree"),
        ("", "gate", {"gate": {}}, "gate"),
        ("single", "answer", {"answer": "Severn"}, "single · answer: Severn"),
        ("single", "answer", {"answer": ""}, "single · answer"),
        (
            "tree",
            "search",
            {"tree": {"1": {"question": "A?", "answer": "a"}, "2": {"question": "B?"}, "3": None}},
            "tree · search: A? → a | B?",
        ),
        ("single", "answer", {"answer": "a\x1b[2J\nb"}, "single · answer: a [2J b"),
    ],
)
def test_a_step_is_told_on_one_line(
    graph: str, step: str, update: dict[str, Any], line: str
) -> None:
    assert event_line(graph, step, update) == line


def test_json_leaves_out_what_is_not_of_the_design() -> None:
    result = as_json(run(messages=["secret"], run="r"))
    assert "messages" not in result
    assert "run" not in result
    assert len(result) == 11
