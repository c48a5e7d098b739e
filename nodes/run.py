"""The resources of a step: the run's settings, its models and its index."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import Runtime

from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.named import name_in
from hopyard.indexes.nearness import nearness
from hopyard.indexes.search import SEARCHES, Search
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import learn_size
from hopyard.models.embedder import Vector
from hopyard.models.names import current_name
from hopyard.models.prompt import OutputT, Prompt
from hopyard.nodes.resources import RESOURCES_KEY, Resources, resources_in
from hopyard.state.errors import (
    BudgetExceededError,
    HopyardError,
    IndexMissingError,
    UsageError,
)
from hopyard.state.schemas import CUT, FINISHED, Evidence, Step, StrategyInput
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.settings.sources import read_context
from hopyard.state.text.unicode import storable_text
from hopyard.state.usage import Usage

__all__ = (
    "LONGEST_QUESTION",
    "RUN_DIGITS",
    "Run",
    "check_question",
    "close_run",
    "config_with",
    "config_with_default",
    "new_run_id",
    "run_of",
    "start_run",
    "with_endings",
)

LONGEST_QUESTION: Final = 4000
"""Maximum characters of a question. A longer text is a document."""

RUN_DIGITS: Final = 16
"""Hexadecimal digits of a run's name, which every task of a run carries."""


@dataclass(frozen=True)
class Run:
    """The run of one question through a strategy.

    Attributes:
        id: The name that its model calls are counted under.
        settings: The settings of the run.
        resources: The indexes and models of the process.
        problems: Errors that reduced the results of searches.
    """

    id: str
    settings: Context
    resources: Resources
    problems: list[HopyardError] = field(default_factory=list)

    @property
    def problem(self) -> str:
        """The errors that reduced the results of searches, or ""."""
        return " ".join(dict.fromkeys(map(str, self.problems)))

    @property
    def out_of_budget(self) -> bool:
        """Whether the budget caused one of the problems."""
        return any(isinstance(problem, BudgetExceededError) for problem in self.problems)

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
            prompt: The prompt; the run's profile decides on its wording.
            values: The values of the prompt's template.
            step: Id of the step that the call belongs to.
            final: Whether this is the closing call, for which the budget reserves a call. Its
                answer is streamed (`models.calls.stream`).
            stream: Whether to stream the answer of a call that may be the last.

        Raises:
            BudgetExceededError: The run's budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """
        caller, worded = await self.caller(), prompt.of(profile_of(self.settings))
        return await caller.call(
            worded, values, self.settings, self.id, final=final, stream=stream, step=step
        )

    async def index(self) -> Index:
        """Return the run's index.

        Raises:
            UsageError: The run names no index.
            IndexMissingError: The index is missing, damaged, or of another embedding model.
        """
        directory = _index_folder(self.settings)
        return await asyncio.to_thread(self.resources.index, directory, self.settings.embedding)

    async def check_index(self) -> None:
        """See that the index that the settings name, and their filter, can be used.

        The agent does so before anything is spent. Settings without an index are fine: not every
        question needs one.

        Raises:
            UsageError: The index is an address, or the filter names a field that no passage has.
            IndexMissingError: The index is missing, damaged, or of another embedding model.
        """
        if not self.settings.index:
            return
        await asyncio.to_thread(read_manifest, _index_folder(self.settings))
        if self.settings.where:
            await self.allowed()

    async def index_kinds(self) -> tuple[str, ...]:
        """The kinds that the index has; none where there is no index that can be read."""
        if not self.settings.index:
            return ()
        try:
            manifest = await asyncio.to_thread(read_manifest, Path(self.settings.index))
        except IndexMissingError:
            return ()  # a search will report it; a run without documents continues
        return manifest.kinds

    async def embed(self, text: str) -> Vector:
        """The embedding [d] of a question, by the model that made the index."""
        instructed = f"{(await self.index()).manifest.query_instruction}{text}"
        embedding = await self.embedding()
        return await asyncio.to_thread(self.resources.embed_query, instructed, embedding)

    async def embedding(self) -> str:
        """The name of the embedding model: with `auto` that of the index."""
        if self.settings.embedding != AUTO or not self.settings.index:
            return self.settings.embedding
        return current_name((await self.index()).manifest.embedding)

    async def nearness(self, text: str) -> Nearness:
        """How near the index's passages are to a text; unmeasured where the run has none.

        Raises:
            IndexMissingError: The index is missing, damaged, or of another embedding model.
        """
        if not self.settings.index:
            return UNMEASURED
        index = await self.index()
        vector = await self.embed(text) if index.has("dense") else None
        return await asyncio.to_thread(nearness, text, vector, index)

    async def name_in(self, text: str) -> str:
        """A name of the index's documents that a text holds; "" for none, or without an index.

        Raises:
            IndexMissingError: The index is missing, damaged, or of another embedding model.
        """
        if not self.settings.index:
            return ""
        index = await self.index()
        vector = await self.embed(text) if index.has("dense") else None
        return await asyncio.to_thread(name_in, text, vector, index)

    async def find(
        self,
        text: str,
        *,
        k: int | None = None,
        method: str = "",
        step: str = "",
        models: bool = True,
        without: Collection[str] = (),
    ) -> list[Evidence]:
        """Search. Errors that reduce the results are added to `problems`.

        Args:
            text: The text to search for.
            k: Units of evidence at most; the setting `retrieval.k` where it is not said.
            method: The search method; the setting `retrieval.method` where it is not said.
            step: Id of the step that the search belongs to.
            models: Whether the search may ask the chat model.
            without: Ids of evidence that is not to be found again.

        Raises:
            UsageError: There is no such method, the run names no index, or the filter names a
                field that no passage has.
            IndexMissingError: The index is missing, or lacks a kind that the method needs.
        """
        retrieval = self.settings.retrieval
        wanted = retrieval.k if k is None else k
        search = await self.search(text, k=wanted + len(without), step=step, models=models)
        if search.allowed is not None and not search.allowed:
            conditions = " and ".join(self.settings.where)
            self.problems.append(UsageError(f"No passage of the index matches {conditions}."))
            return []
        found = await SEARCHES[method or retrieval.method].run(search)
        return [unit for unit in found if unit["id"] not in without][:wanted]

    async def search(
        self, text: str, *, k: int | None = None, step: str = "", models: bool = True
    ) -> Search:
        """A search that a method can run; see `find`.

        Raises:
            UsageError: The run names no index, or the filter names a field that no passage has.
            IndexMissingError: The index is missing.
        """

        async def call(
            prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = step
        ) -> OutputT:
            return await self.call(prompt, values, step=step)

        return Search(
            text=text,
            k=self.settings.retrieval.k if k is None else k,
            index=await self.index(),
            settings=self.settings,
            embed=self.embed,
            call=call if models else None,
            kept=self.resources.kept,
            report=self.problems.append,
            allowed=await self.allowed(),
        )

    async def allowed(self) -> frozenset[str] | None:
        """The ids of the passages that may be found; None where the settings have no filter.

        Raises:
            UsageError: The filter names a field that no passage has.
        """
        index = await self.index()
        return await asyncio.to_thread(index.allowed, self.settings.where)

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


def _index_folder(settings: Context) -> Path:
    if not settings.index:
        raise UsageError("No index is given; name one with --index DIR or HOPYARD_INDEX.")
    if "://" in settings.index:
        raise UsageError(
            f"The index {settings.index!r} is an address, but this version of Hopyard opens only "
            f"folders; name the folder that `hopyard index build` wrote."
        )
    return Path(settings.index)


async def run_of(state: Mapping[str, Any], runtime: Runtime[Context]) -> Run:
    """The run that a step belongs to."""
    configurable = get_config().get("configurable", {})
    settings: Any = runtime.context
    if not isinstance(settings, Context):  # none, or that of a graph around this one
        settings = await asyncio.to_thread(read_context, {})
    if settings.profile == AUTO:
        await asyncio.to_thread(learn_size, settings.model)
    return Run(state.get("run", ""), settings, await resources_in(configurable))


def config_with(resources: Resources, config: RunnableConfig | None = None) -> RunnableConfig:
    """A configuration whose run uses these resources."""
    given = config or RunnableConfig()
    return {**given, "configurable": {**given.get("configurable", {}), RESOURCES_KEY: resources}}


def config_with_default(
    resources: Resources, config: RunnableConfig | None = None
) -> RunnableConfig:
    """A configuration whose run uses its own resources, or these if it has none."""
    given = (config or {}).get("configurable", {})
    return (
        (config or RunnableConfig()) if RESOURCES_KEY in given else config_with(resources, config)
    )


def new_run_id() -> str:
    """A name under which one question's usage is counted."""
    return uuid4().hex[:RUN_DIGITS]


def check_question(question: object) -> str:
    """The question without white space around it.

    Raises:
        UsageError: It is missing, empty, no text, or far too long.
    """
    if not isinstance(question, str) or not question.strip():
        raise UsageError('The question is empty; write one, as in "Who discovered Pluto?".')
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"The question has {len(question)} characters, and at most {LONGEST_QUESTION} are "
            f"allowed; put long texts into the index and ask about them."
        )
    return storable_text(question).strip()


async def start_run(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """A strategy's first step: check the question, and start the clock of the run."""
    run = replace(await run_of(state, runtime), id=state.get("run") or new_run_id())
    await run.usage()
    return {"question": check_question(state.get("question")), "run": run.id, "truncated": False}


async def close_run(run: Run, update: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a strategy's last update: what its run spent, and how its calls ended.

    The run's name is let go, so that the next question on the same thread is a run of its own.

    Args:
        run: The run.
        update: The last update, with all `steps`. The last of them gives the answer.
    """
    steps = await with_endings(run, update["steps"])
    endings = [step.get("ending", FINISHED) for step in steps]
    closed = {**update, "steps": steps, "usage": await run.usage(), "run": ""}
    closed["ending"] = endings[-1] if endings else FINISHED
    return closed | ({"truncated": True} if CUT in endings else {})


async def with_endings(run: Run, steps: Sequence[Step]) -> list[Step]:
    """The steps; those with a call that is not finished say how it ended."""
    caller = await run.caller()
    endings = (await asyncio.to_thread(caller.meter, run.id)).endings()
    return [
        {**step, "ending": endings[step["id"]]} if step["id"] in endings else step for step in steps
    ]
