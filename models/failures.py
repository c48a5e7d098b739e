"""What a provider's exception means: try again, give up, or ask the user to do something."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Any, Final

from hopyard.state.secrets import redacted

__all__ = ("Failure", "classify", "concerns_one_call", "first_line", "retry_after")


class Failure(Enum):
    """The kinds of failure that a call treats differently."""

    TRANSIENT = "transient"
    UNREACHABLE = "unreachable"
    MISSING = "missing"
    TOO_LONG = "too long"
    REFUSED = "refused"


_TRANSIENT_STATUS: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_RETRY_AFTER: Final = 30.0
_LONGEST_LINE: Final = 200
_STATUS_OF_ONE_CALL: Final = frozenset({None, 400, 413, 422, 451})
"""Bad request, too large, unprocessable, filtered; None: the client could not read the reply."""
_UNREACHABLE: Final = frozenset(
    {"ConnectError", "UnsupportedProtocol", "InvalidURL", "ConnectionRefusedError"}
)
"""Exception classes by name: httpx, its fork httpx2 (OpenAI's) and others have each their own."""
_TRANSIENT: Final = frozenset({"TransportError", "ConnectionError", "APIConnectionError"})


def classify(error: BaseException) -> Failure:
    """Sort an exception of any provider's client.

    The clients share no base class, but they carry an HTTP status or wrap a transport error.
    """
    text = str(error).lower()
    status = _status(error)
    if status == 404:
        return Failure.MISSING
    if "context" in text and ("exceed" in text or "too long" in text or "length" in text):
        return Failure.TOO_LONG
    if status in _TRANSIENT_STATUS or isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return Failure.TRANSIENT
    kinds = {kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__}
    # Unreachable first: Ollama's client wraps a refused connection in a plain ConnectionError.
    if kinds & _UNREACHABLE:
        return Failure.UNREACHABLE
    return Failure.TRANSIENT if kinds & _TRANSIENT else Failure.REFUSED


def concerns_one_call(error: BaseException) -> bool:
    """Whether a refusal says nothing about other calls: of what was sent, or of what came back."""
    return _status(error) in _STATUS_OF_ONE_CALL


def retry_after(error: BaseException) -> float | None:
    """Seconds that the server asks to wait (`Retry-After`), at most half a minute."""
    response: Any = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    try:
        seconds = float(headers["retry-after"])
    except (KeyError, TypeError, ValueError):
        return None
    return min(seconds, _LONGEST_RETRY_AFTER) if seconds >= 0 else None


def first_line(error: BaseException | None) -> str:
    """What an exception says, as a part of a sentence."""
    lines = redacted(str(error)).strip().splitlines() or [type(error).__name__]
    return lines[0][:_LONGEST_LINE].rstrip(".: ")


def _status(error: BaseException) -> int | None:
    for cause in _causes(error):
        for value in (
            getattr(cause, "status_code", None),
            getattr(getattr(cause, "response", None), "status_code", None),
        ):
            if isinstance(value, int):
                return value
    return None


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes
