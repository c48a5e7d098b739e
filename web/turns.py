"""Questions and answers as the page shows them, with Markdown as HTML."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage

from hopyard.agent.answer import Answer, Citation
from hopyard.agent.people import ANYBODY, Person
from hopyard.agent.session import Session
from hopyard.agent.threads.history import Turn
from hopyard.state.errors import UsageError
from hopyard.state.references import name_sources
from hopyard.state.schemas import NOT_SUPPORTED, UNCONFIRMED, notes_of, read_note, why_truncated
from hopyard.tracing.plain import cleaned
from hopyard.tracing.prose import prose
from hopyard.web.citations import marked

__all__ = (
    "Asked",
    "as_markdown",
    "citation_of",
    "doubts",
    "last_question",
    "turn_of",
    "turns_of",
)


@dataclass(frozen=True)
class Asked:
    """A question in the person's own words, and its answer."""

    question: str
    answer: Answer


async def turns_of(session: Session, thread: str, person: Person = ANYBODY) -> list[Asked]:
    """The questions of a thread, the oldest first. The last question may be unfinished.

    Passages are shown if the person may read them by now.

    Raises:
        ThreadMissingError: There is no such thread.
    """
    last, earlier = await session.result(thread), await session.earlier(thread)
    if earlier and earlier[-1].values["run"] == last.get("run"):  # another has begun meanwhile
        del earlier[-1]
    states = [*(_state(turn, thread) for turn in earlier), last]
    # A question that has just begun has no settings yet.
    groups = {} if person.groups is None else {"groups": person.groups}
    now = [{**state, "settings": state.get("settings", {}) | groups} for state in states]
    return [await asyncio.to_thread(_asked, state) for state in now]


def last_question(state: Mapping[str, Any]) -> str:
    """The last question of a thread's state in the person's own words."""
    said = [message for message in state.get("messages", ()) if isinstance(message, HumanMessage)]
    return said[-1].text if said else str(state.get("question", ""))


def turn_of(asked: Asked) -> dict[str, Any]:
    """A turn for the page: the answer as JSON, and its text as HTML without scripts."""
    answer = asked.answer
    sources = [citation.model_dump() for citation in answer.citations]
    names = name_sources(sources)  # type: ignore[arg-type]
    citations = [
        {
            **citation.model_dump(mode="json"),
            "name": names[citation.passage_id],
            "marked": marked(citation.text, citation.quotes),
        }
        for citation in answer.citations
    ]
    turn: dict[str, Any] = {
        **answer.model_dump(mode="json"),
        "asked": asked.question,
        "citations": citations,
        "supported": answer.supported,
        "notes": doubts(answer),
        "html": prose(answer.text, len(answer.citations)),
    }
    return cleaned(turn)


def doubts(answer: Answer) -> list[str]:
    """Sentences on an answer that its reader has to know."""
    result = answer.model_dump()
    unconfirmed = f"{UNCONFIRMED} {answer.unconfirmed}" if answer.unconfirmed else ""
    notes = [unconfirmed, *why_truncated(result), *notes_of(result), read_note(answer.read_share)]
    return [note for note in notes if note]


def as_markdown(turns: Sequence[Asked]) -> str:
    """A thread as one Markdown text, with its citations."""
    parts = []
    for asked in turns:
        answer = asked.answer
        parts.append(f"## {asked.question}\n\n{answer.text}")
        cited = [_line(number, found) for number, found in enumerate(answer.citations, 1)]
        parts.append("\n".join(cited))
        parts += doubts(answer)
    return "\n\n".join(filter(None, parts)) + "\n"


def citation_of(turns: Sequence[Asked], turn: int, number: int) -> Citation:
    """A citation of a thread, by the places of its answer and in its answer, from 1.

    Raises:
        UsageError: There is no such citation.
    """
    if 1 <= turn <= len(turns):
        citations = turns[turn - 1].answer.citations
        if 1 <= number <= len(citations):
            return citations[number - 1]
    raise UsageError(f"The answer {turn} has no citation {number}.")


def _line(number: int, citation: Citation) -> str:
    quotes = " … ".join(f"“{' '.join(quote.split())}”" for quote in citation.quotes)
    doubt = "" if citation.supported else f" ({NOT_SUPPORTED})"
    return f"- [{number}] {quotes} — {citation.reference}{doubt}"


def _state(turn: Turn, thread: str) -> Mapping[str, Any]:
    return {"settings": turn.settings, **turn.values, "thread_id": thread, "finished": True}


def _asked(state: Mapping[str, Any]) -> Asked:
    return Asked(last_question(state), Answer.of(state))
