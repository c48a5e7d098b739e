"""`hopyard chat`. Its flags; the conversation itself is imported when it begins."""

from __future__ import annotations

from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    ModelOption,
    SetOption,
    StrategyOption,
    StyleOption,
    ThreadOption,
    WhereOption,
    given_settings,
)

__all__ = ("chat_command",)


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
