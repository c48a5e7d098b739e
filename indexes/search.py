"""The interface of search methods: from a text to evidence.

A package declares a method as an entry point of the group `hopyard.searches`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hopyard.state.errors import (
    BudgetExceededError,
    HopyardError,
    IndexMissingError,
    ModelOutputError,
    UsageError,
)
from hopyard.state.registry import Registry
from hopyard.state.schemas import Evidence, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context, Group

if TYPE_CHECKING:  # numpy and SQLite, which a list of names must not cost
    from hopyard.indexes.build_context import ModelCall
    from hopyard.indexes.index import Index
    from hopyard.models.embedder import Vector
    from hopyard.models.prompt import OutputT, Prompt

__all__ = ("SEARCHES", "Kept", "Search", "SearchMethod")

logger = logging.getLogger(__name__)

ValueT = TypeVar("ValueT")

_WIDER: Final = 4
"""Factor by which the number of units grows until enough of them match a filter."""
_GIVEN_UP: Final = "The question names {}, which no passage matches: all were searched."
_LONGEST: Final = 200
"""Characters of conditions that are shown."""
_MATCHES: Final = "matches the filter"
"""Why a passage is found that a method itself does not find."""


class Kept:
    """Objects that searches open once, such as a cross-encoder. Any thread may use them.

    The caller of the searches owns it.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._opening = threading.Lock()

    def get(self, key: str, open_: Callable[[], ValueT]) -> ValueT:
        """Return the value of a key. The first call opens it."""
        with self._opening:
            if key not in self._values:
                self._values[key] = open_()
            value: ValueT = self._values[key]
            return value


def _log(problem: HopyardError) -> None:
    logger.warning("%s", problem)


@dataclass(frozen=True)
class Search:
    """One search: the text, the index and the number of units.

    Attributes:
        text: The text to search for, usually a question.
        k: Maximum number of units.
        index: The opened index. `index.reader(KIND)` returns a kind's reader.
        embed_alike: Embeds a text as the index's own texts are, [d], to find a like one, such as a
            name among names; None if nothing but `embed` is there.
        allowed: Ids of the passages that match `--where`, or None for all. A method may ignore it;
            see `SearchMethod.filters`.
        embed: Embeds a text as a question, [d].
        call: Calls the chat model. None if the search may not call a model.
        kept: Objects that earlier searches have opened.
        report: Reports a problem that reduces the results without ending the search.
    """

    text: str
    k: int
    index: Index
    settings: Context
    embed: Callable[[str], Awaitable[Vector]]
    call: ModelCall | None = None
    kept: Kept = field(default_factory=Kept)
    report: Callable[[HopyardError], None] = _log
    embed_alike: Callable[[str], Awaitable[Vector]] | None = None
    allowed: Set[str] | None = None

    def allows(self, unit: Evidence) -> bool:
        """Whether all passages of a unit match the filter."""
        return self.allowed is None or all(name in self.allowed for name in unit["passages"])

    async def by(self, method: str, *, k: int | None = None) -> list[Evidence]:
        """Search for the same text with another method.

        Only what the method itself finds: nothing fills up the passages that match the filter.

        Raises:
            UsageError: There is no such method.
            IndexMissingError: The index lacks a kind that it needs.
        """
        return await SEARCHES[method].find_allowed(replace(self, k=self.k if k is None else k))

    async def try_call(self, prompt: Prompt[OutputT], values: Mapping[str, str]) -> OutputT | None:
        """Call the chat model, if the search may.

        Returns:
            The output; None if no model may be called, or if the call gave nothing, which is
            reported.

        Raises:
            ModelUnreachableError: The model does not answer.
        """
        if self.call is None:
            return None
        try:
            return await self.call(prompt, values)
        except (ModelOutputError, BudgetExceededError) as error:
            self.report(error)
            return None


@dataclass(frozen=True)
class SearchMethod:
    """One way to search.

    Attributes:
        name: Its name for `--search`.
        about: One sentence about its method.
        find: The search function. It returns at most `search.k` units, best first, without
            duplicates.
        needs: The index kinds that it reads.
        without_vectors: The method that takes its place in an index without the kind `dense`.
        asks_model: Whether it may call the chat model.
        filters: Whether `find` itself respects `search.allowed`. Methods that use `search.by`
            should. Hopyard asks all other methods for more and more units until k of them match the
            filter. If any method still finds fewer, other passages that match follow.
    """

    name: str
    about: str
    find: Callable[[Search], Awaitable[list[Evidence]]]
    needs: tuple[str, ...] = ()
    without_vectors: str = ""
    settings: type[Group] | None = None
    asks_model: bool = False
    filters: bool = False

    async def run(self, search: Search) -> list[Evidence]:
        """Search. Units that match the conditions which the text itself names come first.

        With a filter it gives k passages if so many match.

        Raises:
            IndexMissingError: The index lacks a kind that the method needs.
        """
        first = [] if self.asks_model else await self._asked_for(search)
        if not first:
            return await self._run_filtered(search)
        left = search.k - sum(map(_size, first))
        if left <= 0:
            return first
        known, lowest = {*passage_ids(first)}, min(unit["score"] for unit in first)
        for unit in await self._run_filtered(search):
            if known.isdisjoint(unit["passages"]) and _size(unit) <= left:
                left -= _size(unit)
                first.append(Evidence(**{**unit, "score": min(unit["score"], lowest)}))
        return first

    async def _asked_for(self, search: Search) -> list[Evidence]:
        """The units that match the conditions which the text names; none if it names none."""
        index, given = search.index, search.settings.where
        if not (asked := await asyncio.to_thread(index.asked, search.text)):
            return []
        for conditions in _fewer_and_fewer(asked):
            allowed = await asyncio.to_thread(index.allowed, [*given, *conditions])
            if allowed:
                break
        else:
            if not given:
                search.report(UsageError(_GIVEN_UP.format(_joined(asked))))
            return []
        found = await self.find_allowed(replace(search, allowed=allowed))
        why = f"matches {_joined(conditions)}, which the question names"
        return [
            Evidence(**{**unit, "why": "; ".join(filter(None, (why, unit.get("why"))))})
            for unit in found
        ]

    async def _run_filtered(self, search: Search) -> list[Evidence]:
        found = await self.find_allowed(search)
        if search.allowed is None or len(passage_ids(found)) >= search.k:
            return found
        return [*found, *await self._more_allowed(search, found)]

    async def find_allowed(self, search: Search) -> list[Evidence]:
        """The units that the method finds and that match the filter, which may be fewer than k.

        Raises:
            IndexMissingError: The index lacks a kind that the method needs.
        """
        if self.without_vectors and not search.index.has("dense"):
            return await SEARCHES[self.without_vectors].find_allowed(search)
        for kind in self.needs:
            if not search.index.has(kind):
                raise IndexMissingError(search.index.without(kind, self.name))
        if search.allowed is None or self.filters:
            return await self.find(search)
        width = search.k * _WIDER
        while True:
            found = await self.find(replace(search, k=width))
            fitting = [unit for unit in found if search.allows(unit)]
            if len(fitting) >= search.k or len(found) < width:
                return fitting[: search.k]
            width *= _WIDER

    async def _more_allowed(self, search: Search, found: Sequence[Evidence]) -> list[Evidence]:
        """Other passages that match the filter, the nearest first.

        A method that reads no vectors embeds nothing here either: then they are in order of id.
        """
        held = set(passage_ids(found))
        names: Iterable[str]
        if "dense" in self.needs and search.index.has("dense"):
            names = passage_ids(await search.by("dense", k=search.k + len(held)))
            why = f"{_MATCHES}, by dense search"
        else:
            names, why = _in_order(search.allowed or frozenset()), _MATCHES
        score = min(0.0, *(unit["score"] for unit in found)) if found else 0.0
        others = islice((name for name in names if name not in held), search.k - len(held))
        return [Evidence(**passage_evidence(name, score), why=why) for name in others]


def _fewer_and_fewer(conditions: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All conditions, then all but the last, until each one alone."""
    sizes = range(len(conditions), 0, -1)
    return chain.from_iterable(combinations(conditions, size) for size in sizes)


def _joined(conditions: Iterable[str]) -> str:
    return shorten(" and ".join(conditions), _LONGEST)


def _size(unit: Evidence) -> int:
    """The passages of a unit; one that has texts of its own, such as a summary, is as one."""
    return 1 if "texts" in unit else len(unit["passages"])


def _in_order(names: Set[str]) -> Iterable[str]:
    """The ids of passages in their order."""
    from hopyard.indexes.arrays.passage_set import PassageSet

    return names if isinstance(names, PassageSet) else sorted(names)


SEARCHES: Final = Registry[SearchMethod](
    "search method",
    package="hopyard.indexes.searches",
    attribute="SEARCH",
    group="hopyard.searches",
)
"""Every method by name: those of `indexes.searches`, of installed packages, and registered."""
