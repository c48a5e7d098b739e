"""Steps under their parents, and each model call at one step."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.state.schemas import Step
from hopyard.tracing.model import Cost, TraceStep, cost_of, nest_steps

from .made import made_trace, use


def step(name: str, parent: str = "") -> Step:
    return Step(id=name, kind="made-up", parent=parent)


def outline(steps: tuple[TraceStep, ...]) -> list[object]:
    return [(step.id, outline(step.children)) if step.children else step.id for step in steps]


@pytest.mark.parametrize(
    ("steps", "nested"),
    [
        ([step("a"), step("b", "a"), step("c", "b"), step("d", "a")], [("a", [("b", ["c"]), "d"])]),
        ([step("b", "a"), step("a")], [("a", ["b"])]),
        ([step("a", "gone"), step("b", "b")], ["a", "b"]),
        ([step("a", "b"), step("b", "a")], [("a", ["b"])]),
        ([step("a"), step("a"), step("b", "a")], [("a", ["b"]), "a-2"]),
        ([step(""), step("two words")], ["step", "two_words"]),
    ],
    ids=["in order", "parent last", "no parent", "a circle", "one id twice", "odd ids"],
)
def test_every_step_has_its_place(steps: list[Step], nested: list[object]) -> None:
    assert outline(nest_steps(steps)) == nested


NAMES = st.sampled_from(["", "a", "b", "c", "d", "strategy", "no step"])


@given(
    steps=st.lists(st.builds(step, NAMES, NAMES), max_size=8),
    calls=st.lists(st.builds(use, NAMES, cached=st.booleans()), max_size=8),
)
def test_no_step_and_no_call_is_lost(steps: list[Step], calls: list[object]) -> None:
    trace = made_trace(steps, uses=calls)  # type: ignore[arg-type]
    assert len(list(trace.walk())) == len(steps) + 3  # gate, route and strategy
    assert len({step.id for step in trace.walk()}) == len(steps) + 3
    used = chain.from_iterable(step.uses for step in trace.walk())
    assert sorted(map(id, used)) == sorted(map(id, calls))
    assert sum((step.whole_cost for step in trace.steps), Cost()) == trace.cost


def test_a_call_belongs_to_the_step_whose_id_it_carries() -> None:
    steps = [step("plan"), step("work-1", "plan"), step("work-2", "plan")]
    uses = [
        use("work-2"),
        use("plan"),
        use("work-2", cached=True),
        use(""),
        use("gone"),
        use("route"),
    ]
    found = {step.id: len(step.uses) for step in made_trace(steps, uses=uses).walk()}
    assert found == {"gate": 0, "route": 1, "strategy": 2, "plan": 1, "work-1": 0, "work-2": 2}


def test_calls_before_the_route_are_there_too() -> None:
    trace = made_trace([], uses=[use("route")], waits=("route",))
    assert [(step.id, len(step.uses)) for step in trace.steps] == [("gate", 0), ("strategy", 1)]
    assert trace.steps[1].record["title"] == "Next: route"


def test_what_the_ledger_answered_costs_nothing() -> None:
    paid, cached = use("a"), use("a", cached=True)
    assert (
        str(cost_of([paid, paid, cached])) == "2 calls, 1 from the ledger, 190 → 10 tokens, 1.0 s"
    )
    assert str(cost_of([cached])) == "1 from the ledger"
    assert str(cost_of([])) == ""
