"""Events of a run: finished steps, and the answer while the model writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.types import Overwrite

from hopyard.models.calls.stream import PART_TYPE
from hopyard.state.schemas import Step
from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.markers import in_order, settled


@dataclass(frozen=True)
class Event:
    """A finished step of a running graph.

    Attributes:
        graph: The step's graph: "" for the agent, else the strategy.
        steps: The reasoning steps that it ended or changed.
    """

    graph: str
    node: str
    update: dict[str, Any]
    steps: Sequence[Step] = ()


@dataclass(frozen=True)
class Token(Event):
    """A piece of the answer while the model writes it, if requested.

    The texts since the last `restart` add up to the answer. Its markers are numbered as they
    appear, as citations mostly are; otherwise the answer comes again as a whole.

    Attributes:
        restart: Whether the earlier pieces are void, because the model tries again or failed.
    """

    text: str = ""
    restart: bool = False


def steps_in(graph: str, update: Mapping[str, Any]) -> Sequence[Step]:
    """The reasoning steps in a node's update.

    Args:
        graph: The strategy; "" for the agent itself.
    """
    written = {
        key: value.value if isinstance(value, Overwrite) else value for key, value in update.items()
    }
    if graph in STRATEGIES:
        return STRATEGIES[graph].steps_of(written)
    return written.get("steps") or ()


class Teller:
    """Turns the parts of LangGraph's stream into events.

    Args:
        tokens: Whether to give the answer in pieces, too. If no model call streamed the answer
            (after a fallback, or after a resume), it is given as a whole before the last step ends.
    """

    def __init__(self, *, tokens: bool) -> None:
        self._tokens = tokens
        self._written = ""
        self._told = ""

    @property
    def modes(self) -> list[Literal["tasks", "custom"]]:
        """The stream modes for LangGraph.

        The mode `updates` would show only the keys of a strategy's output, and no step before the
        last.
        """
        return ["tasks", "custom"] if self._tokens else ["tasks"]

    def events(self, part: Mapping[str, Any]) -> Iterator[Event]:
        """The events of one part of a stream in version v2, with its subgraphs."""
        graph = part["ns"][0].partition(":")[0] if part["ns"] else ""
        data = part["data"]
        if part["type"] == "custom":
            if isinstance(data, Mapping) and data.get("type") == PART_TYPE:
                yield self._token(graph, data["text"], restart=data["restart"])
            return
        if "result" not in data or data["error"] or data["interrupts"]:
            return  # it starts, failed, or waits; `Session.result` has the details
        node, update = data["name"], data["result"] or {}
        if self._tokens and not graph and node == "finish":
            yield from self._rest(str(update["messages"][-1].text))
        yield Event(graph, node, update, steps_in(graph, update))

    def _rest(self, answer: str) -> Iterator[Token]:
        if in_order(self._written).strip() != answer.strip():
            yield Token("", "", {}, (), answer, bool(self._told))
        elif rest := answer[len(self._told) :]:
            yield Token("", "", {}, (), rest)

    def _token(self, graph: str, text: str, *, restart: bool) -> Token:
        """The next piece, as far as later pieces cannot change it."""
        self._written = text if restart else self._written + text
        shown = in_order(settled(self._written))
        piece = shown if restart else shown[len(self._told) :]
        self._told = shown
        return Token(graph, "", {}, (), piece, restart)
