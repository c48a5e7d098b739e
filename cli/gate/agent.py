"""Label questions and decide with the agent's own search and model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hopyard.classifiers.labelling import FoundPassages
from hopyard.classifiers.retrieval_gate import Decision, RetrievalGate, shipped_gate
from hopyard.cli.interrupts import run_async
from hopyard.measures.nearness import Nearness
from hopyard.nodes.answer import format_passages
from hopyard.nodes.gate import measured_for, rule
from hopyard.nodes.index_facts import nearness_of
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import AUTO, Context, profile_of

if TYPE_CHECKING:
    from hopyard.classifiers.contributions import ValueFunction


def gate_name(name: str, context: Context) -> str:
    """The gate of a name; `auto` is the shipped gate for the run's model."""
    return shipped_gate(profile_of(context)) if name == AUTO else name


def finder(context: Context) -> tuple[Callable[[str], Awaitable[FoundPassages]], str]:
    """The search of the strategy `single`, and the name of the index's embedding model."""
    run = Run(new_run_id(), context, shared_resources())
    run_async(run.index())  # before a model is loaded

    async def find(question: str) -> FoundPassages:
        ids = passage_ids(await run.find(question))
        text = format_passages(await run.passages(ids), context)
        return FoundPassages(tuple(ids), text, await nearness_of(run, question))

    return find, run_async(run.embedding())


def value_function(name: str, context: Context) -> ValueFunction:
    """The value function of that name for the run's model."""
    if name == "answer-f1":
        from hopyard.classifiers.answer_f1 import AnswerF1

        caller = shared_resources().caller(context.model)
        return AnswerF1(caller, context, new_run_id())
    from hopyard.classifiers.causal import load_causal
    from hopyard.classifiers.token_probability import TokenProbability

    return TokenProbability(load_causal(context.model))


def predictor(context: Context, gate: RetrievalGate) -> Callable[[str], Decision]:
    """A function: the decision of a gate, with the run's index and the rules beside the gate."""
    run = Run(new_run_id(), context, shared_resources())

    async def measured(question: str) -> tuple[Nearness, str]:
        return await nearness_of(run, question), await rule(run, question)

    def predict(question: str) -> Decision:
        near, reason = run_async(measured(question))
        usable = measured_for(near, run_async(run.embedding()), gate.manifest.embedding)
        found = gate.decide(question, context.gating, usable)
        return replace(found, retrieve=True, reason=reason) if reason else found

    return predict
