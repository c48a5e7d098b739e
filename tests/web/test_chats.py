"""Which requests are questions, which are prompts about the chat, and whose thread continues."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.web.chats import Chat, Conversations, is_about_the_chat, read_chat

KNOWN = "When was the tower built?"
ANSWERED = "It was built in 1889 [1]."
FILE = "<source id=1>A text.</source>"
TALK = "USER: When was the tower built?\nASSISTANT: In 1889."


def chat(*said: str, orders: str = "", **more: Any) -> Chat:
    messages = [{"role": "system", "content": orders}] if orders else []
    roles = ("user", "assistant")
    messages += [{"role": roles[place % 2], "content": text} for place, text in enumerate(said)]
    return read_chat({"messages": messages, **more})


def known() -> Conversations:
    conversations = Conversations()
    conversations.keep(chat(KNOWN).said, ANSWERED, "a", 1)
    return conversations


@pytest.mark.parametrize(
    ("sent", "about"),
    [
        # As Open WebUI asks: the conversation stands between tags or as lines of both speakers.
        (chat(f"### Aufgabe:\nNenne das Thema.\n<chat_history>\n{TALK}\n</chat_history>"), True),
        (chat(f'### Tarea:\nJSON: {{ "tags": ["uno"] }}\n{TALK}'), True),
        (chat(f"### Task:\nSummarize this conversation.\n### Recent messages:\n{TALK}"), True),
        (chat("Show a fitting emoji for this.\n\nMessage: ```I saw the tower!```"), True),
        (chat(f"Query: History:\n{TALK}", orders='Answer {"tool_calls": []} only.'), True),
        # As LibreChat and others ask.
        (
            chat("User: When?\nAI: In 1889.", orders="Provide a short title for the conversation."),
            True,
        ),
        (chat(KNOWN, ANSWERED, "Write a short title for this conversation."), True),
        (chat(f"主题是什么？\n\n问：{KNOWN}\n答：It was built\nin 1889 [1]."), True),
        # Questions.
        (chat("What title does the chapter about the conversation of 1781 have?"), False),
        (chat("Which tags does the guide to chat clients suggest?"), False),
        (chat("What does the tag <chat_history> mean?"), False),
        (chat("Summarize the report.", orders="Be brief."), False),
        (chat(KNOWN, ANSWERED, "Provide the name of the chat with the mayor."), False),
        (chat(KNOWN), False),
        (
            chat(f"### Task:\nAnswer.\n<context>\n<source id=1>x</source>\n</context>\n{KNOWN}"),
            False,
        ),
    ],
)
def test_prompts_about_the_chat_are_told_from_questions(sent: Chat, about: bool) -> None:
    assert is_about_the_chat(sent, known()) == about


def test_files_that_a_client_adds_are_no_part_of_the_question() -> None:
    added = f"### Task:\nAnswer.\n<context>\n{FILE}\n</context>\n\n"
    assert chat(added + KNOWN).said[-1].text == KNOWN
    assert chat(f"What is <context>x</context> {KNOWN}").said[-1].text.startswith("What is")


def test_a_conversation_is_known_whatever_its_white_space_and_only_once() -> None:
    conversations = known()
    again = chat(KNOWN, "It was built\n in 1889 [1]. ", "By whom?").said
    assert conversations.take(again[:-1]) == ("a", 1)
    assert conversations.take(again[:-1]) == ("", 0)


@pytest.mark.parametrize(
    ("sent", "tokens"),
    [({}, 500), ({"max_tokens": 20}, 20), ({"max_completion_tokens": 9999}, 4000)],
)
def test_a_client_limits_the_answer_to_a_prompt_about_the_chat(
    sent: dict[str, Any], tokens: int
) -> None:
    assert chat(KNOWN, **sent).task_tokens == tokens
