"""Ollama: its address, and what its server says about models."""

from __future__ import annotations

import ipaddress
import os
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import ollama
from langchain_ollama import OllamaEmbeddings

from hopyard.state.errors import ModelUnreachableError
from hopyard.state.settings.model_size import billions_in

DEFAULT_PORT: Final = 11434
DEFAULT_ADDRESS: Final = f"http://127.0.0.1:{DEFAULT_PORT}"
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
        number = ipaddress.ip_address("127.0.0.1" if name == "localhost" else name)
    except ValueError:
        return {}
    local = number.is_loopback or number.is_unspecified
    return {"trust_env": False, "verify": False} if local else {}


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
    """Tokens that a model was trained to read; 0 if the server does not say."""
    return _about(ollama_address(), name)[0]


def parameter_size(name: str) -> float | None:
    """Billions of parameters of a model; None if the server does not say."""
    return _about(ollama_address(), name)[1]


@lru_cache(maxsize=32)
def _about(_address: str, name: str) -> tuple[int, float | None]:
    """A model's context length and billions of parameters, as the server says."""
    try:
        about = _client().show(name)
    except ollama.ResponseError as error:
        if error.status_code == httpx.codes.NOT_FOUND:
            raise ModelUnreachableError(
                f"The model ollama:{name} was not found: fetch it with `ollama pull {name}`."
            ) from error
        return 0, None
    except (ConnectionError, httpx.HTTPError, ValueError) as error:
        raise ModelUnreachableError(
            f"The model ollama:{name} does not answer: {_no_server(f'ollama pull {name}')}"
        ) from error
    lengths = [
        value
        for key, value in (about.modelinfo or {}).items()
        if key.endswith(".context_length") and isinstance(value, int)
    ]
    said = (about.details and about.details.parameter_size) or ""
    return max(lengths, default=0), billions_in(said)


def _client() -> ollama.Client:
    address = ollama_address()
    return ollama.Client(host=address, timeout=_ANSWERS_SOON, **client_options(address))


def _no_server(then: str) -> str:
    return f"no server at {ollama_address()}; start it with `ollama serve`, then `{then}`."


def connect_embedding(name: str) -> OllamaEmbeddings:
    """The embedding model."""
    address = ollama_address()
    return OllamaEmbeddings(
        model=name,
        base_url=address,
        keep_alive=KEEP_ALIVE,
        client_kwargs=client_options(address),
    )
