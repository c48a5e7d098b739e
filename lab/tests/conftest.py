from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import home, interrupts, model_server, one_attempt, retries, words

__all__ = ("home", "interrupts", "model_server", "one_attempt", "retries", "words")


class WordTokenizer:
    """One token a word, a mark or a white space, in a chat template of one line a turn."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def apply_chat_template(
        self, turns: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool
    ) -> str:
        assert not tokenize
        text = "".join(f"<{turn['role']}>{turn['content']}<end>\n" for turn in turns)
        return text + "<assistant>" * add_generation_prompt

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        found = list(re.finditer(r"<\w+>|\w+|\s|[^\w\s]", text))
        for match in found:
            if match.group() not in self.known:
                self.known.append(match.group())
        return {
            "input_ids": [self.known.index(match.group()) for match in found],
            "offset_mapping": [match.span() for match in found],
        }

    def decode(self, tokens: list[int]) -> str:
        return "".join(self.known[token] for token in tokens)


@pytest.fixture
def tokenizer() -> WordTokenizer:
    return WordTokenizer()
