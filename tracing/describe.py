"""Names and descriptions of steps, the same in terminal, live output and page.

Everything comes from the fields of `state.schemas.Step`, so the steps of any strategy can be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Final, Literal

from hopyard.models.names import reader_name
from hopyard.state import verdicts
from hopyard.state.references import SECTION_MARK
from hopyard.state.schemas import Evidence, GateDecision, RouteDecision, Step

Names = Mapping[str, str]
"""Names of passages by their ids, from `state.references`."""

_SHOWN: Final = 12
"""Passages of one step that a line names."""
_BRIEF: Final = 3
"""Those that it names below an answer."""
_SAID_BEFORE: Final = 40
"""Characters of a reason that was said before."""

Look = Literal["kept", "pruned", "open", "plain"]
"""How a step is drawn: kept for the answer, thrown away or failed, unfinished, or neither."""

LONGEST_ANSWER: Final = 100
"""Characters of an answer of several lines that a step's line shows."""

LONGEST_LINE: Final = 300
"""Characters of an answer of one line that it shows. The page shows answers whole."""

_BEHIND: Final = 3
"""Passages behind one unit that a line names."""

_LOOKS: Final[Mapping[str, Look]] = {
    verdicts.LEAF: "kept",
    "necessary": "kept",
    verdicts.PRUNED: "pruned",
    verdicts.FAILED: "pruned",
    verdicts.FALLBACK: "pruned",
    verdicts.BUDGET: "pruned",
    verdicts.OPEN: "open",
    verdicts.CUT: "open",
}


def look_of(step: Step) -> Look:
    """How a step is drawn, from its verdict."""
    return _LOOKS.get(step.get("verdict", ""), "plain")


def passages_of(steps: Iterable[Step]) -> Iterator[str]:
    """The ids of all passages that some steps name."""
    for step in steps:
        for unit in step.get("passages", []):
            yield from unit["passages"]
        yield from filter(None, (step.get("tail"), step.get("head")))


def name_evidence(unit: Evidence, names: Names) -> str:
    """The name of a unit of evidence, with its kind if it is not a passage."""
    own = names.get(unit["id"], unit["id"])
    return own if unit["kind"] == "passage" else f"{unit['kind']} {own}"


def title_of(step: Step, names: Names) -> str:
    """One line that names a step: its own title, its way between passages, or kind and question."""
    if title := step.get("title"):
        return title
    about = _way_of(step, names)
    question = step.get("question", "")
    if about:
        return f"{about} · {question}" if question else about
    kind = step["kind"].replace("-", " ").capitalize()
    return f"{kind}: {question}" if question else kind


def _way_of(step: Step, names: Names) -> str:
    tail, head = (names.get(name, name) for name in (step.get("tail", ""), step.get("head", "")))
    if tail and head:
        return f"{tail} → {head}"
    return head or (f"{tail} stays" if tail else "")


def facts_of(step: Step) -> dict[str, str]:
    """Measurements and judgements by name."""
    score = {"score": f"{step['score']:.2f}"} if "score" in step else {}
    return score | step.get("facts", {})


def judge_of(step: Step) -> str:
    """Who gave a step's score and facts, in words; "" where they were computed."""
    return reader_name(step.get("judge", ""))


def describe_step(
    step: Step, names: Names, *, brief: bool = False, said: set[str] | None = None
) -> Iterator[tuple[str, Look | None]]:
    """Verdict, reason, facts and evidence of a step; the verdict has a look.

    Args:
        names: Names of passages.
        brief: Name a few passages only, without the reasons why they were found.
        said: The reasons that steps before have said, which are cut here; those of this step are
            added.
    """
    if verdict := step.get("verdict"):
        yield verdict, look_of(step)
    if reason := step.get("reason"):
        yield reason, None
    if facts := facts_of(step):
        told = ", ".join(f"{name} {value}" for name, value in facts.items())
        judge = judge_of(step)
        yield f"judged by {judge}: {told}" if judge else told, None
    if "passages" in step:
        said = set() if said is None else said
        reasons = {unit.get("why", "") for unit in step["passages"]}
        common = reasons.pop() if len(reasons) == 1 else ""
        most, found = (_BRIEF if brief else _SHOWN), step["passages"]
        scored = [
            f"{_outer_and_inner(name_evidence(unit, names))} {unit['score']:.2f}"
            if brief
            else _scored(unit, names, "" if common else once(unit.get("why", ""), said))
            for unit in found[:most]
        ]
        if len(found) > most:
            scored.append(f"and {len(found) - most} more")
        yield ", ".join(scored) or "nothing", None
        if common and not brief:
            yield f"why: {once(common, said)}", None


def once(reason: str, said: set[str]) -> str:
    """A reason; its beginning if it was said before."""
    if reason in said:
        return shorten(reason, _SAID_BEFORE, placeholder=" …")
    said.add(reason)
    return reason


def _outer_and_inner(name: str) -> str:
    """A name without the headings between its document and its own."""
    document, *headings = name.split(SECTION_MARK)
    return SECTION_MARK.join([document, "…", headings[-1]]) if len(headings) > 1 else name


def _scored(unit: Evidence, names: Names, why: str) -> str:
    """A unit with its score, its passages, and why it was found."""
    behind = "" if unit["kind"] == "passage" else _some(unit["passages"], names)
    told = on_a_line(" ".join(unit.get("texts", ())))
    about = "; ".join(filter(None, (behind, told, f"why: {why}" if why else "")))
    return f"{name_evidence(unit, names)} {unit['score']:.2f}{f' ({about})' if about else ''}"


def _some(passages: Sequence[str], names: Names) -> str:
    first = ", ".join(names.get(name, name) for name in passages[:_BEHIND])
    return f"{first} and {len(passages) - _BEHIND} more" if len(passages) > _BEHIND else first


def line_of(step: Step, names: Names) -> str:
    """A step with its answer, as far as a line goes, and its verdict."""
    answer = f" → {on_a_line(step['answer'])}" if step.get("answer") else ""
    verdict = f" · {step['verdict']}" if step.get("verdict") else ""
    return f"{title_of(step, names)}{answer}{verdict}"


def on_a_line(answer: str) -> str:
    """An answer as a step's line shows it: the beginning of one that is long."""
    longest = LONGEST_ANSWER if "\n" in answer else LONGEST_LINE
    return shorten(answer, longest, placeholder=" …")


def gate_word(gate: GateDecision) -> str:
    """The gate's decision."""
    if gate["retrieve"] is None:
        return "off"
    return "retrieve" if gate["retrieve"] else "do not retrieve"


def gate_step(gate: GateDecision) -> Step:
    """The gate's decision as a step."""
    return _decision("gate", gate_word(gate), gate["reason"], gate["probability"])


def route_step(route: RouteDecision) -> Step:
    """The route's decision as a step."""
    step = _decision("route", route["strategy"], route["reason"], route["probability"])
    return step | {"verdict": route["by"]}


def _decision(kind: str, choice: str, reason: str, probability: float | None) -> Step:
    facts = {} if probability is None else {"probability": f"{probability:.2f}"}
    title = f"{kind.capitalize()}: {choice}"
    return Step(id=kind, kind=kind, title=title, reason=reason, facts=facts)
