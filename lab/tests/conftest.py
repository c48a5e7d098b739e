from __future__ import annotations

import re
from typing import Any

import pytest


class WordTokenizer:
    """One token a word, a mark or a white space, in a chat template of one line a turn."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def apply_chat_template(
        self, turns: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool
    ) -> str:
        assert not tokenize
        text = "".join(f"<{one['role']}>{one['content']}<end>\n" for one in turns)
        return text + "<assistant>" * add_generation_prompt

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        found = list(re.finditer(r"<\w+>|\w+|\s|[^\w\s]", text))
        for one in found:
            if one.group() not in self.known:
                self.known.append(one.group())
        return {
            "input_ids": [self.known.index(one.group()) for one in found],
            "offset_mapping": [one.span() for one in found],
        }

    def decode(self, tokens: list[int]) -> str:
        return "".join(self.known[one] for one in tokens)


@pytest.fixture
def tokenizer() -> WordTokenizer:
    return WordTokenizer()
