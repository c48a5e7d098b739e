"""The flags of `hopyard ask`, `hopyard resume` and `hopyard chat`.

The modules that run a thread are imported on first use: `hopyard ask --help` does not wait for
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
    SourcesOption,
    StrategyOption,
    StyleOption,
    ThreadOption,
    WhereOption,
    given_settings,
    thread_name,
)

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
    approve: Annotated[
        str | None,
        typer.Option(
            help="Ask for approval before these steps: route, decomposition, hops, reading."
        ),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    sources: SourcesOption = False,
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
            "approve": approve,
            "answer.style": style,
            "answer.explain": explain,
            "retrieval.k": k,
            "budget.calls": max_calls,
            "budget.tokens": max_tokens,
        },
        set_,
    )
    from hopyard.cli.run_thread import Shown, ask

    shown = Shown(as_json=json_, stream=stream, sources=sources, texts=texts)
    ask(question, given, thread, shown, record)


def resume_command(
    thread: Annotated[
        str,
        typer.Argument(help="The thread that was interrupted or killed.", callback=thread_name),
    ],
    answer: Annotated[
        str | None,
        typer.Option(help="Your decision: approve, reject, or an edit as JSON."),
    ] = None,
    set_: SetOption = None,
    stream: StreamOption = False,
    sources: SourcesOption = False,
    texts: TextsOption = False,
    json_: JsonOption = False,
) -> None:
    """Continue an interrupted thread, or show the result of a finished thread."""
    from hopyard.cli.run_thread import Shown, resume

    shown = Shown(as_json=json_, stream=stream, sources=sources, texts=texts)
    resume(thread, answer, set_, shown)


def chat_command(
    index: IndexOption = None,
    thread: ThreadOption = None,
    strategy: StrategyOption = None,
    where: WhereOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    style: StyleOption = None,
    set_: SetOption = None,
) -> None:
    """Talk about your documents. Follow-up questions work; /help lists the commands."""
    flags = {
        "index": index,
        "strategy": strategy,
        "where": where,
        "model": model,
        "embedding": embedding,
        "answer.style": style,
    }
    given = given_settings(flags, set_)
    from hopyard.cli.chat import talk

    talk(thread, given)
