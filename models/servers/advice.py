"""Sentences for the user about a failed request: what failed, why, and what to do."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from hopyard.models.servers.failures import RETRIES, Failure, causes_of, classify, server_said
from hopyard.state.errors import CallFailedError, HopyardError, ModelUnreachableError
from hopyard.state.text.secrets import redact

_LONGEST_LINE: Final = 200
_STATUS_OF_ONE_CALL: Final = frozenset({None, 400, 413, 422, 451})
"""A refusal with one of these says nothing about other calls: bad request, too large,
unprocessable, filtered; None: the client could not read the reply."""
_OF_EVERY_CALL: Final = frozenset(
    {Failure.MISSING, Failure.UNREACHABLE, Failure.DENIED, Failure.TRANSIENT}
)
_SENTENCES: Final[Mapping[Failure, str]] = {
    Failure.TOO_LONG: (
        "The prompt is longer than the window of {name} ({words}); lower --set retrieval.k=5 or "
        "--set retrieval.snippet_tokens=300."
    ),
    Failure.FILTERED: (
        "The content filter of {name} stopped this call ({words}); ask in other words."
    ),
    Failure.UNFINISHED: (
        "The reply of {name} broke off before its end in {tries} tries; check the server or the "
        "gateway, then ask again."
    ),
    Failure.TIMEOUT: (
        "The model {name} did not answer in {timeout:g} s; raise the limit with --set timeout=300, "
        "or use a faster model."
    ),
    Failure.MISSING: "The model {name} was not found ({words}): {cure}.",
    Failure.UNREACHABLE: "The model {name} does not answer{place}: {cure}.",
    Failure.DENIED: "The model {name} refused access ({words}): {cure}.",
    Failure.TRANSIENT: (
        "The model {name} failed in {tries} tries ({words}); try again later, or ask less at once "
        "with --set concurrency=2."
    ),
    Failure.UNREADABLE: (
        "The server of {name} sent replies that are no answers ({words}); check that it speaks the "
        "provider's protocol."
    ),
    Failure.REFUSED: "The model {name} refused the request ({words}).",
}


def user_error(error: BaseException, name: str, cure: str, timeout: float) -> HopyardError:
    """The error for the user: the model, the server's words, and what to do.

    Args:
        error: The exception of the provider's client.
        cure: Advice about address and key (`ChatProvider.cure`). It is given only where one of
            them may be wrong.
        timeout: Seconds that the call was allowed to take.
    """
    failure, said = classify(error), server_said(error)
    if failure is Failure.DENIED and said.status not in {None, 401, 403}:
        cure = "see whether the account has credit left"
    status = f"HTTP {said.status}, " if said.status and said.status >= 400 else ""
    text = _SENTENCES[failure].format(
        name=name,
        cure=cure,
        timeout=timeout,
        words=f"{status}{first_line(said.message) or type(error).__name__}",
        place=unreachable_at(error),
        tries=RETRIES.get(failure, 0) + 1,
    )
    refused = failure is Failure.REFUSED and said.status not in _STATUS_OF_ONE_CALL
    if failure in _OF_EVERY_CALL or refused:
        return ModelUnreachableError(text, reason=failure.value)
    return CallFailedError(text, reason=failure.value)


def unreachable_at(error: BaseException) -> str:
    """The address of a server that was not found, and the reason, as far as they are known.

    As in ` at http://127.0.0.1:8000 (connection refused)`. The address has no path and no password.
    """
    causes = causes_of(error)
    address = next(filter(None, map(_address, causes)), "")
    reason = next(filter(None, map(_system_reason, reversed(causes))), "")
    return (f" at {address}" if address else "") + (f" ({reason})" if reason else "")


def _address(error: BaseException) -> str:
    """The address of an exception's request."""
    try:
        request: Any = getattr(error, "request", None)
        parts = urlsplit(str(getattr(request, "url", "")))
    except (RuntimeError, ValueError):  # httpx: the request was not set; or no address
        return ""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}" if parts.scheme and host else ""


def _system_reason(error: BaseException) -> str:
    """The operating system's reason, as in "connection refused"."""
    if isinstance(error, ssl.SSLError):
        return "certificate not accepted"
    if not isinstance(error, OSError):
        return ""
    # asyncio has words of its own for a refused connection; a name that was not found has no errno.
    number = error.errno or 0
    reason = os.strerror(number) if number > 0 else error.strerror or ""
    return f"{reason[:1].lower()}{reason[1:]}"


def first_line(error: BaseException | str | None) -> str:
    """An exception's message as part of a sentence, without secrets."""
    lines = redact(str(error)).strip().splitlines()
    if not lines:
        return "" if isinstance(error, str) else type(error).__name__
    return lines[0][:_LONGEST_LINE].rstrip(".: ")
