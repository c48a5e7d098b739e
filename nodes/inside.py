"""Looking inside documents that the model has seen passages of.

Besides new searches, a step of `chain` or `plan` may ask for words inside one document and for the
pages around a passage. A name that no document has leads to the nearest name or to a search.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.inside import find_inside, named_document, pages_around
from hopyard.nodes.run import Found, Run
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.inside import FindIn, Inside
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import UsageError
from hopyard.state.metadata import page_words
from hopyard.state.schemas import Evidence, Look, passage_evidence

LONG: Final = 12
"""Passages of a document that a few searches do not show whole."""


async def has_long_document(run: Run, passages: Iterable[Passage]) -> bool:
    """Whether the model may look inside: it is able to, and a passage is of a long document."""
    names = {passage.document_id for passage in passages}
    if not names or not traits_of(run.settings).looks_inside:
        return False
    index = await run.index()
    lengths = await asyncio.to_thread(index.corpus.lengths, sorted(names))
    return any(length >= LONG for length in lengths.values())


async def asked_inside(run: Run, output: Inside, numbers: Sequence[str]) -> tuple[list[Look], str]:
    """The requests of an output, with the documents and passages that they name.

    Args:
        numbers: The ids of the passages that the model was shown, the first one number 1.

    Returns:
        The requests, and why one of them leads to nothing, or "".
    """
    looks = [await _find(run, find, numbers) for find in output.finds]
    unknown = [number for number in output.opens if not 1 <= number <= len(numbers)]
    opened = [numbers[number - 1] for number in output.opens if number not in unknown]
    looks += [
        Look(kind="open", text=f"the pages around {_place(passage)}", id=passage.id)
        for passage in await run.passages(list(dict.fromkeys(opened)))
    ]
    problem = f"No passage has the number {', '.join(map(str, unknown))}." if unknown else ""
    return looks, problem


async def look_inside(run: Run, look: Look, k: int) -> Found:
    """The evidence of one look.

    Args:
        k: Passages at most, except for the pages around a passage.
    """
    if look["kind"] == "search":
        return await run.try_find(look["text"], k=k)
    index, allowed = await run.index(), await run.allowed()
    if look["kind"] == "open":
        around = await asyncio.to_thread(pages_around, index, look["id"])
        names = [passage.id for passage in around if allowed is None or passage.id in allowed]
        middle = names.index(look["id"])
        names.sort(key={name: abs(row - middle) for row, name in enumerate(names)}.__getitem__)
        return Found([passage_evidence(name, 0.0) for name in names])
    found = await asyncio.to_thread(find_inside, index, look["id"], look["words"], k, allowed)
    if found:
        return Found([Evidence(**passage_evidence(*each), why=look["text"]) for each in found])
    if "reason" not in look:
        return Found([], [UsageError(f"Nothing fits {look['text']}.")])
    # The nearest name was perhaps that of another document.
    elsewhere = await run.try_find(look["words"], k=k)
    nothing = UsageError(f"Nothing fits {look['text']}, so all documents were searched.")
    return Found(elsewhere.evidence, [nothing, *elsewhere.problems])


async def look_for(run: Run, words: str, name: str) -> Look:
    """The request for some words in a document, with the replacement for a wrong name.

    Args:
        name: The document's title, file or id.
    """
    named = await asyncio.to_thread(named_document, await run.index(), name)
    if named is None:
        reason = f"No single document is named “{name}”, so all were searched."
        return Look(kind="search", text=f"{name} {words}".strip(), reason=reason)
    text = f"“{words}” in {one_line(named.title)}"
    look = Look(kind="find", text=text, id=named.id, words=words)
    if not named.exact:
        look["reason"] = f"No document is named “{name}”; the nearest is “{named.title}”."
    return look


async def _find(run: Run, find: FindIn, numbers: Sequence[str]) -> Look:
    words, name = one_line(find.words), one_line(find.document)
    place = name.strip("[] ")
    if place.isdecimal() and 1 <= int(place) <= len(numbers):
        [passage] = await run.passages([numbers[int(place) - 1]])
        name = passage.document_id
    return await look_for(run, words, name)


def _place(passage: Passage) -> str:
    """Where a passage is, as in `Annual report, page 48`."""
    where = page_words(passage.pages) or f"passage {passage.position + 1}"
    return f"{one_line(passage.title or passage.source)}, {where}"
