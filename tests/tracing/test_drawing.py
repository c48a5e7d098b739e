"""The drawing of a run: boxes, arrows, and the box that each hangs from."""

from __future__ import annotations

from hopyard.state.schemas import Step
from hopyard.tracing.drawing import Arrow, drawing_of
from hopyard.tracing.model import Trace

from .made import GATE, IRON, QUESTION, made_trace


def test_a_tree_is_drawn_with_what_was_pruned_and_thrown_away(trace: Trace) -> None:
    drawing = drawing_of(trace)
    first = drawing.boxes[0]
    assert (first.parent, first.label, first.state, first.step) == ("", QUESTION, "answer", "root")
    states = {box.label: box.state for box in drawing.boxes[1:]}
    assert states == {
        "<b>Old?</b>": "pruned",
        IRON: "kept",
        "Iron <i>left</i>?": "pruned",
        "Iron right?": "pruned",
        GATE: "kept",
    }
    parents = {box.label: box.parent for box in drawing.boxes}
    assert parents[IRON] == first.id
    assert parents["Iron right?"] == "root.1"


def test_other_steps_that_nest_hang_from_the_question() -> None:
    steps = [
        Step(id="plan", kind="plan", title="Plan"),
        Step(id="work", kind="work", parent="plan", question="How?", answer="so"),
        Step(id="sum", kind="sum up"),
    ]
    drawing = drawing_of(made_trace(steps))
    assert [(box.label, box.parent) for box in drawing.boxes] == [
        ("Which is it?", ""),
        ("Plan", "the question"),
        ("Work: How?", "plan"),
        ("Sum up", "the question"),
    ]
    assert drawing.boxes[0].step == "strategy"


def test_steps_without_parents_are_a_line() -> None:
    steps = [Step(id="search", kind="search", question="Which?"), Step(id="read", kind="read")]
    drawing = drawing_of(made_trace(steps))
    assert [box.label for box in drawing.boxes[1:]] == [
        "Gate: off",
        "Route: made-up",
        "Search: Which?",
        "Read",
    ]
    assert [box.parent for box in drawing.boxes[1:]] == [box.id for box in drawing.boxes[:-1]]


def test_hops_are_drawn_as_passages_with_further_arrows(hops: Trace) -> None:
    drawing = drawing_of(hops)
    boxes = {box.label: box for box in drawing.boxes}
    assert {label: box.parent for label, box in boxes.items()} == {
        "Which is it?": "",
        "Danube": "the question",
        "Severn": "the question",
        "Stone Bridge": boxes["Danube"].id,
    }
    assert drawing.arrows == [Arrow(boxes["Severn"].id, boxes["Danube"].id)]
    assert (boxes["Danube"].state, boxes["Danube"].result) == ("kept", "0.70")
    assert (boxes["Stone Bridge"].state, boxes["Stone Bridge"].note) == ("pruned", "necessary")
