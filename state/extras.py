"""Hopyard's extras: what each is for, what it installs, and how a missing one is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from hopyard.state.errors import HopyardError, UsageError


@dataclass(frozen=True)
class Extra:
    """An extra of the package, as `pyproject.toml` defines it.

    Attributes:
        modules: The module of each package that Hopyard imports, by the package's name.
        includes: Other extras that it installs.
    """

    purpose: str
    modules: Mapping[str, str]
    includes: tuple[str, ...] = ()


EXTRAS: Final[Mapping[str, Extra]] = {
    "builtin": Extra(
        "the built-in chat and embedding models",
        {
            "xllamacpp": "xllamacpp",
            "gguf": "gguf",
            "onnxruntime": "onnxruntime",
        },
    ),
    "rerank": Extra(
        "reranking with a cross-encoder", {"sentence-transformers": "sentence_transformers"}
    ),
    "pdf": Extra("PDF files", {"pypdfium2": "pypdfium2", "regex": "regex"}),
    "office": Extra(
        "Excel and Outlook files",
        {
            "openpyxl": "openpyxl",
            "python-calamine": "python_calamine",
            "python-oxmsg": "oxmsg",
            "xlrd": "xlrd",
            "compressed-rtf": "compressed_rtf",
        },
    ),
    "tables": Extra("queries over tables (strategy table)", {"duckdb": "duckdb"}),
    "loaders": Extra(
        "LangChain's document loaders", {"langchain-community": "langchain_community"}
    ),
    "eval": Extra("`hopyard eval`", {"ir-measures": "ir_measures"}),
    "terms": Extra("terms of a domain in the entity graph", {"textblob": "textblob"}),
    "summary-tree": Extra(
        "the index kind `summary-tree`", {"umap-learn": "umap", "scikit-learn": "sklearn"}
    ),
    "gate": Extra(
        "training a gate",
        {
            "captum": "captum",
            "torch": "torch",
            "transformers": "transformers",
            "accelerate": "accelerate",
            "scikit-learn": "sklearn",
        },
        ("builtin", "eval"),
    ),
    "mcp": Extra("`hopyard mcp`", {"mcp": "mcp"}),
    "serve": Extra(
        "`hopyard serve`",
        {
            "starlette": "starlette",
            "uvicorn": "uvicorn",
            "sse-starlette": "sse_starlette",
            "pypdfium2": "pypdfium2",
            "pillow": "PIL",
        },
    ),
    "studio": Extra("LangGraph's server and Studio", {"langgraph-cli": "langgraph_cli"}),
    "encryption": Extra("encrypted checkpoints", {"pycryptodome": "Crypto"}),
    "postgres": Extra(
        "index, threads and ledger in Postgres",
        {
            "psycopg": "psycopg",
            "psycopg-pool": "psycopg_pool",
            "langgraph-checkpoint-postgres": "langgraph.checkpoint.postgres",
        },
    ),
    "ray": Extra("builds on a Ray cluster", {"ray": "ray"}, ("postgres",)),
}


def install_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'hopyard[{extra}]'"


def missing_modules(extra: str) -> list[str]:
    """The modules of an extra that are not installed, and of those it includes.

    Nothing is imported.
    """
    found = EXTRAS[extra]
    missing = [module for module in found.modules.values() if not _is_installed(module)]
    return missing + [module for name in found.includes for module in missing_modules(name)]


def missing_sentence(what: str, extra: str) -> str:
    """Return the message about a missing extra, without the final full stop."""
    return f"{what} needs hopyard[{extra}]: {install_command(extra)}"


def require(what: str, extra: str, error: type[HopyardError] = UsageError) -> None:
    """Check that an extra is installed.

    Args:
        what: The feature that needs it, as the subject of a sentence.
        error: The error class to raise.

    Raises:
        HopyardError: It is not installed; one sentence names it and the command.
    """
    if missing_modules(extra):
        raise error(f"{missing_sentence(what, extra)}.")


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that the module is in
        return False
