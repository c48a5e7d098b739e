"""The meaning of a provider's exception: retry, give up, or advise the user."""

from __future__ import annotations

import asyncio
import ssl
from enum import Enum
from typing import Any, Final
from urllib.parse import urlsplit

from hopyard.state.errors import (
    CallFailedError,
    HopyardError,
    ModelOutputError,
    ModelUnreachableError,
)
from hopyard.state.secrets import redact

__all__ = ("Failure", "classify", "first_line", "retry_after", "unreachable_at", "user_error")


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
"""A refusal with one of these says nothing about other calls: bad request, too large,
unprocessable, filtered; None: the client could not read the reply."""
_UNREACHABLE: Final = frozenset(
    {"ConnectError", "UnsupportedProtocol", "InvalidURL", "ConnectionRefusedError"}
)
"""Exception classes by name: httpx, its fork httpx2 (OpenAI's) and others each have their own."""
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


def user_error(error: Exception, name: str, cure: str, timeout: float) -> HopyardError:
    """The error for the user: the model, what went wrong, and what to do.

    Args:
        error: The exception of the provider's client.
        name: The model.
        cure: Advice for the user if it does not answer (`ChatProvider.cure`).
        timeout: Seconds that the call was allowed to take.
    """
    failure = classify(error)
    if failure is Failure.TOO_LONG:
        return ModelOutputError(
            f"The prompt is longer than the window of {name}; lower --set "
            "retrieval.k=5 or --set retrieval.snippet_tokens=300."
        )
    if failure is Failure.MISSING:
        return ModelUnreachableError(f"The model {name} was not found: {cure}.")
    if failure is Failure.UNREACHABLE:
        return ModelUnreachableError(
            f"The model {name} does not answer{unreachable_at(error)}: {cure}."
        )
    if isinstance(error, TimeoutError):
        return CallFailedError(
            f"The model {name} did not answer in {timeout:g} s: raise it with --set timeout=300, "
            f"or {cure}."
        )
    one_call = failure is Failure.REFUSED and _status(error) in _STATUS_OF_ONE_CALL
    kind = CallFailedError if one_call else ModelUnreachableError
    return kind(f"The model {name} failed ({first_line(error)}): {cure}.")


def unreachable_at(error: BaseException) -> str:
    """Where a server was looked for, and why it was not found; "" where neither is known.

    As in ` at http://127.0.0.1:8000 (connection refused)`. The address has no path and no password.
    """
    causes = _causes(error)
    urls = (str(getattr(_request(cause), "url", "")) for cause in causes)
    address = next(filter(None, map(_address, urls)), "")
    reason = next(filter(None, map(_system_reason, reversed(causes))), "")
    return (f" at {address}" if address else "") + (f" ({reason})" if reason else "")


def _request(error: BaseException) -> Any:
    try:
        return getattr(error, "request", None)
    except RuntimeError:  # httpx: the request was not set
        return None


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.scheme}://{host}{port}" if parts.scheme and host else ""


def _system_reason(error: BaseException) -> str:
    """What the operating system says, as in "connection refused"."""
    if isinstance(error, ssl.SSLError) or not isinstance(error, OSError) or not error.strerror:
        return "certificate not accepted" if isinstance(error, ssl.SSLError) else ""
    return f"{error.strerror[:1].lower()}{error.strerror[1:]}"


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the server asks the client to wait (`Retry-After`), at most half a minute."""
    response: Any = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    try:
        seconds = float(headers["retry-after"])
    except (KeyError, TypeError, ValueError):
        return None
    return min(seconds, _LONGEST_RETRY_AFTER) if seconds >= 0 else None


def first_line(error: BaseException | None) -> str:
    """An exception's message as part of a sentence, without secrets."""
    lines = redact(str(error)).strip().splitlines() or [type(error).__name__]
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
