"""Choose the passages to read, and put them into groups that fit the model's window.

All passages that may be found are read, if `every.calls` groups hold them. Otherwise the passage
of each document that a search ranks best is read, and then other passages in the order of the
search: titles, sources and dates are part of what it compares.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.corpus.records import Passage
from hopyard.models.calls.sized_request import window_of
from hopyard.models.servers.windows import estimate
from hopyard.nodes.approve import approve_reading
from hopyard.nodes.global_search.map import chunks
from hopyard.nodes.global_search.map import window_of as most_tokens
from hopyard.nodes.run import Found, Run, run_of
from hopyard.prompts.passages import heading, passage_lines
from hopyard.prompts.strategies.every import OPEN
from hopyard.state.errors import IndexMissingError
from hopyard.state.every import EverySettings, EveryState
from hopyard.state.metadata import page_words
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of

_RANKED: Final = 1000
"""Passages that the search ranks."""


async def choose(state: EveryState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Form the groups, say what reading them costs, and wait for approval if that is wanted."""
    run = await run_of(state, runtime)
    fixed, room = await _tokens_of_call(run)
    found, lengths = await _passages(run)
    most = EverySettings.of(run.settings).calls
    searched = Found([])
    if not found or sum(lengths.values()) > room:
        searched = await _search(run, state["asked"])
    ranks = {name: place for place, name in enumerate(passage_ids(searched.evidence))}
    chosen = selected(found, lengths, ranks, most * room)
    groups = grouped(chosen, lengths, room)
    groups.sort(key=lambda group: min(ranks.get(name, len(ranks)) for name in group))
    del groups[most:]
    tokens = [fixed + sum(lengths[name] for name in group) for group in groups]
    documents = {passage.id: passage.document_id for passage in found}
    read = {documents[name] for group in groups for name in group}
    facts = {
        "documents": f"{len(read):,} of {len({*documents.values()}):,}",
        "passages": f"{sum(map(len, groups)):,} of {len(found):,}",
        "calls": str(len(groups)),
        "tokens to read": f"about {sum(tokens):,}",
    }
    step = Step(id="choose", kind="choose", facts=facts)
    step["title"] = f"Choose {counted(len(read), 'document')}: {counted(len(groups), 'call')}"
    if not found:
        step["reason"] = searched.reason
    if groups and "reading" in run.settings.approve:
        about = ", ".join(f"{name}: {value}" for name, value in facts.items())
        calls = approve_reading(state["question"], len(groups), f"Read the documents ({about}).")
        step |= {"reason": f"{calls} of {len(groups)} calls are approved"}
        del groups[calls:]
    return {
        "groups": groups,
        "opened": 0,
        "table": None,
        "rows": Overwrite([]),
        "unread": Overwrite([]),
        "notes": [step],
        "truncated": Overwrite(False),
    }


async def estimate_calls(run: Run) -> int:
    """The calls that a question about the run's index takes."""
    (_, room), (found, lengths) = await _tokens_of_call(run), await _passages(run)
    most = EverySettings.of(run.settings).calls
    groups = grouped(selected(found, lengths, {}, most * room), lengths, room)
    return min(most, len(groups))


async def _passages(run: Run) -> tuple[list[Passage], dict[str, int]]:
    """The passages that may be found, by document, and their tokens.

    Documents are in the order in which they were put into the index: after more are added, the
    groups before them are the same, and their calls are in the ledger.
    """
    index, allowed = await run.index(), await run.allowed()

    def read() -> tuple[list[Passage], dict[str, int]]:
        since, every = index.corpus.indexed(), index.corpus.passages()
        found = [passage for passage in every if allowed is None or passage.id in allowed]
        found.sort(key=lambda each: (since[each.document_id], each.document_id, each.position))
        return found, {passage.id: _length(passage) for passage in found}

    return await asyncio.to_thread(read)


async def _search(run: Run, question: str) -> Found:
    """The passages that a search finds; none if the index cannot be searched."""
    try:
        return await run.try_find(question, k=_RANKED, models=False)
    except IndexMissingError as error:
        return Found([], [error])


async def _tokens_of_call(run: Run) -> tuple[int, int]:
    """About how many tokens a call has besides its passages, and the room for passages.

    At least half of what the window leaves is for the rows.
    """
    fixed = estimate(OPEN.messages({"documents": "", "question": ""}))
    most = most_tokens(run.settings)
    window = await asyncio.to_thread(window_of, (await run.caller()).provider)
    return fixed, max(1, min(most, (window - fixed) // 2)) if window else most


def selected(
    passages: Sequence[Passage], lengths: Mapping[str, int], ranks: Mapping[str, int], room: int
) -> list[Passage]:
    """The passages that are read, in their order.

    Args:
        lengths: Their tokens.
        ranks: The places of some of them in the search, from 0; the others come after these.
        room: Tokens of all that are read, at most.
    """
    if sum(lengths[passage.id] for passage in passages) <= room:
        return list(passages)
    ranked = sorted(passages, key=lambda passage: ranks.get(passage.id, len(ranks)))
    first: dict[str, str] = {}
    for passage in ranked:
        first.setdefault(passage.document_id, passage.id)
    best = {*first.values()}
    ranked.sort(key=lambda passage: passage.id not in best)  # stable
    kept = set[str]()
    for passage in ranked:
        if lengths[passage.id] <= room:
            kept.add(passage.id)
            room -= lengths[passage.id]
    return [passage for passage in passages if passage.id in kept]


def grouped(passages: Iterable[Passage], lengths: Mapping[str, int], room: int) -> list[list[str]]:
    """The ids of passages in groups, in their order. A document is divided only if it must be.

    Args:
        passages: By document.
        lengths: Their tokens.
        room: Tokens of a group, at most. A longer passage is a group of its own.
    """
    documents: dict[str, list[str]] = defaultdict(list)
    for passage in passages:
        documents[passage.document_id].append(passage.id)
    parts = [
        part for names in documents.values() for part in chunks(names, lengths.__getitem__, room)
    ]
    whole = chunks(parts, lambda part: sum(lengths[name] for name in part), room)
    return [[name for part in group for name in part] for group in whole]


def _length(passage: Passage) -> int:
    return tokens_of(document_lines([passage]))


def document_lines(passages: Sequence[Passage]) -> str:
    """Passages as a call reads them, numbered from 1. One that follows the last says only that."""
    shown: list[tuple[str, str]] = []
    last: Passage | None = None
    for number, passage in enumerate(passages, 1):
        title = heading(passage.full_title, passage.about)
        if last and (last.document_id, last.position + 1) == (
            passage.document_id,
            passage.position,
        ):
            section = passage.section if passage.section != last.section else ""
            follows = (f"continues [{number - 1}]", section, page_words(passage.pages))
            title = ", ".join(filter(None, follows))
        shown.append((title, passage.text))
        last = passage
    return passage_lines(shown)
