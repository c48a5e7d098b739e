"""From the steps that a run has recorded to the steps of its trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from hopyard.state.tree import ROOT
from hopyard.tracing.calls import Calls
from hopyard.tracing.model import Fact, Found, Thrown, TraceStep

__all__ = ("strategy_steps", "trace_step")

Raw = Mapping[str, Any]
"""A `state.schemas.Step`, or a decision, as it was recorded."""

TREE: Final = "tree-node"
HOP: Final = "hop"

_TITLES: Final[Mapping[str, str]] = {
    "search": "Search",
    "read": "Read the passages and answer",
    "aggregate": "Answer from the findings",
    "prune": "Keep the most helpful passages",
    "rerank": "Rerank",
    "split": "Split the question",
}


def strategy_steps(raw: Sequence[Raw], calls: Calls) -> tuple[TraceStep, ...]:
    """The steps of a strategy: a tree's nodes under one another, hops in their rounds."""
    steps: list[TraceStep] = []
    nodes = {one["path"]: one for one in raw if one["step"] == TREE}
    if ROOT in nodes:
        steps.append(_branch(ROOT, nodes, calls))
    for kind, group in groupby(
        (one for one in raw if one["step"] != TREE), key=lambda one: one["step"]
    ):
        some = list(group)
        if kind == HOP:
            steps.extend(_rounds(some, calls))
        else:
            first = len(steps)
            steps.extend(
                trace_step(f"{kind}-{first + place}", one, calls) for place, one in enumerate(some)
            )
    return tuple(steps)


def trace_step(
    step_id: str, raw: Raw, calls: Calls, children: tuple[TraceStep, ...] = (), title: str = ""
) -> TraceStep:
    """One recorded step; whatever it has been given is shown, known kind or not."""
    kind = raw["step"]
    return TraceStep(
        id=step_id,
        kind=kind,
        title=title or _title(raw),
        answer=raw.get("answer", ""),
        verdict=raw.get("verdict", ""),
        reason=raw.get("reason", ""),
        facts=tuple(_facts(raw)),
        passages=found_in(raw.get("passages", [])),
        thrown=tuple(_thrown(raw.get("replaced", []))),
        uses=calls.of(raw),
        head=raw.get("head", ""),
        tail=raw.get("tail", ""),
        children=children,
    )


def found_in(passages: Iterable[Raw]) -> tuple[Found, ...]:
    """Passages with their scores."""
    return tuple(Found(one["passage_id"], one["score"]) for one in passages)


def _branch(path: str, nodes: Mapping[str, Raw], calls: Calls) -> TraceStep:
    raw = dict(nodes[path])
    if not raw.get("verdict"):
        raw["verdict"] = "open" if raw.get("phase", "done") != "done" else "leaf"
    uses = calls.of(raw)  # before those below it: a half that repeats the question made no call
    below = tuple(
        _branch(one, nodes, calls) for one in sorted(nodes) if one and _parent(one) == path
    )
    return trace_step(f"tree-{path or 'root'}", raw, Calls(uses), below)


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _rounds(hops: Sequence[Raw], calls: Calls) -> list[TraceStep]:
    rounds: list[TraceStep] = []
    for number, group in groupby(hops, key=lambda one: one.get("round", 0)):
        steps = tuple(
            trace_step(f"hop-{number}-{place}", one, calls) for place, one in enumerate(group, 1)
        )
        title = f"Round {number} of hops" if number else "Entry: the first passages"
        rounds.append(TraceStep(f"round-{number}", "round", title, children=steps))
    return rounds


def _title(raw: Raw) -> str:
    kind = raw["step"]
    if kind == HOP:
        question = raw.get("question", "")
        if raw.get("round"):
            to = f" → {raw['head']}" if raw.get("head") else " stays"
            return f"{raw.get('tail', '')}{to}" + (f" · {question}" if question else "")
        return str(raw.get("head", "")) + (f" · {question}" if question else "")
    if kind in {TREE, "link"}:
        return str(raw["question"])
    title = _TITLES.get(kind, kind.replace("-", " ").capitalize())
    return f"{title}: {raw['question']}" if kind == "search" else title


def _facts(raw: Raw) -> Iterable[Fact]:
    if raw.get("probability") is not None:
        yield Fact("probability", f"{raw['probability']:.2f}")
    if rubric := raw.get("rubric"):
        yield Fact("rubric", f"{sum(rubric.values())}/{len(rubric)}")
        failed = [name.replace("_", " ") for name, point in rubric.items() if not point]
        if failed:
            yield Fact("fails on", ", ".join(failed))
    if raw.get("score") is not None:
        yield Fact("similarity" if raw["step"] == HOP else "branch score", f"{raw['score']:.2f}")
    for name, score in raw.get("scores", {}).items():
        yield Fact(name.replace("_", " "), f"{score}/5")
    if raw.get("visits"):
        yield Fact("visits", str(raw["visits"]))


def _thrown(replaced: Iterable[Raw]) -> Iterable[Thrown]:
    for one in replaced:
        question = one.get("question") or f"{one.get('first', '')} / {one.get('second', '')}"
        yield Thrown(question, one.get("answer", ""), one.get("reason", ""))
