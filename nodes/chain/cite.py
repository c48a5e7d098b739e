"""The end of a chain: its citations, its evidence, and its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import mark_cut
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import Run, run_of
from hopyard.state import verdicts
from hopyard.state.chain import ChainState, Finding, Reading, findings_of
from hopyard.state.schemas import Citation, Evidence, Step, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.markers import renumber


async def cite(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Close the run: the findings' passages are what the answer cites."""
    run, facts = await run_of(state, runtime), findings_of(state["readings"])
    kept = list(dict.fromkeys(finding["passage_id"] for finding in facts))
    cited = await _cited(run, state, facts)
    update = {
        "answer": cited.answer,
        "citations": cited.citations,
        "unconfirmed": state["unconfirmed"] or cited.unconfirmed,
        "evidence": _evidence(state["readings"], kept, cited.citations),
        "steps": steps_of({**state, "answer": cited.answer}),
    }
    return await close_run(run, update)


async def _cited(run: Run, state: ChainState, facts: Sequence[Finding]) -> Cited:
    """The answer with the passages that its markers name, or those of the findings."""
    if is_unknown(state["answer"]) or state["readings"][-1]["kind"] == "direct":
        return Cited(state["answer"], [])
    shown = await run.passages(state["shown"])
    by_id = {passage.id: passage for passage in shown}
    claims = [(finding["fact"], by_id[finding["passage_id"]]) for finding in facts]
    answer = _with_visible_markers(state)
    return cite_answer(state["question"], answer, shown, findings=claims)


def _with_visible_markers(state: ChainState) -> str:
    """The answer without markers of passages that the last prompt did not hold."""
    readings = state["readings"]
    visible = {finding["passage_id"] for finding in findings_of(readings)}
    visible.update(passage_ids(readings[-1]["new"]))
    places = enumerate(state["shown"], 1)
    return renumber(state["answer"], {place: place for place, name in places if name in visible})


def _evidence(
    readings: Sequence[Reading], kept: Sequence[str], cited: Sequence[Citation]
) -> list[Evidence]:
    """The passages of the findings, what else the last step was shown, and what else is cited."""
    units = [unit for reading in readings for unit in reading["new"]]
    scores = {name: unit["score"] for unit in units for name in unit["passages"]}
    found = {unit["id"]: unit for unit in units if unit["kind"] == "passage"}
    others = [unit for unit in readings[-1]["new"] if not set(unit["passages"]) <= set(kept)]
    known = {*kept, *passage_ids(others)}
    named = dict.fromkeys(each["passage_id"] for each in cited if each["passage_id"] not in known)
    first, last = (
        [found.get(name) or passage_evidence(name, scores.get(name, 0.0)) for name in names]
        for names in (kept, named)
    )
    return first + others + last


def link_id(number: int) -> str:
    """The id of a chain's step, from 1."""
    return f"link-{number}"


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a chain that is under way, or of a node's update."""
    if "readings" not in state:
        return list(state.get("steps") or ())
    steps = [_step(number, reading) for number, reading in enumerate(state["readings"], 1)]
    if ended := state.get("ended"):
        closing = Step(id="answer", kind="aggregate", title="Answer", reason=ended)
        closing["answer"] = state.get("answer", "")
        if found := _found(state["readings"]):
            closing["passages"] = found
        last = state["readings"][-1]
        if last["kind"] == verdicts.FAILED:
            closing["verdict"] = verdicts.FAILED
        steps.append(mark_cut(closing) if last.get("cut") else closing)
    return steps


def _found(readings: Sequence[Reading]) -> list[Evidence]:
    """The passages of the findings, each with what was found in it."""
    units = {unit["id"]: unit for reading in readings for unit in reading["new"]}
    found: dict[str, Evidence] = {}
    for finding in findings_of(readings):
        name = finding["passage_id"]
        unit = found.setdefault(name, {**(units.get(name) or passage_evidence(name, 0.0))})
        unit["texts"] = [*unit.get("texts", []), finding["fact"]]
    return list(found.values())


def _step(number: int, reading: Reading) -> Step:
    step = Step(
        id=link_id(number),
        kind="link",
        title=" · ".join(reading["searches"]) or "Read the findings again",
        answer=" · ".join(finding["fact"] for finding in reading["findings"]),
        passages=reading["new"],
    )
    if reading["kind"] == verdicts.FAILED:
        step["verdict"] = verdicts.FAILED
    elif not reading["findings"] and reading["kind"] != "direct":
        step["verdict"] = verdicts.NOTHING_FOUND
    if "reason" in reading:
        step["reason"] = reading["reason"]
    return step
