"""Answer from what the model knows, without a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from pydantic import ConfigDict, Field

from hopyard.models.prompt import Example, Output, Prompt
from hopyard.prompts.answer import ROOM_TO_THINK, Answer, every_field_required


class DirectAnswer(Output):
    """An answer of any length."""

    model_config = ConfigDict(title="Answer", json_schema_extra=every_field_required)

    cut_field = "answer"
    not_needed = frozenset({"thought"})
    limits: ClassVar[Mapping[str, int]] = {"thought": 1000}

    thought: str = Field(
        default="", description="What the answer needs to be worked out; empty where nothing does."
    )
    answer: str = Field(min_length=1, description="The answer, or Unknown.")


_CAPABLE: Final = Prompt[Answer | DirectAnswer](
    name="direct",
    version=2,
    system=(
        "Answer from what you know; no document is at hand. Think first where the answer has to "
        "be worked out. A greeting or thanks gets a short, friendly reply. If the question takes "
        "something for granted that is wrong, say so. If you do not know, the answer is the "
        "single word Unknown: never make up a name, a number or a date."
    ),
    template="$style\n\nQuestion: $question",
    output=DirectAnswer,
    max_tokens=ROOM_TO_THINK,
)

DIRECT: Final = Prompt[Answer | DirectAnswer](
    name="direct",
    version=1,
    system=(
        "Answer with as few words as possible: a name, a number, a date, yes or no, or the one "
        "sentence asked for. If you do not know, answer Unknown."
    ),
    template="$question",
    output=Answer,
    max_tokens=96,
    examples=(
        Example({"question": "What is the capital of France?"}, Answer(answer="Paris")),
        Example({"question": "What is 12 plus 30?"}, Answer(answer="42")),
        Example({"question": "Hello!"}, Answer(answer="Hello! How can I help?")),
        Example({"question": "What is the plural of mouse?"}, Answer(answer="mice")),
    ),
    capable=_CAPABLE,
    small=600,
)
