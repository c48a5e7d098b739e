"""The conversation as later turns need it: its text, and what its answers were read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from hopyard.prompts.passages import one_line, snippet
from hopyard.state.agent import LastAnswer
from hopyard.state.schemas import Citation

TURNS_SHOWN: Final = 6
"""Messages of the conversation that a follow-up question is read with."""
LONGEST_MESSAGE: Final = 1500
"""Characters of each that a capable model is shown: its answers may be pages long."""
_KEY: Final = "hopyard"


class _Support(TypedDict):
    citations: list[Citation]
    unconfirmed: str


_SUPPORT: Final = TypeAdapter(_Support)


def answer_message(
    answer: str, citations: list[Citation], unconfirmed: str, name: str | None = None
) -> AIMessage:
    """The answer as a message that keeps its citations: a later turn may act on it.

    They are in `response_metadata`, which checkpoints keep, callers give back with `messages`, and
    no chat model is sent.

    Args:
        unconfirmed: The part that the documents do not confirm.
        name: The message's id; None leaves it to LangGraph.
    """
    if not citations and not unconfirmed:
        return AIMessage(answer, id=name)
    support = _Support(citations=citations, unconfirmed=unconfirmed)
    return AIMessage(answer, id=name, response_metadata={_KEY: support})


def last_answer(history: Sequence[AnyMessage], question: str) -> LastAnswer | None:
    """The answer that the conversation ends with; None where it ends with none.

    Args:
        history: The conversation before this turn.
        question: This turn's message, made to stand alone.
    """
    if not history or not isinstance(history[-1], AIMessage) or not history[-1].text.strip():
        return None
    support = _support(history[-1].response_metadata.get(_KEY))
    return LastAnswer(
        text=history[-1].text,
        citations=support["citations"],
        unconfirmed=support["unconfirmed"],
        question=question,
    )


def conversation_lines(history: Sequence[AnyMessage], longest: int | None = None) -> str:
    """The end of a conversation, each message on a line of its own.

    Args:
        longest: Characters of a message at most; None shows each whole.
    """
    return "\n".join(
        f"{'Assistant' if isinstance(message, AIMessage) else 'User'}: "
        + one_line(message.text if longest is None else snippet(message.text, longest))
        for message in history[-TURNS_SHOWN:]
    )


def _support(given: Any) -> _Support:
    """The message's metadata. A caller that passes `messages` may have changed them."""
    try:
        return _SUPPORT.validate_python(given)
    except ValidationError:
        return _Support(citations=[], unconfirmed="")
