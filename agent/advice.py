"""Errors as an agent reads them: with advice that it can follow, and what was found before.

Hopyard's errors advise flags, variables and commands of a shell, which an agent and the person
behind an MCP client may not have. Such advice is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackManager, Callbacks
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config

from hopyard.agent.events import steps_in
from hopyard.nodes.citations import is_unknown
from hopyard.prompts.passages import one_line
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Step
from hopyard.state.strategy import STRATEGIES

Advice = Sequence[tuple[type[HopyardError], str]]
"""Advice that a caller can follow, by the type of the error. The first that fits counts."""

PROGRAM: Final[Advice] = ((HopyardError, "whoever runs this program can change that"),)
"""The advice for the agent that calls a tool or a sub-agent."""

_SHELL: Final = re.compile(
    r"`[^`]*\bhopyard\b|(?<![\w-])--[a-z]|\bpip install\b|\bHOPYARD_[A-Z]|\bhopyard\.toml\b"
)
_ENDS: Final = ":;.?"


def advises_shell(text: str) -> bool:
    """Whether a text names a command, a flag, a variable or the settings file."""
    return _SHELL.search(text) is not None


def with_advice(error: HopyardError, advice: Advice) -> str:
    """The error in one sentence; advice for a shell is replaced by the caller's."""
    problem = without_shell_advice(str(error))
    if problem == str(error) or str(error)[len(problem) :].startswith(" see `"):
        return problem
    instead = next(text for kind, text in advice if isinstance(error, kind))
    return f"{problem.removesuffix('.')}; {instead}."


def without_shell_advice(text: str) -> str:
    """The text up to the clause that advises something of a shell. Its first clause stays."""
    kept = ""
    for clause in _clauses(text):
        if kept and advises_shell(clause):
            return f"{kept.rstrip(_ENDS)}."
        kept = f"{kept} {clause}".lstrip()
    return kept


def _clauses(text: str) -> Iterator[str]:
    """The clauses, each with the sign that ends it. Signs within parentheses end none."""
    start = depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign in _ENDS and depth <= 0 and text[place + 1 : place + 2] == " ":
            yield text[start : place + 1]
            start = place + 2
    yield text[start:]


_MOST_FOUND: Final = 8
"""Findings that an error names: a model reads them as part of a tool's answer."""
_NO_FINDING: Final = frozenset({"check", "gate", "revise", "rewrite", "route"})
"""Kinds of steps whose answer is not from the documents."""


@contextmanager
def keep_found(config: RunnableConfig) -> Iterator[RunnableConfig]:
    """Give the error that ends a run the steps that had ended before.

    Yields:
        The configuration to run with.

    Raises:
        HopyardError: The run's error, with its `steps`.
    """
    found = _Found()
    try:
        yield {**config, "callbacks": _with_handler(config, found)}
    except HopyardError as error:
        error.steps = list(found.steps.values())
        raise


def failure_text(error: HopyardError, advice: Advice = PROGRAM) -> str:
    """An error for an agent to read: the sentence, its kind, and what was found before."""
    lines = [with_advice(error, advice)]
    if error.reason:
        lines.append(f"Kind of failure: {error.reason}.")
    told = [
        f"- {one_line(step.get('question') or step.get('title', ''))}: {one_line(step['answer'])}"
        for step in error.steps
        if step["kind"] not in _NO_FINDING and not is_unknown(step.get("answer", ""))
    ]
    if told:
        lines += ["Found before it failed:", *told[:_MOST_FOUND]]
    return "\n".join(lines)


def _with_handler(config: RunnableConfig, found: _Found) -> Callbacks:
    """The callbacks of a configuration, or of the run around it, and one more."""
    given = ensure_config(config).get("callbacks")
    if isinstance(given, BaseCallbackManager):
        manager = given.copy()
        manager.add_handler(found, inherit=True)
        return manager
    return [*(given or ()), found]


class _Found(AsyncCallbackHandler):
    """Collects the steps of the nodes that end. A later version of a step replaces an earlier one.

    A callback hears of the nodes in every graph around and below, however the run is started.
    """

    run_inline = True

    def __init__(self) -> None:
        self.steps: dict[str, Step] = {}
        self._graphs: dict[UUID, str] = {}

    async def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node starts, or something else."""
        del serialized, inputs
        known = metadata or {}
        if kwargs.get("name") != known.get("langgraph_node"):
            return
        places = str(known.get("langgraph_checkpoint_ns", "")).split("|")[:-1]
        names = [place.partition(":")[0] for place in reversed(places)]
        self._graphs[run_id] = next((name for name in names if name in STRATEGIES), "")

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has ended."""
        del kwargs
        graph = self._graphs.pop(run_id, None)
        if graph is not None and isinstance(outputs, Mapping):
            self.steps |= {step["id"]: step for step in steps_in(graph, outputs)}
