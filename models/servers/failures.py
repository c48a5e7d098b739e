"""The meaning of a provider's exception: ask again, or give up.

The clients of the providers share no base class. Their exceptions carry an HTTP status, the error
object that the server sent, or the transport error behind them, and are judged in this order. The
table `RETRIES` says what is tried again; docs/reliability.md shows it with examples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from time import time
from typing import Any, Final

from pydantic import ValidationError


class Failure(StrEnum):
    """The kinds of failure that a call treats differently. The value names it in results."""

    TRANSIENT = "busy"
    TIMEOUT = "timeout"
    UNFINISHED = "unfinished"
    UNREADABLE = "unreadable"
    UNREACHABLE = "unreachable"
    DENIED = "denied"
    MISSING = "missing"
    TOO_LONG = "too long"
    FILTERED = "filtered"
    REFUSED = "refused"


RETRIES: Final[Mapping[Failure, int]] = {
    Failure.TRANSIENT: 4,
    Failure.UNFINISHED: 2,
    Failure.UNREADABLE: 2,
    Failure.TIMEOUT: 1,  # each costs the whole limit
}
"""How often a failed request is sent again; what is not named here is not sent again."""

_TRANSIENT_STATUS: Final = frozenset({408, 409, 425, 429, 499})
_LASTING_STATUS: Final = frozenset({501, 505})
"""Server errors that no second try changes. All others, as Cloudflare's 520 to 527, may pass."""
_UNREADABLE_STATUS: Final = range(200, 300)
_LONGEST_RETRY_AFTER: Final = 30.0
_UNREACHABLE: Final = frozenset(
    {"ConnectError", "UnsupportedProtocol", "InvalidURL", "ConnectionRefusedError"}
)
"""Exception classes by name: httpx, its fork httpx2 (OpenAI's) and others each have their own."""
_TRANSIENT: Final = frozenset(
    {
        *("TransportError", "ConnectionError", "ErrorReplyError"),
        *("APIConnectionError", "APIResponseValidationError"),
    }
)
_UNREADABLE: Final = (
    *(TypeError, LookupError, AttributeError, AssertionError),
    *(json.JSONDecodeError, UnicodeDecodeError, ValidationError),
)
"""Errors that the clients' classes raise for a reply that does not keep to their protocol."""

_TOO_LONG_CODES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
)
_TOO_LONG: Final = re.compile(
    r"context (?:length|window|size|limit)|maximum prompt length|model token limit"
    r"|(?:prompt|input|request|message)s? (?:is|are|was) too (?:long|large)"
    r"|(?:input|request|prompt(?: tokens?)?) too (?:long|large)|too many (?:input )?tokens"
    r"|(?:longer|larger|more) than (?:the )?(?:model's )?(?:context|window)"
    r"|max(?:imum)?[ _]model[ _]len|reduce the length|\bn_ctx\b"
    r"|exceeds? the maximum number of (?:input )?tokens|must have less than \d+ tokens"
    r"|`max_new_tokens` must be <=|range of input length|max message tokens|max_seq_len"
    r"|(?:prompt|输入|上下文)\D{0,12}(?:超长|超过|超出|过长|太长)",
    re.I,
)
"""How OpenAI, vLLM, llama.cpp, LM Studio, Anthropic, Groq, Mistral, Gemini, Bedrock, DashScope,
xAI, Moonshot, Volcengine, Baidu, Z.ai, TabbyAPI and text-generation-inference say it. Go's "context
deadline exceeded" is a timeout and has none of these words."""
_TOO_LARGE: Final = re.compile(r"request too large|too large for", re.I)
"""How a rate limit says that one request alone is above it. Other rate limits pass with time, also
if they speak of too many tokens or of the length of the prompt."""
_FILTERED: Final = re.compile(
    r"content[ _]?(?:filter|management policy|policy[ _]?violation)|ResponsibleAIPolicy", re.I
)
"""Gateways send the filter's error object as text within their own."""
_FILTER_CODES: Final = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
    }
)
_QUOTA_CODES: Final = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_too_low",
    }
)
_MISSING_CODES: Final = frozenset({"model_not_found"})
_PASSING: Final = re.compile(
    r"deadline exceeded|timed out|timeout|event loop is closed|no generation chunks", re.I
)
"""The last is LangChain's word for a stream without a piece, as while Ollama loads a model."""
WORDS: Final = ("message", "error", "error_msg", "msg", "detail")
"""Names that servers give to the words of an error."""
_DELAY: Final = re.compile(r"""["']retryDelay["']:\s*["'](\d+(?:\.\d+)?)s["']""")
"""How Gemini says in the error object when to try again; it sends no header."""


class UnfinishedReplyError(Exception):
    """The connection ended before the model had said that its reply was finished."""


class PromptCutError(Exception):
    """The server read only a part of the prompt, and said nothing."""


_OF_CLASS: Final[Mapping[str, Failure]] = {
    "UnfinishedReplyError": Failure.UNFINISHED,
    "PromptCutError": Failure.TOO_LONG,
    "ContentFilterFinishReasonError": Failure.FILTERED,  # OpenAI's client
}


@dataclass(frozen=True)
class ServerSaid:
    """A server's words about a failure.

    Attributes:
        status: HTTP status, or an error object's numeric code in its place; None if unknown.
        code: The error object's code or type, in lower case, if any.
        message: The error object's message, or the exception's text.
    """

    status: int | None
    code: str
    message: str


def server_said(error: BaseException) -> ServerSaid:
    """Read the status and the error object out of any client's exception.

    Some gateways send an error object with HTTP 200, in the body or as an event of a stream; the
    object's numeric code then counts as the status.
    """
    status = _status(error)
    for cause in causes_of(error):
        if (found := _error_object(cause)) is not None:
            codes = [found.get(name) for name in ("code", "type", "status")]
            words = [code.lower() for code in codes if isinstance(code, str) and not code.isdigit()]
            numbers = [int(str(code)) for code in codes if str(code).isdigit()]
            if status is None or status in _UNREADABLE_STATUS:
                status = next((number for number in numbers if 400 <= number < 600), status)
            message = next(filter(None, map(found.get, WORDS)), None) or str(cause)
            return ServerSaid(status, _most_exact(words), str(message))
    return ServerSaid(status, "", str(error))


def failed_output(error: BaseException) -> str | None:
    """The output that the server found unfit, as Groq sends it in an error; None if none."""
    objects = filter(None, map(_error_object, causes_of(error)))
    found = next((each for each in objects if "failed_generation" in each), None)
    return None if found is None else str(found["failed_generation"] or "")


def classify(error: BaseException) -> Failure:
    """Sort an exception of any provider's client: by what the server said, then by its class."""
    said = server_said(error)
    return _OF_CLASS.get(type(error).__name__) or _by_meaning(said) or _by_class(error, said)


def _by_meaning(said: ServerSaid) -> Failure | None:
    """The kind by error object and status; None if they do not tell."""
    words = _TOO_LARGE if said.status == 429 else _TOO_LONG
    too_long = said.code in _TOO_LONG_CODES or said.status == 413 or words.search(said.message)
    kinds = (
        (said.code in _FILTER_CODES or _FILTERED.search(said.message), Failure.FILTERED),
        (said.code in _QUOTA_CODES or said.status in {401, 402, 403}, Failure.DENIED),
        (too_long, Failure.TOO_LONG),
        (said.code in _MISSING_CODES or said.status == 404, Failure.MISSING),
        (_may_pass(said.status), Failure.TRANSIENT),
        (said.status is not None and said.status >= 400, Failure.REFUSED),
    )
    return next((kind for holds, kind in kinds if holds), None)


def _may_pass(status: int | None) -> bool:
    later = status is not None and status >= 500 and status not in _LASTING_STATUS
    return later or status in _TRANSIENT_STATUS


def _by_class(error: BaseException, said: ServerSaid) -> Failure:
    """The kind of an exception without a status that tells."""
    names = {kind.__name__ for cause in causes_of(error) for kind in type(cause).__mro__}
    passing = _PASSING.search(said.message)
    from_server = said.code or names & {"APIError", "ResponseError"}
    # OpenAI's client raises the plain class for pieces of a stream that it cannot join.
    unreadable = isinstance(error, _UNREADABLE) or type(error) is RuntimeError
    unreadable |= said.message.startswith("Unexpected response type")  # LangChain's, of a page
    kinds = (
        (isinstance(error, TimeoutError), Failure.TIMEOUT),
        # Unreachable first: Ollama's client wraps a refused connection in a plain ConnectionError.
        (names & _UNREACHABLE, Failure.UNREACHABLE),
        (names & _TRANSIENT or passing or from_server, Failure.TRANSIENT),
        (unreadable or said.status is not None, Failure.UNREADABLE),
    )
    return next((kind for holds, kind in kinds if holds), Failure.REFUSED)


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the server asks the client to wait, at most half a minute.

    `retry-after-ms` counts milliseconds, `Retry-After` seconds or a date (RFC 9110, 10.2.3);
    Gemini's error object has a `retryDelay`.
    """
    headers = _headers(error)
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, TypeError, ValueError):
            seconds = float(headers[name]) / unit
            return min(seconds, _LONGEST_RETRY_AFTER) if seconds >= 0 else None
    with suppress(KeyError, ValueError):
        seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - time()
        return min(seconds, _LONGEST_RETRY_AFTER) if seconds > 0 else None  # a clock that differs
    delay = _DELAY.search(str(getattr(error, "body", None) or error))
    return min(float(delay[1]), _LONGEST_RETRY_AFTER) if delay else None


def _headers(error: BaseException | None) -> Mapping[str, str]:
    for cause in causes_of(error) if error is not None else []:
        headers = getattr(getattr(cause, "response", None), "headers", None)
        if headers:
            return headers  # type: ignore[no-any-return]
    return {}


def _error_object(error: BaseException) -> Mapping[str, Any] | None:
    """The error object that the server sent, from where the client keeps it."""
    body = getattr(error, "body", None)
    if isinstance(body, list) and body:  # Gemini's endpoint for OpenAI's clients
        body = body[0]
    for candidate in (body, *map(_decoded, error.args)):
        if isinstance(candidate, Mapping):
            inner = candidate.get("error", candidate)
            if isinstance(inner, Mapping):
                return inner
            if isinstance(inner, str):
                return {**candidate, "message": inner}
    return None


def _decoded(text: Any) -> Any:
    """The object of an error that came as JSON text: Ollama passes on that of its engine so."""
    if not isinstance(text, str) or not text.startswith('{"'):
        return text
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    inner = found.get("error")
    return _decoded(inner) if isinstance(inner, str) and inner.startswith('{"') else found


def _most_exact(words: list[str]) -> str:
    """The word among code, type and status that names a meaning; else the first."""
    known = _TOO_LONG_CODES | _FILTER_CODES | _QUOTA_CODES | _MISSING_CODES
    return next((word for word in words if word in known), words[0] if words else "")


def _status(error: BaseException) -> int | None:
    for cause in causes_of(error):
        response = getattr(cause, "response", None)
        for holder in (cause, response):
            status = getattr(holder, "status_code", None)
            if isinstance(status, int) and status > 0:  # Ollama's client says -1 for a stream
                return status
    return None


def causes_of(error: BaseException) -> list[BaseException]:
    """An exception and the exceptions behind it, the outermost first."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes
