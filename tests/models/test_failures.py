"""Which exception means what, for the clients of the providers that are installed."""

from __future__ import annotations

import asyncio
import json
import socket
import sys

import httpx
import ollama
import openai
import pytest

from hopyard.models.chat import Sampling, chat_provider
from hopyard.models.embeddings import embedder
from hopyard.models.servers.advice import unreachable_at, user_error
from hopyard.models.servers.failures import Failure, UnfinishedReplyError, classify, retry_after
from hopyard.state.errors import ModelUnreachableError, UsageError

openai_httpx = sys.modules[openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]]
"""httpx, or the fork of it that OpenAI's client uses since its version 3."""
REQUEST = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")


def status(code: int, text: str = "no", **headers: str) -> openai.APIStatusError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx.Response(code, request=REQUEST, headers=named)
    return openai.APIStatusError(text, response=response, body=None)


def said(number: int, **error: str) -> openai.APIStatusError:
    """An error with the server's error object, as OpenAI's client keeps it."""
    response = httpx.Response(number, request=REQUEST)
    return openai.APIStatusError(error.get("message", "no"), response=response, body=error)


RETRY_IN_39_S = "{'@type': 'type.googleapis.com/google.rpc.RetryInfo', 'retryDelay': '39.25s'}"
"""Gemini's, which sends no header."""


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        *((status(code), Failure.TRANSIENT) for code in (408, 409, 425, 429, 499, 500, 502, 503)),
        *((status(code), Failure.TRANSIENT) for code in (504, 520, 524, 529)),
        *((status(code), Failure.REFUSED) for code in (400, 422, 501)),
        *((status(code), Failure.DENIED) for code in (401, 402, 403)),
        (status(404), Failure.MISSING),
        (status(413), Failure.TOO_LONG),
        (said(400, message="This model's maximum prompt length is 131072"), Failure.TOO_LONG),
        (said(400, message="exceeded model token limit: 8192"), Failure.TOO_LONG),
        (said(400, message="Prompt 超长"), Failure.TOO_LONG),
        (said(400, message="输入长度超过模型的最大长度"), Failure.TOO_LONG),
        (said(400, message="提问次数超过限制"), Failure.REFUSED),
        (said(429, code="insufficient_quota"), Failure.DENIED),
        (said(400, code="context_length_exceeded"), Failure.TOO_LONG),
        (said(400, code="content_filter"), Failure.FILTERED),
        (said(400, code="model_not_found"), Failure.MISSING),
        (said(400, message="prompt is too long: 210000 tokens > 200000 maximum"), Failure.TOO_LONG),
        # A limit of tokens a minute passes with time, but not where one request is above it.
        (said(429, message="Too many tokens, please wait"), Failure.TRANSIENT),
        (
            said(429, message="above 30,000 input tokens per minute; reduce the prompt length"),
            Failure.TRANSIENT,
        ),
        (
            said(429, message="Request too large for m: Limit 30000, Requested 45000"),
            Failure.TOO_LONG,
        ),
        (said(500, message="input length and max_tokens exceed context limit"), Failure.TOO_LONG),
        # A filter's error as text within a gateway's.
        (said(400, code="400", message="ContentPolicyViolationError: no"), Failure.FILTERED),
        (
            openai.APIError("x", REQUEST, body={"message": "400: {'code': 'content_filter'}"}),
            Failure.FILTERED,
        ),
        (said(500, message="context deadline exceeded"), Failure.TRANSIENT),
        (said(504, message="upstream: context canceled"), Failure.TRANSIENT),
        (
            ollama.ResponseError("context deadline exceeded (Client.Timeout)", 500),
            Failure.TRANSIENT,
        ),
        (ollama.ResponseError("model runner has unexpectedly stopped"), Failure.TRANSIENT),
        # An error object with HTTP 200: in the body, as LangChain raises it, or in a stream.
        (ValueError({"message": "overloaded", "code": 502}), Failure.TRANSIENT),
        (ValueError({"message": "no such key", "code": "401"}), Failure.DENIED),
        (ValueError({"message": "too long", "type": "context_length_exceeded"}), Failure.TOO_LONG),
        (openai.APIError("overloaded", REQUEST, body={"message": "overloaded"}), Failure.TRANSIENT),
        (TypeError("Received response with null value for 'choices'"), Failure.UNREADABLE),
        (IndexError("list index out of range"), Failure.UNREADABLE),
        (json.JSONDecodeError("Expecting value", "<html>", 0), Failure.UNREADABLE),
        (ValueError("No generation chunks were returned"), Failure.TRANSIENT),
        (RuntimeError("Event loop is closed"), Failure.TRANSIENT),
        (UnfinishedReplyError("broke off"), Failure.UNFINISHED),
        (ollama.ResponseError("model 'x' not found", 404), Failure.MISSING),
        (ollama.ResponseError("busy", 503), Failure.TRANSIENT),
        (status(400, "maximum context length is 8192 tokens"), Failure.TOO_LONG),
        (status(400, "the request exceeds the available context size"), Failure.TOO_LONG),
        (status(500, "input is too long for the context"), Failure.TOO_LONG),
        (TimeoutError(), Failure.TIMEOUT),
        (asyncio.TimeoutError(), Failure.TIMEOUT),  # noqa: UP041
        (httpx.ConnectError("refused"), Failure.UNREACHABLE),
        (ConnectionRefusedError(111, "refused"), Failure.UNREACHABLE),
        (ConnectionResetError("reset"), Failure.TRANSIENT),
        (httpx.ReadTimeout("slow"), Failure.TRANSIENT),
        (httpx.RemoteProtocolError("gone"), Failure.TRANSIENT),
        (openai_httpx.ConnectError("refused"), Failure.UNREACHABLE),
        (openai_httpx.ReadTimeout("slow"), Failure.TRANSIENT),
        (
            caused(
                openai.APIConnectionError(request=REQUEST), openai_httpx.ConnectError("refused")
            ),
            Failure.UNREACHABLE,
        ),
        (httpx.UnsupportedProtocol("ftp"), Failure.UNREACHABLE),
        (httpx.InvalidURL("no address"), Failure.UNREACHABLE),
        (caused(ConnectionError("Ollama"), httpx.ConnectError("refused")), Failure.UNREACHABLE),
        (
            caused(openai.APITimeoutError(REQUEST), httpx.ReadTimeout("slow")),
            Failure.TRANSIENT,
        ),
        (
            caused(openai.APIConnectionError(request=REQUEST), httpx.ConnectError("refused")),
            Failure.UNREACHABLE,
        ),
        (
            caused(openai.APIConnectionError(request=REQUEST), httpx.ReadError("reset")),
            Failure.TRANSIENT,
        ),
        (RuntimeError("cannot join the pieces"), Failure.UNREADABLE),
        (ValueError("invalid context"), Failure.REFUSED),
    ],
)
def test_an_exception_is_sorted(error: Exception, failure: Failure) -> None:
    assert classify(error) is failure


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (said(401, message="no such key"), "check the key"),
        (said(402, message="Insufficient Balance"), "the account has credit left"),
        (said(429, code="insufficient_quota"), "the account has credit left"),
    ],
)
def test_an_account_without_credit_is_not_advised_about_its_key(
    error: Exception, cure: str
) -> None:
    told = user_error(error, "openai:m", "check the key", 9.0)
    assert (told.reason, str(told).endswith(f"{cure}.")) == ("denied", True)


def test_a_circle_of_causes_ends() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert classify(first) is Failure.REFUSED


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (status(429, retry_after="0"), 0.0),
        (status(429, retry_after="2.5"), 2.5),
        (status(429, retry_after="3600"), 30.0),
        (status(429, retry_after="-5"), None),
        (status(429, retry_after="nan"), None),
        (status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), None),  # httpx-retries 13
        (status(429, retry_after="Wed, 21 Oct 2099 07:28:00 GMT"), 30.0),
        (status(429, retry_after="soon"), None),
        (status(429, retry_after_ms="250"), 0.25),
        (status(429, retry_after_ms="250", retry_after="7"), 0.25),
        (status(429), None),
        (said(429, message="slow down", details=RETRY_IN_39_S), 30.0),
        (said(429, message="slow down", details=RETRY_IN_39_S.replace("39", "0")), 0.25),
        (RuntimeError("no response"), None),
    ],
)
def test_the_servers_own_pause_is_read(error: Exception, seconds: float | None) -> None:
    assert retry_after(error) == seconds


def refused(address: str) -> Exception:
    with pytest.raises(httpx.ConnectError) as met:
        httpx.get(address)
    return met.value


def test_a_server_that_is_not_there_is_named_with_the_reason(closed_address: str) -> None:
    at = unreachable_at(refused(f"{closed_address}/v1/chat"))
    assert at == f" at {closed_address} (connection refused)"
    with_password = closed_address.replace("//", "//ann:secret@")
    assert unreachable_at(refused(f"{with_password}/v1?key=secret")) == at


def test_a_refused_connection_has_one_name_in_every_client() -> None:
    by_asyncio = ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 9)")
    assert unreachable_at(by_asyncio) == " (connection refused)"
    assert unreachable_at(socket.gaierror(-2, "Name or service not known")) == (
        " (name or service not known)"
    )


def test_what_says_no_address_and_no_reason_adds_nothing() -> None:
    assert unreachable_at(ValueError("odd")) == ""
    assert unreachable_at(httpx.ConnectError("refused")) == ""


@pytest.mark.parametrize(
    ("spec", "cure"), [("openai:small", ""), ("ollama:small", ".*`ollama pull small`")]
)
def test_an_embedding_model_that_does_not_answer_names_its_address(
    closed_address: str, monkeypatch: pytest.MonkeyPatch, spec: str, cure: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{closed_address}/v1")
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    said = rf"{spec} does not answer at {closed_address} \(connection refused\): {cure}"
    with pytest.raises(ModelUnreachableError, match=said):
        embedder(spec).embed_query("tide")


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("opnai:gpt-4.1-mini", "openai:gpt-4.1-mini"),
        ("OpenAI:small", "openai:small"),
        ("azure-openai:small", "azure_openai:small"),
        ("olama:qwen3:0.6b", "ollama:qwen3:0.6b"),
    ],
)
def test_a_mistyped_provider_is_told_the_right_one(spec: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"model '{spec}' has the unknown .* mean '{meant}'"):
        chat_provider(spec).connect(Sampling(10, 0.0, 1))
    with pytest.raises(UsageError, match=f"embedding '{spec}' has the unknown .* mean '{meant}'"):
        embedder(spec)
