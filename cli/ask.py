"""`hopyard ask` and `hopyard resume`: their flags.

The modules that run a thread are imported on first use: `hopyard ask --help` shall not wait for
LangGraph.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    ModelOption,
    RecordOption,
    SearchOption,
    SetOption,
    StrategyOption,
    StyleOption,
    ThreadOption,
    WhereOption,
    given_settings,
    thread_name,
)

__all__ = ("ask_command", "resume_command")

StreamOption = Annotated[
    bool,
    typer.Option(
        "--stream", help="Print the answer while the model writes it, and each step when it ends."
    ),
]

TextsOption = Annotated[
    bool,
    typer.Option("--texts", help="Show the text of the passages that the model read."),
]


def ask_command(
    question: Annotated[str, typer.Argument(help="Your question.")],
    index: IndexOption = None,
    strategy: StrategyOption = None,
    search: SearchOption = None,
    where: WhereOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    gate: Annotated[
        str | None, typer.Option(help="auto, off, builtin, capable, or a gate's folder.")
    ] = None,
    route: Annotated[
        str | None, typer.Option(help="auto, model, or the folder of a trained route.")
    ] = None,
    thread: ThreadOption = None,
    style: StyleOption = None,
    explain: Annotated[
        bool | None,
        typer.Option(
            "--explain/--no-explain",
            help="Compute each passage's share of the answer, with up to 33 more model calls.",
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Passages for each question.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Model calls at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds at most.")] = None,
    approve: Annotated[
        str | None,
        typer.Option(help="Ask for approval before these steps: route, decomposition, hops."),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    texts: TextsOption = False,
    record: RecordOption = None,
    json_: JsonOption = False,
) -> None:
    """Answer a question from your documents."""
    given = given_settings(
        {
            "index": index,
            "strategy": strategy,
            "retrieval.method": search,
            "where": where,
            "model": model,
            "embedding": embedding,
            "gate": gate,
            "route": route,
            "approve": approve,
            "answer.style": style,
            "answer.explain": explain,
            "retrieval.k": k,
            "budget.calls": max_calls,
            "budget.tokens": max_tokens,
            "budget.seconds": max_seconds,
        },
        set_,
    )
    from hopyard.cli.run_thread import ask

    ask(question, given, thread, stream=stream, texts=texts, as_json_object=json_, record=record)


def resume_command(
    thread: Annotated[
        str,
        typer.Argument(help="The thread that was interrupted or killed.", callback=thread_name),
    ],
    answer: Annotated[
        str | None,
        typer.Option(help="To what the thread waits for: approve, reject, or an edit as JSON."),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    texts: TextsOption = False,
    json_: JsonOption = False,
) -> None:
    """Continue an interrupted thread, or show the result of a finished thread."""
    from hopyard.cli.run_thread import resume

    resume(thread, answer, set_, stream=stream, texts=texts, as_json_object=json_)
