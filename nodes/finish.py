"""The agent's last step: check citations, say where all is from, give the answer as a message."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.citations import contains_quote, is_unknown
from hopyard.nodes.conversation import answer_message
from hopyard.nodes.resources import index_folder
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.errors import HopyardError
from hopyard.state.references import with_references
from hopyard.state.schemas import (
    NOTE,
    UNCITED,
    Citation,
    Evidence,
    Source,
    Step,
    passage_ids,
    quotes_of,
)
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.markers import marked_numbers, renumber
from hopyard.state.verdicts import BUDGET


async def finish(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Close the run. A citation whose quote is not in its passage is dropped, whoever made it.

    Citations are numbered in the order of their markers in the answer; those without one come
    last. A marker that names none is removed.
    Citations and evidence say from now on where their passages are from. Notes on the model calls
    and the filter become steps.
    """
    run, cited, evidence = await run_of(state, runtime), state["citations"], state["evidence"]
    named = [*(citation["passage_id"] for citation in cited), *passage_ids(evidence)]
    passages = await run.existing(list(dict.fromkeys(named)))
    sources = with_references(passage.as_source() for passage in passages.values())
    answer, unconfirmed = state["answer"], state.get("unconfirmed", "")
    standing = {number: each for number, each in enumerate(cited, 1) if _stands(each, passages)}
    marked = filter(standing.__contains__, marked_numbers(answer))
    order = list(dict.fromkeys([*marked, *standing]))
    citations = [
        Citation(**{**each, **sources[name], "quotes": _standing(each, passages[name])})
        for each in map(standing.__getitem__, order)
        if (name := each["passage_id"])
    ]
    quotes = traits_of(run.settings).writes_freely
    if cited or (quotes and evidence):
        answer = renumber(answer, {number: place for place, number in enumerate(order, 1)})
    spoken = await _spoken_as(run, answer)
    message = (
        answer_message(answer, citations, unconfirmed, spoken)
        if quotes
        else AIMessage(answer, id=spoken)
    )
    notes = [
        *await asyncio.to_thread((await run.caller()).ledger.notes, run.id),
        *filter(
            None,
            [
                await _filter_note(run, state),
                await _unread_note(run, state),
                _uncited_note(state, citations),
            ],
        ),
    ]
    usage = await run.usage()
    (await run.caller()).forget(run.id)
    return {
        "usage": usage,
        "steps": [
            Step(id=f"note-{place}", kind=NOTE, title="Note", reason=note)
            for place, note in enumerate(notes, 1)
        ],
        "answer": answer,
        "citations": citations,
        "evidence": [_with_sources(unit, sources) for unit in evidence],
        "truncated": state["truncated"] or cut_short(state),
        "messages": [message],
    }


async def _filter_note(run: Run, state: AgentState) -> str:
    """The note on the filter, if the answer is from documents."""
    try:
        return await run.filter_note() if STRATEGIES[state["strategy"]].retrieves else ""
    except HopyardError:  # the index is gone by now
        return ""


async def _unread_note(run: Run, state: AgentState) -> str:
    """The note on files that were not read, if the documents that were read have no answer."""
    name = state["strategy"]  # a message about the last answer has none of the registry
    retrieves = name in STRATEGIES and STRATEGIES[name].retrieves
    if not (run.settings.index and retrieves and is_unknown(state["answer"])):
        return ""
    from hopyard.indexes.unread import unread_note

    try:
        folder = await asyncio.to_thread(index_folder, run.settings.index)
        return await asyncio.to_thread(unread_note, folder, run.settings.groups)
    except HopyardError:  # the index is gone by now
        return ""


def _uncited_note(state: AgentState, citations: list[Citation]) -> str:
    """The note on an answer that was read from passages, none of which states it."""
    read = state["evidence"] and not citations and state.get("unconfirmed") != UNCITED
    return UNCITED if read and not is_unknown(state["answer"]) else ""


async def _spoken_as(run: Run, answer: str) -> str | None:
    """The id of the message under which the answer was streamed; None if that was another text.

    A message whose id was streamed is not streamed again.
    """
    spoken = (await run.caller()).spoken(run.id)
    if spoken is None or spoken.text.strip() not in {answer, renumber(answer, {})}:
        return None
    return spoken.id


def _stands(citation: Citation, passages: Mapping[str, Passage]) -> bool:
    """Whether the quote is in its passage, and the passage still in the index."""
    passage = passages.get(citation["passage_id"])
    return passage is not None and contains_quote(passage, citation["quote"])


def _standing(citation: Citation, passage: Passage) -> list[str]:
    """The quotes that are in the passage."""
    return [quote for quote in quotes_of(citation) if contains_quote(passage, quote)] or [
        citation["quote"]
    ]


def _with_sources(unit: Evidence, sources: Mapping[str, Source]) -> Evidence:
    behind = [sources[name] for name in unit["passages"] if name in sources]
    return Evidence(**{**unit, "sources": behind})


def cut_short(state: AgentState) -> bool:
    """Whether the budget was used up before a strategy began."""
    own = [step for step in state["steps"][:2] if step["id"] in {"rewrite", "revise"}]
    return state["route"]["by"] == "budget" or any(step.get("verdict") == BUDGET for step in own)
