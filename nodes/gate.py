"""The Con-RAG gate: retrieve or not."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.classifiers.retrieval_gate import OFF, SHIPPED, Decision
from hopyard.measures.nearness import Nearness
from hopyard.models.names import known_as, same_model
from hopyard.nodes.index_facts import name_in, nearness_of
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.extras import missing_modules, missing_sentence
from hopyard.state.schemas import GateDecision
from hopyard.state.settings.fields import AUTO, Context

_DOCUMENTS: Final = re.compile(
    r"\b(?:the|these|those|my|our|your|all|across|whole|every|many|which|what|\d+)\s+"
    r"(?:[\w-]+\s+){0,2}?"
    r"(?:documents|articles|reports|guides|guidelines|booklets|files|papers|notes|texts|collection"
    r"|corpus|archive|pages|sources)\b(?!\.\w)"
    r"|\bthis\s+(?:[\w-]+\s+){0,2}?(?:collection|corpus|archive)\b",
    re.IGNORECASE,
)
"""A determiner, up to two words, and documents in the plural: one text may be in the request."""
_QUOTED: Final = re.compile(r"[\"“„«][^\"“”„«»]*[\"”»]")
"""Words of somebody else, or a text to work on."""


async def decide_retrieval(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the gate whether the question needs retrieval. Its decision binds the route."""
    return {"gate": await decide(await run_of(state, runtime), state["question"])}


async def decide(run: Run, question: str) -> GateDecision:
    """Whether a question needs retrieval."""
    gate = run.settings.gate
    if why := _why_unasked(run) or await asyncio.to_thread(_why_impossible, gate):
        return GateDecision(gate=OFF, probability=None, retrieve=None, reason=why)
    if gate == AUTO:
        gate = traits_of(run.settings).gate
    await asyncio.to_thread(run.resources.gate, gate)  # a gate that is not there is an error
    if reason := await rule(run, question):
        return GateDecision(gate=gate, probability=None, retrieve=True, reason=reason)
    nearness = await nearness_of(run, question)
    embedding = await run.embedding()
    decision = await asyncio.to_thread(_decide, run, gate, question, nearness, embedding)
    probability, retrieve, reason = decision.probability, decision.retrieve, decision.reason
    return GateDecision(gate=gate, probability=probability, retrieve=retrieve, reason=reason)


async def rule(run: Run, question: str) -> str:
    """The rule by which a question needs documents, whatever the gate says; "" for none."""
    if is_about_documents(question):
        return "the question is about the documents"
    name = await name_in(run, question)
    return f"it names {name!r} of the documents" if name else ""


def is_about_documents(question: str) -> bool:
    """Whether a question is about the documents themselves: `these articles`.

    The gate learns from questions about facts. "Summarise the approach in all guides" asks for
    none, so a rule comes before the gate. It is English. Of 4,400 questions of Natural Questions it
    takes 5, and none of HotpotQA, MuSiQue, 2WikiMultiHopQA and the everyday requests of the gate's
    tests.
    """
    return _DOCUMENTS.search(_QUOTED.sub(" ", question)) is not None


def _why_unasked(run: Run) -> str:
    """Why no gate is asked; "" where one is."""
    if run.settings.gate == OFF:
        return "no gate; the route decides"
    if run.settings.gate == AUTO and run.settings.strategy != AUTO:
        return "no gate; the caller chose the strategy"
    if run.settings.gate == AUTO and not run.settings.index:
        return "no gate; there is no index"
    return ""


def _why_impossible(gate: str) -> str:
    """The reason why the default gate cannot decide, or "".

    Both gates that ship read the question's vector by the built-in embedding model.
    """
    if gate == AUTO and missing_modules("builtin"):
        return f"{missing_sentence('no gate was asked: it', 'builtin')}; the route decides"
    return ""


def measured_for(nearness: Nearness, embedding: str, trained_with: str) -> Nearness:
    """The features that a gate may use. It cannot use cosines of another embedding model."""
    if embedding == trained_with:
        return nearness
    return nearness._replace(cosine=None, outstanding=None)


def _decide(run: Run, name: str, question: str, nearness: Nearness, embedding: str) -> Decision:
    gate = run.resources.gate(name)
    usable = measured_for(nearness, embedding, gate.manifest.embedding)
    decision = gate.decide(question, run.settings.gating, usable)
    if name in SHIPPED:
        return decision
    made_for = known_as(gate.manifest.model)
    model = run.resources.caller(run.settings.model).provider.identity
    if same_model(known_as(model), made_for):
        return decision
    return replace(decision, reason=f"{decision.reason}; made for {made_for}")
