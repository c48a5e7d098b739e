"""Findings of `hopyard doctor` without a call of a model: packages, weights, folders."""

from __future__ import annotations

import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Iterator
from typing import Final

from hopyard.cli.doctor.finding import Finding, finding_of
from hopyard.cli.interrupts import run_async
from hopyard.models.builtin.weights import CHAT_MODEL, E5, MINILM, PackagedModel, find_files
from hopyard.models.names import BUILTIN_EMBEDDING, BUILTIN_MINILM, embedding_name, is_builtin
from hopyard.state.extras import EXTRAS, install_command, missing_modules
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.storage.addresses import (
    LEDGER_VARIABLE,
    THREADS_VARIABLE,
    address_in,
    without_password,
)

PACKAGES: Final = (
    "langgraph",
    "langchain",
    "langchain-core",
    "langchain-openai",
    "langchain-ollama",
    "ollama",
    "faiss-cpu",
    "bm25s",
)
"""Packages of every installation. All others are in extras."""
PACKAGED: Final = {BUILTIN_EMBEDDING: E5, BUILTIN_MINILM: MINILM}
"""The built-in embedding models by their names."""


def _needed_extras(context: Context) -> list[str]:
    """The extras without which Hopyard cannot work as it is set up."""
    from hopyard.state.storage.serializer import KEY_VARIABLE

    embeds = embedding_name(context.embedding) in PACKAGED
    addresses = any(map(os.environ.get, (THREADS_VARIABLE, LEDGER_VARIABLE)))
    return [
        *["builtin"] * (is_builtin(context.model) or embeds),
        *["encryption"] * bool(os.environ.get(KEY_VARIABLE)),
        *["postgres"] * addresses,
    ]


def missing_weights(context: Context, chat: bool, embedding: bool) -> list[PackagedModel]:
    """The built-in models of the settings whose weights are not on this machine.

    Args:
        chat: Whether the caller named the chat model, whose weights are then fetched.
        embedding: The same of the embedding model.
    """
    used = [CHAT_MODEL] if is_builtin(context.model) and not chat else []
    if not embedding and (packaged := PACKAGED.get(embedding_name(context.embedding))):
        used.append(packaged)
    return [model for model in used if not find_files(model)]


def installed(context: Context) -> Iterator[Finding]:
    """Python, the packages, the extras, the data folder, and where threads and ledger are."""
    yield _python()
    yield from map(_package, PACKAGES)
    needed = _needed_extras(context)
    yield from (_extra(name, needed=name in needed) for name in EXTRAS)
    yield _data_folder()
    yield from _locations()


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, "not installed", f"pip install {name}")


def _extra(name: str, *, needed: bool) -> Finding:
    """An extra with the versions of its packages, or what it would be for."""
    extra, shown = EXTRAS[name], f"hopyard[{name}]"
    if missing_modules(name):
        missing = f"{extra.purpose}: not installed"
        return Finding(shown, False, missing, install_command(name), needed)
    return Finding(shown, True, ", ".join(map(_version, extra.modules)), needed=needed)


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:  # not installed by pip, but there
        return package


def weights(model: PackagedModel) -> Finding:
    """The line of a built-in model whose weights are missing."""
    detail = f"not on this machine; its first use fetches {model.size}"
    embedding = next((name for name, each in PACKAGED.items() if each == model), "")
    option = f"--embedding {embedding}" if embedding else "--model builtin"
    cure = f"`hopyard doctor {option}` fetches them now"
    return Finding(f"weights of {model.name}", False, detail, cure, needed=False)


def _data_folder() -> Finding:
    def write() -> str:
        folder = home()
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
        return str(folder)

    return finding_of("data folder", write, "set HOPYARD_HOME to a writable folder")


def _locations() -> Iterator[Finding]:
    """Where threads and the ledger are, and whether they can be opened."""
    from hopyard.models.ledger import LEDGER_FILE
    from hopyard.nodes.resources import shared_resources
    from hopyard.state.storage.checkpoints import THREADS_FILE, open_saver

    async def threads() -> None:
        async with open_saver():
            pass

    def look(variable: str, file: str) -> str:
        address = address_in(variable)
        if variable == THREADS_VARIABLE:
            run_async(threads())
        else:
            shared_resources().ledger  # noqa: B018  (opens it)
        return without_password(address) if address else str(home() / file)

    yield finding_of("threads", lambda: look(THREADS_VARIABLE, THREADS_FILE))
    yield finding_of("ledger", lambda: look(LEDGER_VARIABLE, LEDGER_FILE))
