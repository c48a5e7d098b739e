"""Chat models by name: built-in, Ollama's, recorded, and every model that LangChain knows."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, NoReturn

from langchain_core.language_models import BaseChatModel

from hopyard.models.concurrency import PerLoop
from hopyard.models.names import (
    check_provider,
    is_own_server,
    name_from_user,
    server_address,
    with_address,
)
from hopyard.models.recorded import Recording, open_recording
from hopyard.models.servers.advice import first_line
from hopyard.models.servers.error_replies import check_replies
from hopyard.state.errors import ModelUnreachableError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.model_size import is_told, remember_size

REMOTE_CONCURRENCY: Final = 16
"""Calls at once to a hosted model: enough for every branch of a tree's deepest level."""
OLLAMA_CONCURRENCY: Final = 4
"""Ollama's own default of parallel requests (`OLLAMA_NUM_PARALLEL`)."""
ASKED_AGAIN_AFTER: Final = 60.0
"""Seconds. A run asks for the size at every step, and an absent server may take long to be so."""


@dataclass(frozen=True)
class Sampling:
    """How one call samples."""

    max_tokens: int
    temperature: float
    seed: int
    frequency_penalty: float = 0.0
    """Lowers the logit of a token by this much for each time that it has been written."""


_Connections = PerLoop[Sampling, BaseChatModel]


@dataclass(frozen=True)
class ChatProvider:
    """A chat model and how to use it.

    Attributes:
        identity: The name under which the ledger keeps its answers. It has the server's address
            where a variable names one: two servers may give one name to different models.
        connect: Makes the LangChain model for a sampling.
        concurrency: Maximum number of calls at once.
        cure: Advice for the user if it does not answer.
        prepare: Called in a thread before each call, for work that would block the event loop.
        window: Tokens of prompt and answer together, 0 if unknown. It may ask the server.
        correct: Corrects a habit of this model in its output, before the output is parsed.
        recording: Answers every call in place of `connect`.
        schema: The schema of a request: the output's own, which the built-in model learned, the
            narrower `asked_schema`, or that with a variant for each kind.
        send: Sends a request (`models.calls.request.Request`) in place of this process, and
            returns the reply.
    """

    identity: str
    connect: Callable[[Sampling], BaseChatModel]
    concurrency: int
    cure: str
    prepare: Callable[[], object] | None = None
    window: Callable[[], int] | None = None
    correct: Callable[[str], str] | None = None
    recording: Recording | None = None
    schema: Literal["own", "narrow", "variants"] = "narrow"
    send: Callable[[Any], Awaitable[Any]] | None = None


_silent_since: Final[dict[str, float]] = {}
"""When Ollama last said nothing of a model's size."""
_registered: Final[dict[str, ChatProvider]] = {}


def register_chat_provider(spec: str, provider: ChatProvider) -> None:
    """Make your own chat model usable by name, for example in `--model SPEC`.

    It replaces an earlier model of that name.
    """
    _registered[spec] = provider


def registered_chat_provider(spec: str) -> ChatProvider | None:
    """The model that was last registered under a name, if any."""
    return _registered.get(spec)


def learn_size(model: str) -> None:
    """Ask Ollama how large a model is, so that the right prompts are chosen.

    Args:
        model: The model as users name it. Only Ollama is asked, once in a process, or after a
            minute if it did not answer. Until then the name has to say it.
    """
    provider, _, name = model.partition(":")
    silent = monotonic() - _silent_since.get(model, -inf) < ASKED_AGAIN_AFTER
    if provider != "ollama" or not name or is_told(model) or silent:
        return
    from hopyard.models.ollama import parameter_size

    try:
        size = parameter_size(name)
    except ModelUnreachableError:  # The first call will say so.
        size = None
    if size is None:
        _silent_since[model] = monotonic()
    else:
        remember_size(model, size)


def chat_provider(spec: str) -> ChatProvider:
    """The provider of a model name.

    Args:
        spec: `builtin`, `builtin:base` (without the adapter), `builtin:FILE.gguf` (another
            adapter), `ollama:NAME`, `recorded:FOLDER`, a registered name, or `provider:NAME` as
            LangChain's `init_chat_model` takes it.

    Returns:
        The registered object, else a new object. `Resources` keeps one for its runs, until the name
        is registered again or the adapter file changes.

    Raises:
        UsageError: The name has no provider.
        ModelUnreachableError: The extra `builtin` is not installed.
    """
    if (registered := registered_chat_provider(spec)) is not None:
        return registered
    spec = name_from_user(spec)
    provider, separator, name = spec.partition(":")
    if spec == "builtin" or (provider == "builtin" and name):
        return _builtin_provider(name)
    if not separator or not name or not provider:
        raise UsageError(
            f"The model {spec!r} has no provider; use builtin, ollama:NAME or provider:NAME."
        )
    if provider == "recorded":
        return _recorded_provider(open_recording(Path(name).expanduser()))
    return _ollama_provider(name) if provider == "ollama" else _hosted_provider(spec)


def _builtin_provider(variant: str) -> ChatProvider:
    from hopyard.models.builtin import chat as builtin

    require("The built-in chat model", "builtin", ModelUnreachableError)
    return ChatProvider(
        identity=builtin.engine_identity(variant),
        connect=_Connections(lambda sampling: _connect_builtin(variant, sampling)),
        concurrency=builtin.BUILTIN_SLOTS,
        cure="run `hopyard doctor`",
        prepare=lambda: builtin.builtin_address(variant),
        window=lambda: builtin.BUILTIN_WINDOW,
        correct=builtin.end_at_next_turn,
        schema="own",
    )


def _connect_builtin(variant: str, sampling: Sampling) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    from hopyard.models.builtin.chat import builtin_address

    options: dict[str, Any] = {
        "base_url": builtin_address(variant),
        "api_key": "none",
        "model": "builtin",
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "frequency_penalty": sampling.frequency_penalty,
        "seed": sampling.seed,
        "max_retries": 0,
        # A new connection for each call costs little, and none outlives its event loop.
        "default_headers": {"Connection": "close"},
        **openai_clients(_LOOPBACK),
    }
    return ChatOpenAI(**options)


def _ollama_provider(name: str) -> ChatProvider:
    def connect(sampling: Sampling) -> BaseChatModel:
        from hopyard.models.ollama_chat import connect_chat

        return connect_chat(
            name,
            max_tokens=sampling.max_tokens,
            temperature=sampling.temperature,
            seed=sampling.seed,
        )

    def window() -> int:
        from hopyard.models.ollama import context_length

        return context_length(name)

    return ChatProvider(
        identity=with_address(f"ollama:{name}", os.environ.get("OLLAMA_HOST", "").strip()),
        connect=_Connections(connect),
        concurrency=OLLAMA_CONCURRENCY,
        cure=f"start it with `ollama serve` and fetch the model with `ollama pull {name}`",
        prepare=window,  # It also shows whether server and model exist.
        window=window,
        schema="variants",
    )


def _recorded_provider(recording: Recording) -> ChatProvider:
    from hopyard.models.builtin.chat import end_at_next_turn

    def refuse(_: Sampling) -> NoReturn:
        raise UsageError("A recording has no model to connect to; name a model with --model.")

    return ChatProvider(
        identity=f"recorded:{recording.name}",
        connect=refuse,
        concurrency=REMOTE_CONCURRENCY,
        cure="record the call with --record",
        # It cuts off an invented next turn, which only the built-in model writes.
        correct=end_at_next_turn,
        recording=recording,
    )


def _hosted_provider(spec: str) -> ChatProvider:
    provider = spec.partition(":")[0]
    address = server_address(provider)
    return ChatProvider(
        identity=with_address(spec, address),
        connect=_Connections(lambda sampling: connect_hosted(spec, sampling)),
        concurrency=REMOTE_CONCURRENCY,
        cure=f"check the address and the API key of {provider!r}",
        schema="variants" if provider == "openai" and is_own_server(address) else "narrow",
    )


def connect_hosted(spec: str, sampling: Sampling, http: Any = None) -> BaseChatModel:
    """The LangChain model of a hosted model's name.

    Args:
        http: The asynchronous HTTP client of a model of OpenAI's; None for the process's own.

    Raises:
        UsageError: The name cannot be used.
    """
    from langchain.chat_models import base

    check_provider("model", spec, base)
    options: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
    }
    if spec.startswith(("openai:", "azure_openai:", "deepseek:")):
        options |= openai_clients(INTERNET) | ({"http_async_client": http} if http else {})
    # `request` retries itself: a client that retries too would multiply the tries.
    problem: Exception | None = None
    for retries in ({"max_retries": 0}, {}):
        try:
            model: BaseChatModel = base.init_chat_model(spec, **(options | retries))
            known = type(model).model_fields
            wanted: dict[str, float] = {"seed": sampling.seed}
            if sampling.frequency_penalty:
                wanted["frequency_penalty"] = sampling.frequency_penalty
            check_replies(model)
            return model.model_copy(update={k: v for k, v in wanted.items() if k in known})
        except Exception as error:  # no package, no key, an unknown provider: many classes
            problem = problem or error
    raise UsageError(f"The model {spec!r} cannot be used: {first_line(problem)}.") from problem


INTERNET: Final = "internet"
_LOOPBACK: Final = "loopback"


def _make_openai_clients(where: str) -> dict[str, Any]:
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    # The user's proxy does not know a port in this process, and certificates, which take a
    # twentieth of a second to load, are useless there.
    options: dict[str, Any] = {"trust_env": False, "verify": False} if where == _LOOPBACK else {}
    return {
        "http_client": DefaultHttpxClient(**options),
        "http_async_client": DefaultAsyncHttpxClient(**options),
        "http_socket_options": (),  # LangChain's would shadow the user's proxy, with a warning
        # LangChain leaves it out unless it makes the clients itself.
        "stream_usage": True,
        # LangChain's limit of 120 s for the first piece would come before the setting `timeout`,
        # which bounds each call: a slow server may take longer to read a long prompt.
        "stream_chunk_timeout": None,
    }


openai_clients: Final = PerLoop[str, dict[str, Any]](_make_openai_clients)
"""HTTP clients of Hopyard's own: LangChain would share one pool between event loops."""
