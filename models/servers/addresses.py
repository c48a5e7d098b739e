"""The addresses of model servers, as the environment gives them."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import urlsplit

__all__ = (
    "is_own_server",
    "same_model",
    "server_address",
    "with_address",
    "without_address",
)

_SUFFIXES: Final = ("BASE_URL", "API_BASE", "API_URL", "ENDPOINT")
"""How LangChain's integrations end the name of the variable that gives the address."""
_PREFIXES: Final = {"mistralai": "MISTRAL"}
_VERSION: Final = re.compile(r"(?!localhost$|[0-9a-f]{12}$)[\w-]+", re.ASCII)
"""What follows an `@` within a model's own name, as in `claude-sonnet-4@20250514`. Neither an
address with a port, a dot or a path looks like it, nor the digits of `models.instances`."""


def server_address(provider: str) -> str:
    """The address that the environment gives for a provider; "" for the provider's own.

    Args:
        provider: The provider as `init_chat_model` names it, for example `openai`, whose address
            is OPENAI_BASE_URL or OPENAI_API_BASE.
    """
    prefix = _PREFIXES.get(provider, provider.upper())
    names = (f"{prefix}_{suffix}" for suffix in _SUFFIXES)
    return next((address for name in names if (address := os.environ.get(name, "").strip())), "")


def is_own_server(address: str) -> bool:
    """Whether an address that was given for OpenAI is another server's, such as llama.cpp's."""
    host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    return bool(host) and not host.endswith("openai.com")


def with_address(name: str, address: str) -> str:
    """A model's name with its server, as in `openai:local@127.0.0.1:8080/v1`.

    Args:
        name: The model.
        address: Where it is served; "" leaves the name as it is. A user and a password in it, or a
            query, are no part of the name.
    """
    if not address:
        return name
    parts = urlsplit(address if "://" in address else f"//{address}")
    host = parts.netloc.rpartition("@")[2]
    return f"{name}@{host}{parts.path.rstrip('/')}"


def without_address(name: str) -> str:
    """A model's name without its server, and without the parameters of a model object.

    Args:
        name: The name as `with_address` or `instance_name` made it.
    """
    model, at, place = name.rpartition("@")
    provider, named, _ = model.partition(":")
    own = provider != "ollama" and _VERSION.fullmatch(place)  # Ollama's names have no `@`
    return model if at and named and not own else name


def same_model(one: str, other: str) -> bool:
    """Whether two names mean one model, wherever it is served."""
    return without_address(one) == without_address(other)
