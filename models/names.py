"""Names of models: former names, and the addresses of their servers. Light to import."""

from __future__ import annotations

import logging
import os
import re
from difflib import get_close_matches
from functools import lru_cache
from types import ModuleType
from typing import Final
from urllib.parse import urlsplit

from hopyard.state.errors import UsageError

logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)  # shown also where the command line shows only errors

NO_EMBEDDING: Final = "none"
"""The name of the embedding model of an index that needs none, such as one for BM25 alone."""
BUILTIN_EMBEDDING: Final = "builtin:e5"
"""The full name of the built-in embedding model, which indexes keep."""
BUILTIN_MINILM: Final = "builtin:minilm"
MERGED: Final = "q8_0"
"""Number format of the built-in model's weights with the adapter merged into them."""

_FORMER_NAME: Final = re.compile(r"^embedded(?=$|[:/])")
_SUFFIXES: Final = ("BASE_URL", "API_BASE", "API_URL", "ENDPOINT")
"""How LangChain's integrations end the name of the variable that gives the address."""
_PREFIXES: Final = {"mistralai": "MISTRAL"}
_VERSION: Final = re.compile(r"(?!localhost$|[0-9a-f]{12}$)[\w-]+", re.ASCII)
"""A part of a model's own name after an `@`, as in `claude-sonnet-4@20250514`. Neither an address
with a port, a dot or a path looks like it, nor the digits of `models.instances`."""


@lru_cache(maxsize=256)
def point_out(text: str) -> None:
    """Tell the user something, once in a process."""
    logger.warning(text)


def current_name(name: str) -> str:
    """A model's name or identity with `builtin` in place of the former `embedded`.

    Ledgers, indexes and gates keep the former name.
    """
    return _FORMER_NAME.sub("builtin", name)


def embedding_name(name: str) -> str:
    """The full name of an embedding model, given as users write it or as indexes keep it.

    Indexes keep `embedded` for MiniLM, which was the built-in model before.
    """
    return {"builtin": BUILTIN_EMBEDDING, "embedded": BUILTIN_MINILM}.get(name, name)


def name_from_user(name: str) -> str:
    """`current_name` of a name that a user wrote; the first former name is pointed out."""
    current = current_name(name)
    if current != name:
        point_out(
            "the model name `embedded` is now `builtin`; the former name still works, here and in "
            "`embedded:base` and `embedded:FILE.gguf`"
        )
    return current


def known_as(identity: str) -> str:
    """A model's identity as users read it, without the number format of its weights."""
    return current_name(identity.removesuffix(f"+{MERGED}"))


def is_builtin(name: str) -> bool:
    """Whether a name means a model that runs in this process."""
    return current_name(name).partition(":")[0] == "builtin"


def reader_name(name: str) -> str:
    """A model's name as a reader understands it, as in "the built-in model"."""
    if is_builtin(name):
        return "the built-in model"
    return "the recorded model" if name.startswith("recorded:") else name


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


def same_model(first: str, second: str) -> bool:
    """Whether two names mean one model, wherever it is served."""
    return without_address(first) == without_address(second)


def check_provider(setting: str, spec: str, langchain: ModuleType) -> None:
    """Refuse a provider that LangChain does not know and that looks like a slip of a known name.

    Args:
        setting: The setting that names it, `model` or `embedding`.
        spec: `provider:NAME`.
        langchain: LangChain's module of chat or embedding models.

    Raises:
        UsageError: The provider is nearly a known name, which the sentence gives.
    """
    known = ["builtin", "ollama", "recorded", *getattr(langchain, "_BUILTIN_PROVIDERS", ())]
    provider, _, name = spec.partition(":")
    if provider in known:
        return
    if meant := get_close_matches(provider.lower().replace("-", "_"), known, n=1):
        raise UsageError(
            f"The {setting} {spec!r} has the unknown provider {provider!r}; did you mean "
            f"{f'{meant[0]}:{name}'!r}?"
        )
