"""`hopyard doctor --install`: install what the settings need and is missing."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from typing import Final

import typer

from hopyard.cli.console import tell
from hopyard.models.builtin.weights import CHAT_MODEL, E5, MINILM, PackagedModel, fetch, find_files
from hopyard.models.names import BUILTIN_EMBEDDING, embedding_name, is_builtin
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.extras import install_command, missing_modules
from hopyard.state.settings.fields import Context
from hopyard.state.storage.addresses import LEDGER_VARIABLE, THREADS_VARIABLE

_EMBEDDING: Final = {BUILTIN_EMBEDDING: E5, "builtin:minilm": MINILM}


def needed_extras(context: Context) -> list[str]:
    """The extras without which Hopyard cannot work as it is set up."""
    from hopyard.state.storage.serializer import KEY_VARIABLE

    needed = (
        ["builtin"]
        if is_builtin(context.model) or embedding_name(context.embedding) in _EMBEDDING
        else []
    )
    addresses = any(map(os.environ.get, (THREADS_VARIABLE, LEDGER_VARIABLE)))
    needed += ["encryption"] * bool(os.environ.get(KEY_VARIABLE))
    return needed + ["postgres"] * addresses


def missing_weights(context: Context) -> list[PackagedModel]:
    """The built-in models that the settings name and whose weights are not on this machine."""
    embedding = embedding_name(context.embedding)
    named = [CHAT_MODEL] * is_builtin(context.model)
    named += [model for name, model in _EMBEDDING.items() if name == embedding]
    return [model for model in named if not find_files(model)]


def install_missing(context: Context, *, yes: bool) -> None:
    """Install the missing extras that the settings need, and fetch the weights.

    Args:
        yes: Whether to go ahead without asking.

    Raises:
        UsageError: Somebody has to be asked, and nobody is at the terminal; or there is no pip.
        HopyardError: The installation failed.
    """
    extras = [name for name in needed_extras(context) if missing_modules(name)]
    models = missing_weights(context)
    plan = [shlex.join(_command(extra)) for extra in extras]
    plan += [f"fetch the weights of {model.name} ({model.size})" for model in models]
    if not plan:
        return
    for line in plan:
        tell(line)
    if not (yes or _agreed()):
        return
    for extra in extras:
        # pip writes to standard output, which may be read as JSON.
        if subprocess.run(_command(extra), stdout=sys.stderr, check=False).returncode:  # noqa: S603
            raise HopyardError(
                f"The installation failed; see above, and run `{install_command(extra)}` yourself."
            )
    importlib.invalidate_caches()
    for model in models:
        fetch(model)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked here; say `hopyard doctor --install --yes`.")
    return typer.confirm("Do this?", err=True)


def _command(extra: str) -> list[str]:
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", f"hopyard[{extra}]"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, f"hopyard[{extra}]"]
    raise UsageError("Neither pip nor uv is installed; install pip with `python -m ensurepip`.")
