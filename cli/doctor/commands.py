"""`hopyard doctor`: what is installed, which models answer, and what to do about the rest."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import err, out, print_json
from hopyard.cli.doctor.finding import Finding, finding_of
from hopyard.cli.doctor.installation import installed, missing_weights, weights
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import EmbeddingOption, IndexOption, JsonOption, ModelOption, context_from
from hopyard.indexes.status import check_index
from hopyard.indexes.status import status as index_status
from hopyard.models.builtin.weights import CHAT_MODEL
from hopyard.models.names import NO_EMBEDDING, embedding_name, is_builtin
from hopyard.state.errors import IndexMissingError, ModelUnreachableError
from hopyard.state.extras import missing_modules
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.text.counting import held


def doctor_command(
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    index: IndexOption = None,
    json_: JsonOption = False,
) -> None:
    """Check the installation and the models, and print a fix for each problem.

    With --model, the model also answers ten small questions over a short text, in at most three
    minutes. They show what it can do, and which profile and strategy suit it. The weights of a
    built-in model that is named are fetched if they are missing.
    """
    context = _named_embedding(
        context_from({"model": model, "embedding": embedding, "index": index})
    )
    findings = [*installed(context)]
    named = (is_builtin(model or ""), bool(embedding))
    lacking = [] if missing_modules("builtin") else missing_weights(context, *named)
    findings += map(weights, lacking)
    results: dict[str, Any] = {}
    with err.status("calling the models …"):
        if CHAT_MODEL not in lacking:
            findings.append(_chat(context, again=bool(model)))
            if model and findings[-1].ok:
                results = _ask_questions(context, findings)
        if lacking in ([], [CHAT_MODEL]) and context.embedding != NO_EMBEDDING:
            findings.append(_embedding(context))
        findings.append(_ollama(context))
    if context.index:
        findings.append(_index(context))
    if json_:
        found = [asdict(finding) for finding in findings]
        print_json(
            {"findings": found, "ok": _all_well(findings)} | ({"model": results} if results else {})
        )
    else:
        _print(findings)
        if results:
            from hopyard.cli.doctor.model import print_results

            print_results(context.model, results)
    if not _all_well(findings):
        raise typer.Exit(1)


def _named_embedding(context: Context) -> Context:
    """The context with the name of the embedding model in place of `auto`."""
    from hopyard.indexes.corpus.manifest import read_manifest
    from hopyard.indexes.corpus.shared import folder_of

    if context.embedding != AUTO:
        return context
    held = "builtin"
    if context.index:
        with suppress(IndexMissingError):  # `_index` reports it
            held = embedding_name(read_manifest(folder_of(context.index)).embedding)
    return context.model_copy(update={"embedding": held})


def _all_well(findings: list[Finding]) -> bool:
    return all(finding.ok for finding in findings if finding.needed)


def _chat(context: Context, *, again: bool) -> Finding:
    """Whether the model answers.

    Args:
        again: Whether to forget what is known of its server, so that it is found out again.
    """
    from hopyard.models.chat import chat_provider
    from hopyard.models.servers.abilities import forget
    from hopyard.nodes.lifecycle import new_run_id
    from hopyard.nodes.resources import shared_resources
    from hopyard.nodes.run import Run
    from hopyard.prompts.answer import writing
    from hopyard.prompts.strategies.direct import DIRECT

    def ask() -> str:
        if (recording := chat_provider(context.model).recording) is not None:
            return f"replays {len(recording):,} recorded calls, and answers no other"
        # A run of its own name and a seed of its own: an answer from the ledger proves nothing.
        fresh = context.model_copy(update={"seed": int.from_bytes(os.urandom(3)), "timeout": 60.0})
        question = "What is the capital of France?"
        values = {"question": question, "style": writing(fresh.answer, passages=False)}
        run = Run(new_run_id(), fresh, shared_resources())
        if again:
            forget(shared_resources().caller(fresh.model).provider.identity)
        answer = run_async(run.call(DIRECT, values))
        return f"answers: {answer.answer!r} to “{question}”"

    return finding_of(f"chat model {context.model}", ask)


def _ask_questions(context: Context, findings: list[Finding]) -> dict[str, Any]:
    """The results of the ten questions; none for a recording."""
    from hopyard.cli.doctor.model import model_results, server_line

    if not (results := model_results(context)):
        return {}
    schema = results["skills"][0]
    findings.append(
        Finding(
            f"server of {context.model}",
            bool(schema["right"] or not schema["asked"]),
            f"{server_line(results)}; {schema['right']} of {schema['asked']} outputs fit",
            "use another model: none of its outputs fits a schema",
        )
    )
    return results


def _embedding(context: Context) -> Finding:
    from hopyard.models.embeddings import embedder

    def embed() -> str:
        return f"{embedder(context.embedding).embed_query('hop').shape[0]} dimensions"

    return finding_of(f"embedding model {context.embedding}", embed)


def _asked_of_ollama(context: Context) -> list[str]:
    names = (context.model, context.embedding)
    return [name.removeprefix("ollama:") for name in names if name.startswith("ollama:")]


def _lacking(context: Context, found: Collection[str]) -> list[str]:
    wanted = _asked_of_ollama(context)
    return [name for name in wanted if name not in found and f"{name}:latest" not in found]


def _ollama(context: Context) -> Finding:
    """Ollama's server and models; needed where one of them is asked for."""
    from hopyard.models.ollama import installed_models, ollama_address, server_version

    wanted = _asked_of_ollama(context)
    try:
        found = installed_models()
    except ModelUnreachableError as error:
        return Finding("Ollama", False, str(error), needed=bool(wanted))
    version = server_version()
    runs = f"{version} at {ollama_address()}" if version else f"at {ollama_address()}"
    missing = _lacking(context, found)
    if missing or not found:
        pull = " and ".join(f"`ollama pull {name}`" for name in missing or ["llama3.1:8b"])
        lacks = ", ".join(missing) or "any model"
        return Finding("Ollama", False, f"{runs} lacks {lacks}", pull, needed=bool(missing))
    models = ", ".join(f"{name} ({size})" if size else name for name, size in found.items())
    return Finding("Ollama", True, f"{runs}: {models}", needed=bool(wanted))


def _index(context: Context) -> Finding:
    def look() -> str:
        from hopyard.indexes.corpus.shared import folder_of

        directory = folder_of(context.index)
        check_index(directory)
        found = index_status(directory)
        return ", ".join(held(count, name) for name, count in found.manifest.counts.items())

    return finding_of(f"index {context.index}", look)


def _print(findings: list[Finding]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        bad = "[red]✗[/]" if finding.needed else "[yellow]–[/]"
        mark = "[green]✓[/]" if finding.ok else bad
        cure = f" → {finding.cure}" if finding.cure and not finding.ok else ""
        table.add_row(mark, escape(finding.name), escape(finding.detail + cure))
    out.print(table)
    if _all_well(findings):
        out.print("[green]Ready.[/]")
    else:
        out.print("[red]Not ready:[/] see the lines with ✗.")
