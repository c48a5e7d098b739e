"""Make a follow-up question understandable alone, or see that it is about the last answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from pydantic import ConfigDict, Field

from hopyard.models.prompt import Example, Output, Prompt
from hopyard.prompts.answer import every_field_required


class StandAlone(Output):
    """The question, understandable without the conversation."""

    question: str = Field(min_length=1, max_length=500)


class FollowUp(Output):
    """What the user's last message wants, and the message understandable without the others."""

    model_config = ConfigDict(title="StandAlone", json_schema_extra=every_field_required)

    limits: ClassVar[Mapping[str, int]] = {"question": 500}

    kind: Literal["question", "revise"] = "question"
    question: str = Field(min_length=1)


_CAPABLE: Final = Prompt[StandAlone | FollowUp](
    name="rewrite",
    version=2,
    system=(
        "A user talks with an assistant that answers from documents. Say what kind of message the "
        "last one is.\n"
        "revise: it wants something done with the last answer, from what the assistant has already "
        "read: shorter, longer, as a table, translated, in simpler words, why, which passage says "
        "so.\n"
        "question: everything else; also a follow-up that asks for another fact, a greeting, and "
        "thanks.\n"
        "Then write the message so that it is understood without the conversation: names in place "
        "of words such as it, he, there. Keep its language and its meaning, and answer nothing. A "
        "message that stands on its own stays as it is."
    ),
    template="Conversation:\n$conversation\n\nLast question: $question",
    output=FollowUp,
    max_tokens=2000,
    examples=(
        Example(
            {
                "conversation": "User: Who painted The Scream?\nAssistant: Edvard Munch",
                "question": "When was he born?",
            },
            FollowUp(kind="question", question="When was Edvard Munch born?"),
        ),
    ),
)

REWRITE: Final = Prompt[StandAlone | FollowUp](
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
    capable=_CAPABLE,
    small=300,
)
