"""Log lines and OpenTelemetry spans of nodes and model calls.

Lines and spans contain names, counts and seconds: no question, no passage, no answer, no key.

Spans need OpenTelemetry's API (`pip install hopyard[otel]`). The program's own tracer provider
decides where they go; without a provider they cost nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp

from hopyard.models.ledger import Entry

try:
    from opentelemetry import trace
except ImportError:  # the extra `otel` is not installed: log lines alone
    trace = None  # type: ignore[assignment]

logger = logging.getLogger("hopyard")

_TRACER: Final = "hopyard"
_STEP_TAG: Final = "graph:step:"
"""LangGraph tags the run of a node with it, and nothing that runs inside a node."""

_open_spans: Final[dict[UUID, Any]] = {}
"""Spans of the running nodes, by LangChain's run id. A model call finds its node's span here."""


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


class CallSpan:
    """The span of a model call; does nothing if OpenTelemetry is not installed."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def end(self, entry: Entry, *, cached: bool) -> None:
        """Record what the call cost: nothing, if the ledger answered it."""
        if self._span is None:
            return
        self._span.set_attributes(
            {
                "hopyard.cached": cached,
                "hopyard.outcome": entry.outcome,
                "gen_ai.usage.input_tokens": 0 if cached else entry.input_tokens,
                "gen_ai.usage.output_tokens": 0 if cached else entry.output_tokens,
            }
        )


@contextmanager
def call_span(prompt: str, model: str, attempt: int) -> Iterator[CallSpan]:
    """The span of an attempt at a model call, below its node's span."""
    if trace is None:
        yield CallSpan(None)
        return
    attributes: dict[str, str | int] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "hopyard.prompt": prompt,
        "hopyard.attempt": attempt + 1,
    }
    with trace.get_tracer(_TRACER).start_as_current_span(
        f"chat {prompt}",
        context=_under(_running()),
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
    ) as span:
        yield CallSpan(span)


class NodeWatch(AsyncCallbackHandler):
    """Logs the end of every node and makes its span.

    A LangChain callback. `Session` adds it to every run; a program that calls a graph itself can
    add it with `config={"callbacks": [NodeWatch()]}`.
    """

    run_inline = True

    def __init__(self) -> None:
        self._started: dict[UUID, tuple[str, float]] = {}
        self._parents: dict[UUID, UUID | None] = {}

    async def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node starts, or something inside a node, which is only noted as its child."""
        del serialized, inputs
        self._parents[run_id] = parent_run_id
        node = (metadata or {}).get("langgraph_node", "")
        is_node = any(tag.startswith(_STEP_TAG) for tag in tags or [])
        if not is_node or kwargs.get("name") != node:
            return
        self._started[run_id] = (node, monotonic())
        if trace is not None:
            _open_spans[run_id] = trace.get_tracer(_TRACER).start_span(
                f"node {node}",
                context=_under(self._above(parent_run_id)),
                attributes={"hopyard.node": node},
            )

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has ended."""
        del outputs, kwargs
        self._end(run_id, "ended", None)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has failed, or waits for a person."""
        del kwargs
        if isinstance(error, GraphBubbleUp):
            self._end(run_id, "waits", None)
        else:
            self._end(run_id, f"failed ({type(error).__name__})", error)

    def _end(self, run_id: UUID, how: str, error: BaseException | None) -> None:
        self._parents.pop(run_id, None)
        if run_id in self._started:
            node, began = self._started.pop(run_id)
            logger.info("node %s %s after %.2f s", node, how, monotonic() - began)
            _close(run_id, error)

    def _above(self, run_id: UUID | None) -> Any:
        """The span of the nearest node around a run."""
        while run_id is not None and run_id not in _open_spans:
            run_id = self._parents.get(run_id)
        return _open_spans.get(run_id) if run_id is not None else None


def _close(run_id: UUID, error: BaseException | None) -> None:
    span = _open_spans.pop(run_id, None)
    if span is None:
        return
    if error is not None:
        # The type alone: a message may quote a question or a passage.
        span.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
    span.end()


def _running() -> Any:
    """The span of the running node, if it has one."""
    try:
        callbacks: Any = get_config().get("callbacks")
    except RuntimeError:
        return None
    run_id: UUID | None = getattr(callbacks, "parent_run_id", None)
    return _open_spans.get(run_id) if run_id is not None else None


def _under(span: Any) -> Any:
    """The context of a span, or None, which means the current context."""
    return trace.set_span_in_context(span) if span is not None else None
