"""Hybrid search for a question and for the words that the chat model expects beside its answer.

A question for "working capital" shares no word with the rows that it is worked out from. One call
names such rows, before anything is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.state.errors import UsageError
from hopyard.state.schemas import Evidence

_BASE: Final = "hybrid"


async def _find(search: Search) -> list[Evidence]:
    """The units that the base search finds for the question with these words.

    Where the model's words are not usable, or the budget does not allow the call, it searches for
    the question alone.

    Raises:
        UsageError: No chat model may be asked.
    """
    from hopyard.prompts.expand import EXPAND
    from hopyard.prompts.passages import one_line

    if search.call is None:
        raise UsageError(
            "The search expand asks the chat model, and this search may not: choose another search "
            "method."
        )
    text = search.text
    place = await search.try_call(EXPAND, {"question": one_line(text)})
    return await SEARCHES[_BASE].run(
        replace(search, text=f"{text} {place.words}") if place else search
    )


SEARCH: Final = SearchMethod(
    name="expand",
    about="Hybrid search for the question with words that the chat model expects at its answer.",
    find=_find,
    asks_model=True,
    filters=True,
)
