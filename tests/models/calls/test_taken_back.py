"""A draft is no answer if the words after it take it back; other words after an answer do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from protocols import Script

from hopyard.models.calls.parse import UnfitOutputError, parse
from hopyard.prompts.answer import Answer
from hopyard.state.errors import ModelOutputError

from ..asking import asked

WHOLE = '{"answer": "Marta Quill"}'
WRONG = '{"answer": "Tomas Reed"}'


@pytest.mark.parametrize(
    "text",
    [
        f"Maybe {WRONG}? No, it is Marta Quill.",
        f"{WRONG}\n\nWait, passage 2 says Marta Quill.",
        f"```json\n{WRONG}\n```\nHowever, this is wrong: it was Marta Quill.",
        "Maybe {'answer': 'Tomas Reed'}? No, Marta Quill.",
        f"{WRONG} 不对，应该是 Marta Quill。",
        f"{WRONG} Nein, das stimmt nicht.",
        f"{WRONG} That should be Marta Quill. Do not hesitate to ask.",
        f"{WRONG}<think>Was it {WRONG}?</think>",
        "Let me think. The answer might be Tomas Reed… no.",
        '{"answer": NaN}',
        "Tomas Reed",
    ],
)
async def test_a_draft_that_is_taken_back_is_asked_for_again(serve: Any, text: str) -> None:
    server = serve(Script(text), Script(WHOLE))
    output, told = await asked("openai:m", streamed=False)
    assert (output.answer, told.ever) == ("Marta Quill", "")
    assert len(server.requests) == 2


async def test_a_draft_that_is_always_taken_back_is_an_error(serve: Any) -> None:
    serve(Script(f"Maybe {WRONG}? No, it is Marta Quill."))
    with pytest.raises(ModelOutputError, match="take it back") as raised:
        await asked("openai:m")
    assert raised.value.reason == "unfit"


@pytest.mark.parametrize(
    "text",
    [
        f"{WHOLE}\n\nThis answer is based on passage 1.",
        f"{WHOLE}\nI hope this should help! Please don't hesitate to ask.",
        f"{WHOLE}\nZögern Sie nicht, weitere Fragen zu stellen.",
        f"{WHOLE}\nN'hésitez pas à me poser d'autres questions.",
        f"{WHOLE}\nNo dudes en preguntar.",
        f"{WHOLE}\n如有问题，请不要犹豫提问。",
        f"```json\n{WHOLE}\n```\nIs there anything else?",
        f"Is it Tomas Reed? No. But wait:\n{WHOLE}",
        f"{WRONG}\nWait. Correction:\n{WHOLE}",
        f"{WHOLE}}}}}",
        '{"answer": "Marta Quill", // passage 1\n}',
        "{“answer”: “Marta Quill”}",
        '{"answer": "Tomas Reed", "answer": "Marta Quill"}',
        json.dumps(WHOLE),
    ],
)
def test_the_object_that_a_reply_finally_gives_counts(text: str) -> None:
    assert parse(text, Answer)[0].answer == "Marta Quill"


def test_an_answer_may_have_the_words_that_take_back() -> None:
    assert parse('{"answer": "No? But wait"} Done.', Answer)[0].answer == "No? But wait"


@pytest.mark.parametrize(
    "words",
    [
        "On second thought, the passage says 1942.",
        "Let me reconsider: it is Marta.",
        "Oops, I mixed up the rows.",
        "It doesn't match passage 2.",
        "Passage 3 contradicts this.",
        "The real answer is Marta Quill.",
        "Ah, the second row says 1943.",
        "Entschuldigung, es ist Marta.",
        "Vielmehr Marta.",
        "En realidad es Marta.",
        "訂正します。",
        "정정합니다.",
    ],
)
def test_an_object_is_no_answer_if_other_words_after_it_take_it_back(words: str) -> None:
    with pytest.raises(UnfitOutputError, match="take it back"):
        parse(f"{WRONG}\n{words}", Answer)


@pytest.mark.parametrize(
    "words",
    [
        "I hope this helps!",
        "The answer follows from passages 1 and 2.",
        "Ich hoffe, das hilft.",
        "以上です。",
        "希望对您有帮助。",
        "도움이 되었기를 바랍니다.",
    ],
)
def test_closing_words_take_nothing_back(words: str) -> None:
    assert parse(f"Two rows: 12.\n{WHOLE}\n{words}", Answer)[0].answer == "Marta Quill"
