"""Ollama: its address, what its server says about a model, and Hopyard's chat model for it."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import ollama
from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama, OllamaEmbeddings

from hopyard.state.errors import ModelUnreachableError
from hopyard.state.tokens import tokens_of

__all__ = (
    "SizedChatOllama",
    "client_options",
    "connect_chat",
    "connect_embedding",
    "context_length",
    "installed_models",
    "ollama_address",
    "pull",
    "server_version",
    "window_for",
)

DEFAULT_PORT: Final = 11434
DEFAULT_ADDRESS: Final = f"http://127.0.0.1:{DEFAULT_PORT}"
SMALLEST_WINDOW: Final = 4096
"""Ollama's own default."""
SPARE: Final = 4 / 3
"""Times the estimate of a prompt: a large window costs memory, a small one cuts the prompt."""
TOKENS_A_MESSAGE: Final = 8
"""Average tokens that a chat template adds to a message."""
MOST_CHARACTERS_A_TOKEN: Final = 6
"""More than in any of our prompts: a prompt too long by this measure does not fit."""
LEAST_ANSWER: Final = 256
"""Tokens that an answer gets in a window that the prompt nearly fills."""
KEEP_ALIVE: Final = 15 * 60
"""Seconds that a model stays loaded after a call: a run may wait for an approval."""
_ANSWERS_SOON: Final = 10.0
"""Seconds. Questions about the server itself need no loaded model."""


def ollama_address() -> str:
    """Where Ollama listens: `OLLAMA_HOST` as Ollama itself reads it, or its default address."""
    host = os.environ.get("OLLAMA_HOST", "").strip()
    if not host:
        return DEFAULT_ADDRESS
    if "://" in host:
        return host
    parts = urlsplit(f"http://{host}")
    try:
        return parts.geturl() if parts.port else f"http://{parts.netloc}:{DEFAULT_PORT}{parts.path}"
    except ValueError:
        return parts.geturl()  # the client will say what is wrong with it


def client_options(address: str) -> dict[str, Any]:
    """Options of an HTTP client for an address.

    A server on this machine is never reached through a proxy, which would look for it on the
    proxy's machine; and certificates, which take a twentieth of a second to load, are useless.
    """
    try:
        name = urlsplit(address).hostname or ""
        local = name == "localhost" or _is_local(ipaddress.ip_address(name))
    except ValueError:
        return {}
    return {"trust_env": False, "verify": False} if local else {}


def _is_local(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_loopback or address.is_unspecified


def installed_models() -> dict[str, str]:
    """The models on the server, each with its number of parameters if known.

    Raises:
        ModelUnreachableError: No server answers.
    """
    try:
        models = _client().list().models
    except (ConnectionError, httpx.HTTPError, ollama.ResponseError, ValueError) as error:
        raise ModelUnreachableError(f"There is {_no_server('ollama pull llama3.1:8b')}") from error
    return {
        str(model.model): (model.details and model.details.parameter_size) or "" for model in models
    }


def pull(name: str, report: Callable[[str, int, int], None]) -> None:
    """Download a model from Ollama's library.

    Args:
        name: The model.
        report: Called with the status, the bytes downloaded and the total bytes.

    Raises:
        ModelUnreachableError: No server answers, or the library has no such model.
    """
    address = ollama_address()
    try:
        client = ollama.Client(host=address, **client_options(address))  # it may take an hour
        for step in client.pull(name, stream=True):
            report(str(step.status), step.completed or 0, step.total or 0)
    except ollama.ResponseError as error:
        raise ModelUnreachableError(
            f"Ollama cannot download the model {name!r} ({error.error}); look for its name on "
            "https://ollama.com/library."
        ) from error
    except (ConnectionError, httpx.HTTPError, ValueError) as error:
        raise ModelUnreachableError(f"There is {_no_server(f'ollama pull {name}')}") from error


def server_version() -> str:
    """The server's version; "" if it does not say."""
    address = ollama_address()
    try:
        reply = httpx.get(
            f"{address}/api/version", timeout=_ANSWERS_SOON, **client_options(address)
        )
        return str(reply.raise_for_status().json()["version"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return ""


def context_length(name: str) -> int:
    """Tokens that a model was trained to read; 0 if the server does not say.

    Raises:
        ModelUnreachableError: No server answers, or it has no such model.
    """
    return _context_length(ollama_address(), name)


@lru_cache(maxsize=32)
def _context_length(_address: str, name: str) -> int:
    try:
        about = _client().show(name)
    except ollama.ResponseError as error:
        if error.status_code == httpx.codes.NOT_FOUND:
            raise ModelUnreachableError(
                f"The model ollama:{name} was not found: fetch it with `ollama pull {name}`."
            ) from error
        return 0
    except (ConnectionError, httpx.HTTPError, ValueError) as error:
        raise ModelUnreachableError(
            f"The model ollama:{name} does not answer: {_no_server(f'ollama pull {name}')}"
        ) from error
    lengths = [
        value
        for key, value in (about.modelinfo or {}).items()
        if key.endswith(".context_length") and isinstance(value, int)
    ]
    return max(lengths, default=0)


def _client() -> ollama.Client:
    address = ollama_address()
    return ollama.Client(host=address, timeout=_ANSWERS_SOON, **client_options(address))


def _no_server(then: str) -> str:
    return f"no server at {ollama_address()}; start it with `ollama serve`, then `{then}`."


def prompt_tokens(messages: Sequence[BaseMessage]) -> int:
    """Tokens of a prompt, rather too many than too few."""
    tokens = sum(tokens_of(message.text) for message in messages)
    return int(SPARE * tokens) + TOKENS_A_MESSAGE * len(messages)


def window_for(messages: Sequence[BaseMessage], answer: int) -> int:
    """The window for a prompt and its answer: a power of two.

    Ollama silently cuts off the beginning of a prompt that does not fit, and reloads a model for
    each new size of window: hence few sizes.

    Args:
        messages: The prompt.
        answer: Maximum tokens of the answer.
    """
    needed = prompt_tokens(messages) + answer
    window = SMALLEST_WINDOW
    while window < needed:
        window *= 2
    return window


class SizedChatOllama(ChatOllama):
    """Ollama's chat model with a window that fits the prompt."""

    def _chat_params(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Add the window to the request: all four ways to call the model use this method."""
        params = super()._chat_params(messages, stop, **kwargs)
        wanted = window_for(messages, self.num_predict or 0)
        longest = context_length(self.model)
        characters = sum(len(message.text) for message in messages)
        if longest and characters > longest * MOST_CHARACTERS_A_TOKEN:
            raise ValueError(f"the prompt exceeds the context length of {longest} tokens")
        window = min(wanted, longest) if longest else wanted
        params["options"]["num_ctx"] = window
        if self.num_predict and window < wanted:
            # Past the window's end Ollama would push out the beginning of the prompt.
            room = max(window - prompt_tokens(messages), LEAST_ANSWER)
            params["options"]["num_predict"] = min(self.num_predict, room)
        return params


def connect_chat(name: str, *, max_tokens: int, temperature: float, seed: int) -> ChatOllama:
    """The chat model for a sampling. Thinking is off, because the answers are short JSON."""
    address = ollama_address()
    return SizedChatOllama(
        model=name,
        base_url=address,
        num_predict=max_tokens,
        temperature=temperature,
        seed=seed,
        reasoning=False,
        keep_alive=KEEP_ALIVE,
        client_kwargs=client_options(address),
    )


def connect_embedding(name: str) -> OllamaEmbeddings:
    """The embedding model."""
    address = ollama_address()
    return OllamaEmbeddings(
        model=name,
        base_url=address,
        keep_alive=KEEP_ALIVE,
        client_kwargs=client_options(address),
    )
