"""Log lines of nodes and model calls: names, counts and seconds.

They contain no question, no passage, no answer and no key.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp

from hopyard.models.ledger import Entry

logger = logging.getLogger("hopyard")

_STEP_TAG: Final = "graph:step:"
"""LangGraph tags the run of a node with it, and nothing that runs inside a node."""


def current_node() -> str:
    """The node that is running; "" outside a graph."""
    try:
        return str((get_config().get("metadata") or {}).get("langgraph_node", ""))
    except RuntimeError:
        return ""


def log_call(entry: Entry, *, cached: bool) -> None:
    """Log one line for a model call that has ended."""
    node = current_node()
    where = f"{node}: " if node else ""
    if cached:
        logger.info("%s%s/%d answered by the ledger", where, entry.prompt, entry.version)
        return
    again = f", attempt {entry.attempt + 1}" if entry.attempt else ""
    logger.info(
        "%s%s/%d by %s: %s, %.2f s, %s%s",
        where,
        entry.prompt,
        entry.version,
        entry.model,
        f"{entry.input_tokens} tokens in, {entry.output_tokens} out",
        entry.seconds,
        entry.outcome,
        again,
    )


class NodeWatch(AsyncCallbackHandler):
    """Logs the end of every node.

    A LangChain callback. `Session` adds it to every run; a program that calls a graph itself can
    add it with `config={"callbacks": [NodeWatch()]}`.
    """

    run_inline = True

    def __init__(self) -> None:
        self._started: dict[UUID, tuple[str, float]] = {}

    async def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node starts, or something inside a node."""
        del serialized, inputs
        node = (metadata or {}).get("langgraph_node", "")
        is_node = any(tag.startswith(_STEP_TAG) for tag in tags or [])
        if is_node and kwargs.get("name") == node:
            self._started[run_id] = (node, monotonic())

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has ended."""
        del outputs, kwargs
        self._end(run_id, "ended")

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has failed, or waits for a person."""
        del kwargs
        waits = isinstance(error, GraphBubbleUp)
        self._end(run_id, "waits" if waits else f"failed ({type(error).__name__})")

    def _end(self, run_id: UUID, how: str) -> None:
        if run_id in self._started:
            node, began = self._started.pop(run_id)
            logger.info("node %s %s after %.2f s", node, how, monotonic() - began)
