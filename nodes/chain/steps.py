"""The steps of `chain`: search, read, and answer or search again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.nodes.answer import format_passages
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.chain.cite import link_id
from hopyard.nodes.evidence import merge_by_rounds
from hopyard.nodes.inside import asked_inside, has_long_document, look_inside
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.reading import more_to_read, tokens_to_read, within_tokens
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN, writing
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.chain import CHAIN_STEP, CHAIN_STEP_INSIDE, SEARCH_AGAIN, ChainStep
from hopyard.prompts.strategies.inside import Inside
from hopyard.state import verdicts
from hopyard.state.chain import (
    ChainSettings,
    ChainState,
    Finding,
    Lookup,
    LookupTask,
    Reading,
    findings_of,
)
from hopyard.state.schemas import StrategyInput, add_reason, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

LEAST_PLACES: Final = 3
"""Passages of one search at least, where several searches of a step share `retrieval.k`."""
SHOWN_AGAIN: Final = 2
"""Ranks of a search at which a passage that did not help before is shown again."""
MOST_EMPTY: Final = 3
"""Steps in a row without a finding, after which a chain ends."""
_NONE: Final = "none"
_ENDS: Final = {
    "answer": "answered",
    "direct": "no document is needed",
    "not_found": "it cannot be found",
    "search": "no new search was named",
}
_NOTHING_LEFT: Final = "No search is left: answer from the findings, or say not_found."


async def init_chain(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Begin the run with the question as the first search, and clear the last turn's results."""
    started = await start_run(state, runtime)
    return {
        **started,
        "truncated": Overwrite(False),
        "ended": "",
        "lookups": Overwrite([]),
        "readings": [],
        "searches": [started["question"]],
        "looks": [],
        "shown": [],
        "answer": "",
        "unconfirmed": "",
    }


def next_tasks(state: ChainState) -> list[Send] | Literal["read", "cite"]:
    """Search side by side for what is missing, and look inside documents."""
    if state["ended"]:
        return "cite"
    looks = state.get("looks", [])
    shared = LookupTask(
        run=state["run"],
        step=len(state["readings"]) + 1,
        text="",
        parts=len(state["searches"]) + len(looks),
        seen=state["shown"],
    )
    tasks = [LookupTask(**{**shared, "text": text}) for text in state["searches"]]
    tasks += [LookupTask(**{**shared, "text": look["text"], "look": look}) for look in looks]
    return [Send("look_up", task) for task in tasks] or "read"


async def look_up(state: LookupTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for what the model has not been shown.

    A passage that it was shown is found again only at the first ranks: it may have been passed over
    while its use could not be seen.
    """
    run, seen, look = await run_of(state, runtime), set(state["seen"]), state.get("look")
    k = run.settings.retrieval.k
    places = k if state["parts"] == 1 else max(LEAST_PLACES, k // state["parts"])
    most, step = places + len(seen), link_id(state["step"])
    if look:
        found = await look_inside(run, look, most)
    else:
        found = await run.try_find(state["text"], k=most, step=step)
    units = found.evidence
    if not look or look["kind"] != "open":
        again = [unit for unit in units[:SHOWN_AGAIN] if seen.issuperset(unit["passages"])]
        fresh = [unit for unit in units if not seen.issuperset(unit["passages"])]
        room = max(min(places, LEAST_PLACES), places - len(again))
        units, text = again + fresh[:room], "" if look else state["text"]
        tokens = tokens_to_read(run, step=True) // state["parts"]
        if more := await more_to_read(run, text, units, tokens=tokens, seen=seen):
            units = [*fresh[:room], *more, *again]  # what was shown before may not fit
    lookup = Lookup(step=state["step"], text=state["text"], passages=units)
    if reason := " ".join(filter(None, (look and look.get("reason"), found.reason))):
        lookup["reason"] = reason
    return {"lookups": [lookup], "truncated": found.truncated}


async def read(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Read what was found: note findings, and answer, or name the next searches."""
    run, readings = await run_of(state, runtime), state["readings"]
    settings, number = ChainSettings.of(run.settings), len(readings) + 1
    kept = {finding["passage_id"] for finding in findings_of(readings)}
    lookups = [lookup for lookup in state["lookups"] if lookup["step"] == number]
    found = merge_by_rounds(lookup["passages"] for lookup in lookups)
    unread = [unit for unit in found if not kept.issuperset(unit["passages"])]
    new = await within_tokens(run, unread, tokens_to_read(run, step=True))
    shown = list(dict.fromkeys([*state["shown"], *passage_ids(new)]))
    visible = kept | set(passage_ids(new))
    in_view = [name for name in shown if name in visible]
    left = settings.max_steps - number if lookups else 0
    update: dict[str, Any] = {"shown": shown, "searches": [], "looks": []}
    made = [lookup["text"] for lookup in lookups]
    reading = Reading(searches=made, findings=[], kind=verdicts.FAILED, new=new)
    if problems := dict.fromkeys(each["reason"] for each in lookups if "reason" in each):
        reading["reason"] = " ".join(problems)
    if not left and not in_view and run.settings.answer.knowledge == "documents":
        readings = [*readings, {**reading, "kind": "not_found"}]
        return update | {"readings": readings, "answer": UNKNOWN, "ended": _ENDS["not_found"]}
    attempt, stopped = await _ask(run, state, shown, in_view, left, number)
    attempt.check_needed()
    output = attempt.output
    if output is None:
        reading["reason"] = add_reason(reading.get("reason", ""), attempt.reason)
        update |= {"answer": UNKNOWN, "ended": attempt.reason, "readings": [*readings, reading]}
        return update | {"truncated": True}
    reading |= {"kind": output.kind, "findings": _noted(output, shown, in_view)}
    if output.cut:
        reading["cut"] = True
    if isinstance(output, Inside) and output.kind == "search":
        looks, problem = await asked_inside(run, output, shown)
        update["looks"] = [look for look in looks if _fresh([look["text"]], state)]
        if problem:
            reading["reason"] = add_reason(reading.get("reason", ""), problem)
    update["readings"] = [*readings, reading]
    after = cast(ChainState, {**state, **update})
    return update | await _what_next(run, after, output, left, stopped)


async def _what_next(
    run: Run, state: ChainState, output: ChainStep, left: int, stopped: str
) -> dict[str, Any]:
    """The next searches, or the answer and why the chain ends.

    Args:
        stopped: Why the budget allows nothing more, or "".
    """
    readings, fresh = state["readings"], _fresh(output.searches, state)
    goes_on = bool(fresh or state.get("looks"))
    answer = output.answer or ("" if goes_on else output.beside)
    ends = _ENDS["answer" if answer and output.kind == "search" else output.kind]
    if answer:
        ended = add_reason(ends, stopped) if stopped else ends
        return {"answer": answer, "ended": ended, "unconfirmed": output.unconfirmed}
    given_up = {"answer": UNKNOWN, "truncated": bool(stopped)}
    if stopped:
        ended = stopped if output.kind == "search" else add_reason(ends, stopped)
        return {**given_up, "ended": ended}
    if output.kind == "search":
        if why := _why_to_stop(readings, left):
            return {**given_up, "ended": why}
        if goes_on or findings_of(readings):
            return {"searches": fresh}
    # A model that gives up after its first search has not looked in other words yet.
    if left and len(state["lookups"]) == 1 and (fresh := await _in_other_words(run, state)):
        return {"searches": fresh}
    return {**given_up, "ended": ends}


async def _ask(
    run: Run, state: ChainState, shown: list[str], in_view: list[str], left: int, number: int
) -> tuple[Attempt[ChainStep], str]:
    """The model's reading, and the reason if it was the last that the budget allowed, or ""."""
    index = {name: place for place, name in enumerate(shown, 1)}
    passages = await run.passages(in_view)
    values = {
        "question": one_line(state["question"]),
        "style": writing(run.settings.answer),
        "findings": _lines(
            f"{finding['fact']} [{index[finding['passage_id']]}]"
            for finding in findings_of(state["readings"])
        ),
        "searches": _lines(_searches_made(state)),
        "passages": format_passages(passages, run.settings, [index[name] for name in in_view])
        or _NONE,
        "left": f"Searches left: {left}." if left else _NOTHING_LEFT,
    }
    step = link_id(number)
    inside = left and await has_long_document(run, passages)
    prompt = CHAIN_STEP_INSIDE if inside else CHAIN_STEP
    attempt = await attempted(run.call(prompt, values, step=step, final=not left, stream=True))
    if not left or not attempt.truncated:
        return attempt, ""
    last = values | {"left": _NOTHING_LEFT}
    return await run.try_call(CHAIN_STEP, last, step=step, final=True), attempt.reason


def _fresh(searches: Iterable[str], state: ChainState) -> list[str]:
    """Those of some searches that were not made before."""
    asked = {plain(lookup["text"]) for lookup in state["lookups"]}
    return list({plain(text): text for text in searches if plain(text) not in asked}.values())


async def _in_other_words(run: Run, state: ChainState) -> list[str]:
    """A search in other words, asked for in a call of its own; none if it repeats a search."""
    values = {
        "question": one_line(state["question"]),
        "searches": _lines(one_line(lookup["text"]) for lookup in state["lookups"]),
    }
    attempt = await run.try_call(SEARCH_AGAIN, values, step=link_id(len(state["readings"])))
    return _fresh([attempt.output.search], state) if attempt.output else []


def _noted(output: ChainStep, shown: Sequence[str], in_view: Sequence[str]) -> list[Finding]:
    """The facts whose passage is in this prompt; another number is none, or of an earlier step."""
    numbers = {place: name for place, name in enumerate(shown, 1) if name in in_view}
    return [
        Finding(fact=noted.fact, passage_id=numbers[noted.passage])
        for noted in output.findings
        if noted.passage in numbers
    ]


def _why_to_stop(readings: Sequence[Reading], left: int) -> str:
    """Why no further search is made; "" where one is."""
    if not readings[-1]["searches"]:
        return "no new search was named"
    if not left:
        return f"stopped at the limit of {counted(len(readings), 'step')}"
    empty = readings[-MOST_EMPTY:]
    if len(empty) == MOST_EMPTY and not any(reading["findings"] for reading in empty):
        return f"{counted(len(empty), 'step')} in a row found nothing"
    return ""


def _searches_made(state: ChainState) -> list[str]:
    """Every search so far, with a note where its step found nothing."""
    empty = {
        number for number, reading in enumerate(state["readings"], 1) if not reading["findings"]
    }
    return [
        one_line(lookup["text"])
        + (" (found nothing that helps)" if lookup["step"] in empty else "")
        for lookup in state["lookups"]
    ]


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or _NONE
