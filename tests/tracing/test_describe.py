"""The name of a step, from its fields alone."""

from __future__ import annotations

import pytest

from hopyard.state.schemas import Step, passage_evidence
from hopyard.tracing.describe import (
    describe_step,
    gate_step,
    line_of,
    look_of,
    route_step,
    title_of,
)

from .made import SUMMARY

NAMES = {"mars": "Mars", "venus": "Venus"}


def step(**fields: object) -> Step:
    return Step(id="x", kind="made-up", **fields)  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("made", "title"),
    [
        (step(), "Made up"),
        (step(question="Why?"), "Made up: Why?"),
        (step(question="Why?", title="Think"), "Think"),
        (step(tail="mars", head="venus"), "Mars → Venus"),
        (step(tail="mars", head="io", question="Why?"), "Mars → io · Why?"),
        (step(head="venus"), "Venus"),
        (step(tail="mars"), "Mars stays"),
    ],
)
def test_titles(made: Step, title: str) -> None:
    assert title_of(made, NAMES) == title


@pytest.mark.parametrize(
    ("verdict", "look"),
    [("leaf", "kept"), ("necessary", "kept"), ("pruned", "pruned"), ("failed", "pruned"),
     ("open", "open"), ("split", "plain"), ("whatever a plug-in says", "plain"), ("", "plain")],
)  # fmt: skip
def test_looks(verdict: str, look: str) -> None:
    assert look_of(step(verdict=verdict)) == look


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({}, "score 0.50, rubric 5/5"),
        ({"judge": "builtin"}, "judged by the built-in model: score 0.50, rubric 5/5"),
        ({"judge": "builtin:base"}, "judged by the built-in model: score 0.50, rubric 5/5"),
        ({"judge": "recorded:a/b"}, "judged by the recorded model: score 0.50, rubric 5/5"),
        ({"judge": "openai:gpt-4.1"}, "judged by openai:gpt-4.1: score 0.50, rubric 5/5"),
    ],
)
def test_what_is_said_of_a_step(judge: dict[str, str], told: str) -> None:
    made = step(
        verdict="split",
        reason="it compares",
        score=0.5,
        facts={"rubric": "5/5"},
        **judge,
        passages=[passage_evidence("mars", 0.876), SUMMARY],
    )
    assert [text for text, _ in describe_step(made, NAMES)] == [
        "split",
        "it compares",
        told,
        "Mars 0.88, summary s-12 0.83 (Mars, Venus)",
    ]
    assert [text for text, _ in describe_step(step(passages=[]), NAMES)] == ["nothing"]


def test_one_line_of_live_output() -> None:
    made = step(title="Is it long?", answer="354 km", verdict="leaf", reason="at full depth")
    assert line_of(made, {}) == "Is it long? → 354 km · leaf"


@pytest.mark.parametrize(
    ("retrieve", "title"), [(True, "Gate: retrieve"), (False, "Gate: do not retrieve"),
                            (None, "Gate: off")],
)  # fmt: skip
def test_the_gate(retrieve: bool | None, title: str) -> None:
    made = gate_step({"gate": "g", "probability": 0.734, "retrieve": retrieve, "reason": "r"})
    assert (made["title"], made["facts"]) == (title, {"probability": "0.73"})


def test_the_route() -> None:
    made = route_step({"strategy": "tree", "by": "model", "probability": None, "reason": "r"})
    assert line_of(made, {}) == "Route: tree · model"
    assert made["facts"] == {}


def test_a_long_answer_is_cut_on_its_line() -> None:
    """ "Point. " has seven characters, and " …" two: 42 of them and the mark fit into 300."""
    [line] = line_of(step(title="Map", answer="Point. " * 100), NAMES).splitlines()
    assert line == f"Map → {' '.join(['Point.'] * 42)} …"
    assert len(line) - len("Map → ") <= 300


def test_a_report_names_three_of_its_passages() -> None:
    report = passage_evidence("0-1", 90) | {
        "kind": "report",
        "passages": ["mars", "venus", "io", "x", "y"],
    }
    told = [part for part, _ in describe_step(step(passages=[report]), NAMES)]
    assert told == ["report 0-1 90.00 (Mars, Venus, io and 2 more)"]
