"""LangChain models given as objects: how Hopyard calls them, and what it names them.

A name says what a model's answers depend on: its class, its model name and its parameters. It is
the same in every process, and no secret is part of it. The ledger and the index keep it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any, Final

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, SecretBytes, SecretStr

from hopyard.models.chat import INTERNET, REMOTE_CONCURRENCY, ChatProvider, Sampling, openai_clients
from hopyard.models.embedder import Embedder
from hopyard.models.embeddings import LangChainEmbedder
from hopyard.models.names import is_own_server
from hopyard.models.servers.error_replies import check_replies

_DIGITS: Final = 12
_INSTANCE: Final = re.compile(rf".+@[0-9a-f]{{{_DIGITS}}}")
_SECRET: Final = re.compile(
    r"(keys?|token|secrets?|passwords?|passwd|credentials?|headers?|proxy|auth|bearer|cookies?"
    r"|connection_string|dsn)(_|$)",
    re.I,
)
_MADE_CLIENTS: Final = {"client", "async_client", "root_client", "root_async_client"}
"""Fields that a model derives from its parameters."""
_ADDRESS: Final = re.compile(r"^([a-z][a-z0-9+.-]*://)(?:[^/@\s]*@)?([^?#\s]*)", re.I)
_MODEL_FIELDS: Final = ("model", "model_name", "model_id", "azure_deployment", "deployment_name")
_PROVIDERS: Final[Mapping[tuple[str, str], str]] = {
    ("langchain_openai", "ChatOpenAI"): "openai",
    ("langchain_openai", "OpenAIEmbeddings"): "openai",
    ("langchain_anthropic", "ChatAnthropic"): "anthropic",
    ("langchain_google_genai", "ChatGoogleGenerativeAI"): "google_genai",
    ("langchain_google_genai", "GoogleGenerativeAIEmbeddings"): "google_genai",
    ("langchain_mistralai", "ChatMistralAI"): "mistralai",
    ("langchain_mistralai", "MistralAIEmbeddings"): "mistralai",
    ("langchain_groq", "ChatGroq"): "groq",
    ("langchain_cohere", "CohereEmbeddings"): "cohere",
    ("langchain_ollama", "OllamaEmbeddings"): "ollama",
}
"""Classes whose object without further parameters is the model that `PROVIDER:NAME` names."""
_NO_PART_OF_ANSWERS: Final = frozenset((
    "cache", "callbacks", "chunk_size", "default_request_timeout", "disable_streaming",
    "max_retries", "metadata", "name", "output_version", "profile", "rate_limiter",
    "request_timeout", "show_progress_bar", "stream", "stream_usage", "streaming", "tags",
    "timeout", "verbose",
))  # fmt: skip
_LIMIT_FIELDS: Final = ("max_tokens", "num_predict", "max_output_tokens")
"""How providers' classes call the limit of an answer's tokens."""


def provider_of(model: BaseChatModel) -> ChatProvider:
    """A LangChain chat model as Hopyard's.

    Parameters that the object was made with stay as they are. Hopyard sets those it was not made
    with: the limit of tokens, the temperature and the seed of each call.
    """
    return ChatProvider(
        identity=instance_name(model),
        connect=lambda sampling: _with_sampling(model, sampling),
        concurrency=REMOTE_CONCURRENCY,
        cure=f"check the address and the API key that the {type(model).__name__} was made with",
        schema="variants" if _takes_variants(model) else "narrow",
    )


def _takes_variants(model: BaseChatModel) -> bool:
    """Whether the model is served by Ollama, or by a server of the user that speaks as OpenAI's."""
    names = {base.__name__ for base in type(model).__mro__}
    address = getattr(model, "openai_api_base", None) or ""
    return "ChatOllama" in names or ("ChatOpenAI" in names and is_own_server(address))


def embedder_of(model: Embeddings | Embedder) -> Embedder:
    """A LangChain embedding model as Hopyard's; one of Hopyard's own stays as it is."""
    if not isinstance(model, Embeddings):
        return model
    cure = f"check the address and the API key that the {type(model).__name__} was made with"
    return LangChainEmbedder(instance_name(model), model, cure)


def instance_name(model: BaseChatModel | Embeddings) -> str:
    """The name of a model that was given as an object.

    `ChatOpenAI(model="gpt-4.1-mini")` is `openai:gpt-4.1-mini`, the same as the name. A further
    parameter adds a hash, as in `openai:gpt-4.1-mini@3f0c5d1e9a72`. A chat model of your own says
    in `_identifying_params` what its answers depend on, if its fields do not.
    """
    kind = type(model)
    place = (kind.__module__.partition(".")[0], kind.__name__)
    fields = dict(_fields(model))
    if place not in _PROVIDERS and isinstance(model, BaseChatModel):
        fields |= {f"_{name}": value for name, value in _own_words(model).items()}
    named = next((fields.pop(name) for name in _MODEL_FIELDS if fields.get(name)), None)
    provider = _PROVIDERS.get(place, kind.__name__)
    name = f"{provider}:{named}" if isinstance(named, str) else provider
    if place in _PROVIDERS and named and not fields:
        return name
    whole = json.dumps([kind.__module__, kind.__qualname__, named, fields], sort_keys=True)
    return f"{name}@{hashlib.sha256(whole.encode()).hexdigest()[:_DIGITS]}"


def is_instance_name(name: str) -> bool:
    """Whether only the program that made the object can call the model of this name."""
    return _INSTANCE.fullmatch(name) is not None


def _with_sampling(model: BaseChatModel, sampling: Sampling) -> BaseChatModel:
    known = type(model).model_fields.keys()
    wanted: dict[str, Any] = {
        **dict.fromkeys(_LIMIT_FIELDS, sampling.max_tokens),
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "max_retries": 0,  # `request` retries itself: both together would multiply.
    }
    if sampling.frequency_penalty:
        wanted["frequency_penalty"] = sampling.frequency_penalty
    free = known - model.model_fields_set
    update = {name: wanted[name] for name in wanted.keys() & free}
    kind = type(model)
    if (kind.__module__.partition(".")[0], kind.__name__) in _PROVIDERS:
        given = {name: getattr(model, name) for name in model.model_fields_set - _MADE_CLIENTS}
        clients = {
            name: value
            for name, value in _clients_for(kind).items()
            if name in known and name not in given
        }
        with suppress(Exception):  # A new object drops what the model does not take.
            made = kind(**given, **update, **clients)
            check_replies(made)
            return made
    return model.model_copy(update=update)


def _clients_for(kind: type) -> Mapping[str, Any]:
    """Connections of the running event loop: LangChain would share its own between loops."""
    if not any(base.__name__ == "BaseChatOpenAI" for base in kind.__mro__):
        return {}
    return openai_clients(INTERNET)


def _own_words(model: BaseChatModel) -> dict[str, Any]:
    try:
        given = dict(model._identifying_params)
    except Exception:  # A class of somebody else's may want its server.
        return {}
    return {name: _plain(value) for name, value in given.items() if _counts(name)}


def _fields(model: object) -> Iterator[tuple[str, Any]]:
    """The parameters that differ from the defaults, as plain values."""
    if not isinstance(model, BaseModel):
        for name, value in sorted(vars(model).items()):
            if _counts(name) and not _is_empty(value):
                yield name, _plain(value)
        return
    for name, field in sorted(type(model).model_fields.items()):
        value = getattr(model, name)
        if field.exclude or not _counts(name) or _is_empty(value):
            continue
        if _plain(_default(field)) != _plain(value):
            yield name, _plain(value)


def _default(field: Any) -> Any:
    try:
        return field.get_default(call_default_factory=True)
    except (TypeError, ValueError):  # a factory that wants the other values
        return None


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, (dict, list, tuple, set)) and not value)


def _counts(name: str) -> bool:
    plain = name.strip("_")
    return plain not in _NO_PART_OF_ANSWERS and _SECRET.search(plain) is None


def _plain(value: Any) -> Any:
    """A value as JSON, without secrets; of an object whose content is not known its class."""
    if isinstance(value, Mapping):
        return {str(name): _plain(own) for name, own in value.items() if _counts(str(name))}
    if isinstance(value, (list, tuple)):
        return [_plain(own) for own in value]
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(_plain(own), sort_keys=True) for own in value)
    if isinstance(value, BaseModel):
        return [_qualified(type(value)), dict(_fields(value))]
    return _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return _plain_scalar(value.value)
    if isinstance(value, str):
        address = _ADDRESS.match(value)
        return f"{address[1]}{address[2]}" if address else value
    if value is None or isinstance(value, (bool, int, float, SecretStr, SecretBytes)):
        return None if isinstance(value, (SecretStr, SecretBytes)) else value
    return _qualified(value if isinstance(value, type) else type(value))


def _qualified(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
