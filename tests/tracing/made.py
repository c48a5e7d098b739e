"""Traces made by hand, of strategies that Hopyard has and of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Citation, Evidence, Step, Thrown, passage_evidence
from hopyard.tracing.model import Trace, TracedPassage
from hopyard.tracing.read import trace_of
from hopyard.tracing.texts import find_quotes

HOSTILE = (
    "The </script><script>window.hacked = 1</script> gate opened in 1999. "
    '<img src=x onerror="window.hacked = 2"> <b>Nobody</b> & "nothing" was hurt.'
)
"""A passage whose text would be a program."""

SUMMARY = Evidence(kind="summary", id="s-12", score=0.83, passages=["mars", "venus"])


def use(step: str, *, prompt: str = "answer", cached: bool = False) -> Use:
    """A model call of a hundred tokens that was made for a step."""
    entry = Entry(prompt, 1, "scripted", 0, "{}", "parsed", 95, 5, 0.5)
    return Use(entry, cached, step)


def made_trace(
    steps: Sequence[Step],
    *,
    question: str = "Which is it?",
    answer: str = "that",
    evidence: Sequence[Evidence] = (),
    citations: Sequence[Any] = (),
    uses: Sequence[Use] = (),
    waits: tuple[str, ...] = (),
) -> Trace:
    """The trace of a thread whose strategy has taken these steps; it has no index."""
    values = {
        "question": question,
        "answer": answer,
        "strategy": "made-up",
        "gate": {"gate": "off", "probability": None, "retrieve": None, "reason": "no gate"},
        "route": {"strategy": "made-up", "by": "forced", "probability": None, "reason": "asked"},
        "steps": list(steps),
        "evidence": list(evidence),
        "citations": list(citations),
        "usage": {"seconds": 1.0},
    }
    return trace_of("mine", values, {}, waits, uses, "")


def with_texts(trace: Trace, quote: str = "gate opened in 1999.", **texts: str) -> Trace:
    """The trace as if its index had these passages, with titles made of their ids."""
    passages = {
        name: TracedPassage(
            name,
            title=name.replace("_", " ").title(),
            text=texts.get(name),
            quotes=find_quotes(texts.get(name, ""), [quote]),
            unit=passage.unit,
        )
        for name, passage in trace.passages.items()
    }
    return replace(trace, passages=passages)


def hop(in_round: int, head: str = "", tail: str = "", **more: Any) -> Step:
    """One hop of a traversal."""
    step = Step(id=f"hop-{in_round}-{tail or head}", kind="hop", parent=f"round-{in_round}")
    step |= {"head": head} if head else {}
    step |= {"tail": tail} if tail else {}
    return step | more  # type: ignore[no-any-return]


HOPS = [
    Step(id="round-0", kind="round", title="Entry: the first passages"),
    hop(0, "danube", question="How long is the Danube?", score=0.6, facts={"visits": "2"}),
    hop(0, "severn"),
    Step(id="round-1", kind="round", title="Round 1 of hops"),
    hop(1, "stone_bridge", "danube", question="What crosses it?", verdict="necessary"),
    hop(1, "danube", "severn", question="Which is longer?", verdict="indirect"),
    Step(id="round-2", kind="round", title="Round 2 of hops"),
    hop(2, "", "stone_bridge", reason="none of its questions is relevant"),
    Step(id="prune", kind="prune", title="Keep", passages=[passage_evidence("danube", 0.7)]),
]
"""Two passages that are entered by, one that is reached, and one that is reached again."""


QUESTION = 'Which <b>gate</b> opened first, "the" Iron Bridge or </script> the gate?'
IRON = "When was the Iron Bridge opened?"
GATE = "When was the gate opened </title><script>window.hacked = 3</script>?"


def question(name: str, parent: str, text: str, verdict: str, **more: Any) -> Step:
    made = Step(id=name, kind="question", parent=parent, title=text, question=text, verdict=verdict)
    return made | more  # type: ignore[no-any-return]


def cited(quote: str, *, supported: bool = True) -> Citation:
    return Citation(
        passage_id="hostile",
        title="<b>Gate</b>",
        quote=quote,
        claim="<i>1999</i>",
        supported=supported,
    )


TREE = [
    question(
        "root",
        "",
        QUESTION,
        "split",
        score=0.75,
        facts={"rubric": "5/5", "visits": "1"},
        replaced=[Thrown(question="<b>Old?</b>", answer="no", reason="weak")],
    ),
    question("root.1", "root", IRON, "leaf", answer="1781", passages=[SUMMARY]),
    question("root.1.1", "root.1", "Iron <i>left</i>?", "pruned", answer="?"),
    question("root.1.2", "root.1", "Iron right?", "pruned"),
    question("root.2", "root", GATE, "leaf", passages=[passage_evidence("hostile", 0.9)]),
    Step(id="aggregate", kind="aggregate", title="Answer from the findings", answer="1999"),
]
"""A tree with a pruned half, and hostile questions over a hostile passage."""
