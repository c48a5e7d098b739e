"""The built-in chat model: llama.cpp inside this process, its weights from a Python package.

`xllamacpp` runs llama.cpp's own server in a thread on a loopback port. It speaks the OpenAI
protocol, so the built-in model is used exactly like a remote model.

Hopyard ships a small adapter that teaches the model its steps (`docs/adapter.md`). A variant says
which adapter is used: "" for the shipped adapter, "base" for none, otherwise the path of a GGUF
file. On first use an adapter is merged into the weights (`models/builtin/lora.py`).

The models that ship were called `embedded` before. Ledgers, labels, gates and indexes name them so,
and their names there do not change: finished calls and vectors would be lost.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hopyard.models.builtin.lora import weights_with_adapter
from hopyard.models.builtin.weights import CHAT_MODEL, version_of, weights
from hopyard.models.concurrency import usable_cores
from hopyard.models.names import MERGED
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import ModelUnreachableError, UsageError
from hopyard.state.extras import install_command

logger = logging.getLogger(__name__)

BUILTIN_WINDOW: Final = 8192
"""Maximum tokens of prompt and answer together: SmolLM2 was trained for this."""
BUILTIN_SLOTS: Final = 1
"""Calls at once. Each slot computes a shared prefix again: on a CPU, one slot is fastest."""
BASE: Final = "base"
"""The variant without an adapter."""
SHIPPED_ADAPTER: Final = Path(__file__).parent / "adapter" / "smollm2-135m-hopyard.gguf"
_FULL_STRENGTH: Final = 1.0
THREADS_VARIABLE: Final = "HOPYARD_BUILTIN_THREADS"
SPINS_VARIABLE: Final = "GOMP_SPINCOUNT"
SPINS: Final = 10_000
"""Rounds that a thread waits for the others before it sleeps. The engine's library, GNU OpenMP, has
300,000: on busy cores most of the time went into waiting (`benchmarks/spinning.py`)."""
_QUIET: Final = -1
PROMPT_CACHE_MIB: Final = 1024
"""Memory for prompts already read; the engine's own limit is 8 GB. A token takes 23 kB."""
_lock = threading.Lock()

_NEXT_TURN: Final = re.compile(r"[“”]\s*\}(?:user|assistant|system).*", re.DOTALL)


def adapter_file(variant: str = "") -> Path | None:
    """The adapter of a variant, or None for the base model.

    Raises:
        UsageError: The file is missing.
    """
    if variant == BASE:
        return None
    file = Path(variant) if variant else SHIPPED_ADAPTER
    if file.is_file():
        return file
    if variant:
        raise UsageError(
            f"The adapter {variant!r} does not exist; use builtin, builtin:base or "
            "builtin:FILE.gguf."
        )
    raise ModelUnreachableError(
        f"The built-in model's adapter {file.name} is missing from this installation; install "
        "Hopyard again, or use --model builtin:base."
    )


def builtin_identity(variant: str = "") -> str:
    """The model's stored name: its weights, and its adapter by its content."""
    return f"embedded/{_name(adapter_file(variant))}"


def engine_identity(variant: str = "") -> str:
    """The model's name in the ledger, which includes the number format of the engine's weights."""
    merged = "" if variant == BASE else f"+{MERGED}"
    return f"{builtin_identity(variant)}{merged}"


def engine_file(variant: str = "") -> Path:
    """The GGUF file of a variant: the base model's, or with the adapter merged into its weights.

    Raises:
        ModelUnreachableError: The merged weights cannot be stored.
    """
    adapter = adapter_file(variant)
    file = weights_with_adapter(weights(), adapter, _name(adapter)) if adapter else weights()
    if file is None:
        raise ModelUnreachableError(
            "The merged weights of the built-in model cannot be stored; set HOPYARD_CACHE to a "
            "folder that can be written, or use builtin:base."
        )
    return file


def builtin_address(variant: str = "") -> str:
    """Start the variant's engine, once in a process, and return its OpenAI base address."""
    with _lock:
        return f"{_server(adapter_file(variant)).listening_address}/v1"


def end_at_next_turn(text: str) -> str:
    """Close the JSON where the model meant to end it.

    After a title in typographic quotation marks, the model also ends the text with such a mark.
    That does not close a JSON string, so the model writes on, into an invented next turn.
    """
    return _NEXT_TURN.sub('"}', text)


def _name(adapter: Path | None) -> str:
    base = f"smollm2-135m@{version_of(CHAT_MODEL)}"
    return f"{base}+{_digest(adapter, adapter.stat().st_mtime_ns)}" if adapter else base


@lru_cache(maxsize=8)
def _digest(file: Path, _changed: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


@lru_cache(maxsize=4)
def _server(adapter: Path | None) -> Any:
    server = _merged_engine(adapter) if adapter else None
    atexit.register(_server.cache_clear)
    return server or engine(weights(), adapter)


def _merged_engine(adapter: Path) -> Any | None:
    """The engine on merged weights, or None without merged weights.

    A damaged file is merged again.
    """
    for _ in range(2):
        file = weights_with_adapter(weights(), adapter, _name(adapter))
        if file is None:
            return None
        try:
            return engine(file, None)
        except ModelUnreachableError as error:
            logger.warning("deleting the damaged merged weights %s: %s", file, error)
            file.unlink(missing_ok=True)
    return None


def engine(model: Path, adapter: Path | None) -> Any:
    """Start llama.cpp in this process. It stops when the returned server is garbage collected.

    Args:
        model: A GGUF model.
        adapter: A GGUF adapter that llama.cpp applies while it computes.

    Returns:
        An `xllamacpp.Server`, which has a `listening_address`.

    Raises:
        ModelUnreachableError: The engine is missing, or the model does not load.
    """
    xllamacpp = _library()
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    if adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), _FULL_STRENGTH)]
    params.n_ctx = BUILTIN_WINDOW * BUILTIN_SLOTS
    params.n_parallel = BUILTIN_SLOTS
    threads = _cores()
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.verbosity = _QUIET
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelUnreachableError(f"The built-in model cannot be loaded: {error}.") from error
    logger.debug("built-in engine at %s with %d threads", server.listening_address, threads)
    return server


def _library() -> Any:
    # It reads the variable once, when it is loaded.
    os.environ.setdefault(SPINS_VARIABLE, str(SPINS))
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelUnreachableError(
            f"The engine of the built-in chat model cannot be loaded ({first_line(error)}); "
            f"install it again with `{install_command('builtin')}`."
        ) from error
    return xllamacpp


def _cores() -> int:
    """Threads of the engine: `HOPYARD_BUILTIN_THREADS`, or the cores that this process may use.

    Raises:
        UsageError: The variable is not a positive whole number.
    """
    wanted = os.environ.get(THREADS_VARIABLE, "").strip()
    if not wanted:
        return usable_cores()
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    raise UsageError(f"{THREADS_VARIABLE}={wanted!r} is not a positive whole number; correct it.")
