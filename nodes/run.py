"""The run that a step belongs to: its settings, its model calls, its searches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from langgraph.config import get_config
from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES, Search
from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import learn_size
from hopyard.models.embedder import Vector
from hopyard.models.names import embedding_name
from hopyard.models.prompt import OutputT, Prompt
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.resources import Resources, resources_in
from hopyard.state.errors import BudgetExceededError, HopyardError, IndexMissingError, UsageError
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.settings.index_address import is_address
from hopyard.state.settings.rights import group_names
from hopyard.state.settings.sources import read_context
from hopyard.state.usage import Usage

AUTH_USER: Final = "langgraph_auth_user"
"""Where LangGraph's server puts the user that it has authenticated: no client can overwrite it."""


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes:
        evidence: The units, the best first.
        problems: Errors that reduced the result.
    """

    evidence: list[Evidence]
    problems: Sequence[HopyardError] = ()

    @property
    def reason(self) -> str:
        """Why the search found less than it should, or ""."""
        return " ".join(dict.fromkeys(map(str, self.problems)))

    @property
    def truncated(self) -> bool:
        """Whether the budget is one of the reasons."""
        return any(isinstance(problem, BudgetExceededError) for problem in self.problems)


@dataclass(frozen=True)
class Run:
    """The run of one question through a strategy.

    Attributes:
        id: The name that its model calls are counted under.
    """

    id: str
    settings: Context
    resources: Resources

    def with_settings(self, **changes: Any) -> Run:
        """Return the run with other settings, as in `run.with_settings(temperature=0.1)`."""
        return replace(self, settings=self.settings.model_copy(update=changes))

    async def caller(self) -> ModelCaller:
        """Return the run's chat model."""
        return await asyncio.to_thread(self.resources.caller, self.settings.model)

    async def call(
        self,
        prompt: Prompt[OutputT],
        values: Mapping[str, str],
        *,
        step: str = "",
        final: bool = False,
        stream: bool = False,
    ) -> OutputT:
        """Call the chat model.

        Args:
            prompt: The prompt; the run's model decides on its wording.
            step: Id of the step that the call belongs to.
            final: Whether this is the closing call, for which the budget reserves a call. Its
                answer is streamed (`models.calls.stream`).
            stream: Whether to stream the answer of a call that may be the last.

        Raises:
            BudgetExceededError: The run's budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """
        caller, worded = await self.caller(), prompt.for_model(self.settings)
        return await caller.call(
            worded, values, self.settings, self.id, final=final, stream=stream, step=step
        )

    async def try_call(
        self,
        prompt: Prompt[OutputT],
        values: Mapping[str, str],
        *,
        step: str = "",
        final: bool = False,
    ) -> Attempt[OutputT]:
        """Call the chat model as `call` does; the attempt says what a call without output means.

        Raises:
            ModelUnreachableError: The model does not answer.
        """
        return await attempted(self.call(prompt, values, step=step, final=final))

    async def index(self) -> Index:
        """Return the run's index: the part of it that the caller may read.

        Raises:
            UsageError: The run names no index.
            IndexMissingError: The index is missing, damaged, or of another embedding model.
        """
        return await asyncio.to_thread(self._index, index_name(self.settings))

    def _index(self, name: str) -> Index:
        whole = self.resources.index(name, self.settings.embedding)
        return whole.readable_by(self.settings.groups)

    async def reader(self, kind: str, needed_by: str = "") -> Any:
        """The reader of an index kind; see `Index.reader`."""
        return await asyncio.to_thread((await self.index()).reader, kind, needed_by)

    async def embed(self, text: str) -> Vector:
        """The embedding [d] of a question, by the model that made the index."""
        return await self._embed((await self.index()).manifest.query_instruction, text)

    async def embed_alike(self, text: str) -> Vector:
        """The embedding [d] of a text, as the index's own texts are embedded."""
        return await self._embed((await self.index()).manifest.passage_instruction, text)

    async def _embed(self, instruction: str, text: str) -> Vector:
        embedding, instructed = await self.embedding(), f"{instruction}{text}"
        return await asyncio.to_thread(self.resources.embed_query, instructed, embedding)

    async def embedding(self) -> str:
        """The name of the embedding model: with `auto` that of the index."""
        if self.settings.embedding != AUTO or not self.settings.index:
            return embedding_name(self.settings.embedding)
        return embedding_name((await self.index()).manifest.embedding)

    async def find(
        self, text: str, *, k: int | None = None, method: str = "", step: str = ""
    ) -> list[Evidence]:
        """The evidence of `try_find`, without what reduced it."""
        return (await self.try_find(text, k=k, method=method, step=step)).evidence

    async def try_find(
        self,
        text: str,
        *,
        k: int | None = None,
        method: str = "",
        step: str = "",
        models: bool = True,
        without: Collection[str] = (),
    ) -> Found:
        """Search. Errors that only reduce the result come with it.

        Args:
            k: Units of evidence at most; the setting `retrieval.k` if it is not given.
            method: The search method; the setting `retrieval.method` if it is not given.
            step: Id of the step that the search belongs to.
            models: Whether the search may ask the chat model.
            without: Ids of evidence that is not to be found again.

        Raises:
            UsageError: There is no such method, the run names no index, or the filter names a
                field that no passage has.
            IndexMissingError: The index is missing, or lacks a kind that the method needs.
        """
        retrieval, problems = self.settings.retrieval, list[HopyardError]()
        wanted = retrieval.k if k is None else k
        search = await self.search(
            text, k=wanted + len(without), step=step, models=models, report=problems.append
        )
        if search.allowed is not None and not search.allowed:
            return Found([], [UsageError(_nothing_allowed(self.settings))])
        found = await SEARCHES[method or retrieval.method].run(search)
        evidence = [unit for unit in found if unit["id"] not in without][:wanted]
        return Found(evidence, problems)

    async def search(
        self,
        text: str,
        *,
        k: int | None = None,
        step: str = "",
        models: bool = True,
        report: Callable[[HopyardError], None] = lambda _: None,
    ) -> Search:
        """A search that a method can run; see `try_find`.

        Args:
            report: Told each error that reduces the result.
        """

        async def call(
            prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = step
        ) -> OutputT:
            return await self.call(prompt, values, step=step)

        index = await self.index()
        return Search(
            text=text,
            k=self.settings.retrieval.k if k is None else k,
            index=index,
            settings=self.settings,
            embed=self.embed,
            embed_alike=self.embed_alike,
            call=call if models else None,
            kept=self.resources.kept,
            report=report,
            # Of this very index: a build may end meanwhile.
            allowed=await asyncio.to_thread(index.allowed, self.settings.where),
        )

    async def allowed(self) -> Set[str] | None:
        """The ids of the passages that may be found; None where all may.

        Raises:
            UsageError: The filter names a field that no passage has.
        """
        index = await self.index()
        return await asyncio.to_thread(index.allowed, self.settings.where)

    async def filter_note(self) -> str:
        """A sentence about the documents that the filter leaves out for want of a date, or ""."""
        if not self.settings.where or not self.settings.index:
            return ""
        index = await self.index()
        return await asyncio.to_thread(index.undated_note, self.settings.where)

    async def passages(self, passage_ids: Sequence[str]) -> list[Passage]:
        """The passages of those ids, in that order.

        Raises:
            IndexMissingError: A passage has left the corpus since it was found.
        """
        index = await self.index()
        return await asyncio.to_thread(index.passages, passage_ids)

    async def existing(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """Those of some passages that the index has by now, by their ids."""
        if not passage_ids or not self.settings.index:
            return {}
        try:
            index = await self.index()
            return await asyncio.to_thread(index.corpus.existing, passage_ids)
        except IndexMissingError:
            return {}

    async def usage(self) -> Usage:
        """Return the calls, tokens and seconds of the run so far."""
        caller = await self.caller()
        return (await asyncio.to_thread(caller.meter, self.id)).usage


def _nothing_allowed(settings: Context) -> str:
    if not settings.where:
        return f"No document of the index is readable by the groups {settings.groups}."
    return f"No passage of the index matches {' and '.join(settings.where)}."


def index_name(settings: Context) -> str:
    """The index that the settings name.

    Raises:
        UsageError: They name none, or an address of another kind.
    """
    if not settings.index:
        raise UsageError("No index is given; name one with --index DIR or HOPYARD_INDEX.")
    if "://" in settings.index and not is_address(settings.index):
        raise UsageError(
            f"The index {settings.index!r} is an address that Hopyard does not know; name a folder "
            "or postgresql://USER@HOST/DATABASE?index=NAME."
        )
    return settings.index


def _of_user(settings: Context, user: Any) -> Context:
    """The settings of a server's user: who pays, and the groups, if its authentication has any."""
    known = user if isinstance(user, Mapping) else user.dict()
    person = {"person": str(known.get("identity") or "")}
    changes: dict[str, Any] = {"budget": settings.budget.model_copy(update=person)}
    if "groups" in known:
        changes["groups"] = group_names(known["groups"])
    return settings.model_copy(update=changes)


async def run_of(state: Mapping[str, Any], runtime: Runtime[Context]) -> Run:
    """The run that a step belongs to."""
    configurable = get_config().get("configurable", {})
    settings: Any = runtime.context
    if not isinstance(settings, Context):  # none, or that of a graph around this one
        settings = await asyncio.to_thread(read_context, {})
    if user := configurable.get(AUTH_USER):
        settings = _of_user(settings, user)
    if settings.profile == AUTO:
        await asyncio.to_thread(learn_size, settings.model)
    return Run(state.get("run", ""), settings, await resources_in(configurable))
