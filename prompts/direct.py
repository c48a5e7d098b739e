"""Answer from what the model knows, without a document."""

from __future__ import annotations

from typing import Final

from hopyard.models.prompt import Example, Prompt, Shorter
from hopyard.prompts.answer import Answer

__all__ = ("DIRECT",)

DIRECT: Final = Prompt(
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
    capable=Shorter(examples=2, max_tokens=768),
)
