"""Chat models by name: the embedded one, Ollama's, and any that LangChain knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.language_models import BaseChatModel

from hopyard.models import builtin as embedded
from hopyard.models.failures import first_line
from hopyard.models.per_loop import PerLoop
from hopyard.state.errors import UsageError

__all__ = ("ChatProvider", "Sampling", "chat_provider", "register_chat_provider")

REMOTE_CONCURRENCY: Final = 16
"""Calls at once to a hosted model: enough for all branches of a tree's deepest level."""
OLLAMA_CONCURRENCY: Final = 4
"""Ollama's own default of parallel requests (`OLLAMA_NUM_PARALLEL`)."""


@dataclass(frozen=True)
class Sampling:
    """What one call asks of the sampler."""

    max_tokens: int
    temperature: float
    seed: int
    frequency_penalty: float = 0.0
    """Lowers the odds of a token by so much for each time that it was written."""


_Connections = PerLoop[Sampling, BaseChatModel]


@dataclass(frozen=True)
class ChatProvider:
    """One chat model and how it wants to be used.

    Attributes:
        identity: The name under which the ledger keeps its answers.
        connect: Makes the LangChain model for one kind of sampling.
        concurrency: Calls at once.
        keep_prefixes: Whether calls with one prefix are kept together.
        cure: What to do when it does not answer.
    """

    identity: str
    connect: Callable[[Sampling], BaseChatModel]
    concurrency: int
    keep_prefixes: bool
    cure: str
    prepare: Callable[[], object] | None = None
    """Called in a thread before each call: what would block the event loop is done there."""


_registered: Final[dict[str, ChatProvider]] = {}


def register_chat_provider(spec: str, provider: ChatProvider) -> None:
    """Make a chat model of your own usable by name, `--model SPEC` included."""
    _registered[spec] = provider


def chat_provider(spec: str) -> ChatProvider:
    """The provider of a model name.

    Args:
        spec: `embedded`, `embedded:base` (without the adapter), `ollama:NAME`, a registered name,
            or `provider:NAME` as LangChain's `init_chat_model` has it.

    Raises:
        UsageError: The name has no provider, or the provider's package is missing.
    """
    if spec in _registered:
        return _registered[spec]
    provider, separator, name = spec.partition(":")
    if spec == "embedded" or (provider == "embedded" and name):
        return ChatProvider(
            identity=embedded.engine_identity(name),
            connect=_Connections(lambda sampling: _connect_embedded(name, sampling)),
            concurrency=embedded.EMBEDDED_SLOTS,
            keep_prefixes=True,
            cure="run `hopyard doctor`",
            prepare=lambda: embedded.embedded_address(name),
        )
    if not separator or not name or not provider:
        raise UsageError(
            f"The model {spec!r} has no provider; write embedded, ollama:NAME or provider:NAME."
        )
    if provider == "ollama":
        return ChatProvider(
            identity=spec,
            connect=_Connections(lambda sampling: _connect_ollama(name, sampling)),
            concurrency=OLLAMA_CONCURRENCY,
            keep_prefixes=True,
            cure=f"start it with `ollama serve` and fetch the model with `ollama pull {name}`",
            prepare=lambda: _prepare_ollama(name),
        )
    return ChatProvider(
        identity=spec,
        connect=_Connections(lambda sampling: _connect_any(spec, sampling)),
        concurrency=REMOTE_CONCURRENCY,
        keep_prefixes=False,
        cure=f"check the address and the API key of {provider!r}",
    )


def _connect_embedded(variant: str, sampling: Sampling) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    options: dict[str, Any] = {
        "base_url": embedded.embedded_address(variant),
        "api_key": "none",
        "model": "embedded",
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "frequency_penalty": sampling.frequency_penalty,
        "seed": sampling.seed,
        "max_retries": 0,
        # A new connection a call costs nothing beside the call, and none outlives its event loop.
        "default_headers": {"Connection": "close"},
        **_openai_clients(_LOOPBACK),
    }
    return ChatOpenAI(**options)


_INTERNET: Final = "internet"
_LOOPBACK: Final = "loopback"


def _make_openai_clients(where: str) -> dict[str, Any]:
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    # A proxy of the user's knows nothing of a port in this process, and certificates, which take
    # a twentieth of a second to load, are of no use there.
    options: dict[str, Any] = {"trust_env": False, "verify": False} if where == _LOOPBACK else {}
    return {
        "http_client": DefaultHttpxClient(**options),
        "http_async_client": DefaultAsyncHttpxClient(**options),
        "http_socket_options": (),  # LangChain's would shadow the user's proxy, with a warning
        # Asked for, because LangChain leaves it out with clients that are not its own.
        "stream_usage": True,
    }


_openai_clients: Final = PerLoop[str, dict[str, Any]](_make_openai_clients)
"""HTTP clients of Hopyard's own: LangChain would share one pool between event loops."""


def _connect_ollama(name: str, sampling: Sampling) -> BaseChatModel:
    from hopyard.models.ollama import connect_chat

    return connect_chat(
        name,
        max_tokens=sampling.max_tokens,
        temperature=sampling.temperature,
        seed=sampling.seed,
    )


def _prepare_ollama(name: str) -> int:
    """Learn the model's window, which also shows whether server and model are there."""
    from hopyard.models.ollama import context_length

    return context_length(name)


def _connect_any(spec: str, sampling: Sampling) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    options: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
    }
    if spec.startswith(("openai:", "azure_openai:")):
        options |= _openai_clients(_INTERNET)
    # `request` tries again itself: a client that did so too would multiply the tries.
    problem: Exception | None = None
    for retries in ({"max_retries": 0}, {}):
        try:
            model: BaseChatModel = init_chat_model(spec, **(options | retries))
            known = type(model).model_fields
            wanted: dict[str, float] = {"seed": sampling.seed}
            if sampling.frequency_penalty:
                wanted["frequency_penalty"] = sampling.frequency_penalty
            model = model.model_copy(update={k: v for k, v in wanted.items() if k in known})
        except Exception as error:  # no package, no key, an unknown provider: each has its own
            problem = problem or error
        else:
            return model
    raise UsageError(f"The model {spec!r} cannot be used: {first_line(problem)}.") from problem
