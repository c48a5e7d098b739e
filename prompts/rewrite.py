"""Make a follow-up question stand on its own."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from hopyard.models.prompt import Example, Output, Prompt, Shorter

__all__ = ("REWRITE", "StandAlone")


class StandAlone(Output):
    """The question, understandable without the conversation."""

    question: str = Field(min_length=1, max_length=500)


REWRITE: Final = Prompt(
    name="rewrite",
    version=1,
    system=(
        "Rewrite the last question so that it is understood without the conversation: put names "
        "in place of words such as it, he, there. A question that stands on its own stays as it "
        "is."
    ),
    template="Conversation:\n$conversation\n\nLast question: $question",
    output=StandAlone,
    max_tokens=96,
    examples=(
        Example(
            {
                "conversation": "User: Who painted The Scream?\nAssistant: Edvard Munch",
                "question": "When was he born?",
            },
            StandAlone(question="When was Edvard Munch born?"),
        ),
        Example(
            {
                "conversation": "User: Who painted The Scream?\nAssistant: Edvard Munch",
                "question": "What is the highest mountain in Peru?",
            },
            StandAlone(question="What is the highest mountain in Peru?"),
        ),
    ),
    typographic_quotes=True,
    capable=Shorter(examples=1, max_tokens=256),
)
