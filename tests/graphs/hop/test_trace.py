"""The trace of a traversal: hops in their rounds, each with the call that chose it."""

from __future__ import annotations

from hopyard.agent.session import Session
from hopyard.state.settings.fields import Context
from hopyard.tracing.describe import title_of
from hopyard.tracing.model import Cost
from hopyard.tracing.read import read_trace

from ..conftest import changed
from .script import HopScript
from .walks import PAPER


async def test_hops_are_in_their_rounds(
    session: Session, context: Context, script: HopScript
) -> None:
    script.useful = {
        "When was the Stone Bridge completed?": "necessary",
        "When was the cathedral of Regensburg begun?": "indirect",
    }
    settings = changed(context, strategy="hop", hop__top_k=2, **PAPER | {"hop__n_hop": 2})
    question = "How long is the river of the Iron Bridge?"
    events = [event async for event in session.ask(question, settings, "t")]
    (entered,) = [event.steps for event in events if event.node == "enter"]
    assert [step["id"] for step in entered][:2] == ["round-0", "entry-0"]
    trace = await read_trace(session, "t")
    strategy = trace.steps[-1]
    assert [step.id for step in strategy.children if step.children] == [
        "round-0",
        "round-1",
        "round-2",
    ]
    hops = [hop for step in strategy.children[1:3] for hop in step.children]
    judged = [hop for hop in hops if hop.uses]
    assert judged
    assert {use.step for hop in judged for use in hop.uses} == {hop.record["id"] for hop in judged}
    reached = {hop.record["head"]: hop.record["verdict"] for hop in hops if "head" in hop.record}
    assert reached == {"stone-bridge": "necessary", "regensburg": "indirect"}
    assert title_of(hops[0].record, trace.names).startswith("Danube → Stone Bridge · When was the")
    assert [step.id for step in strategy.children[-2:]] == ["prune", "read"]
    assert sum((step.whole_cost for step in trace.steps), Cost()) == trace.cost
