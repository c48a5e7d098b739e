"""A corpus of people who know each other, and a model that asks about them."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from hopyard.indexes.corpus.records import Document

PEOPLE = ("Alba", "Bert", "Cora", "Dirk", "Elsa", "Finn", "Gina", "Hugo", "Inga", "Jens")
GARBAGE = "I would rather talk about the weather."

_PASSAGE = re.compile(r"^\[1\] (\w+): (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z]\w+")


def person(number: int, *, ahead: tuple[int, int] = (1, 2)) -> Document:
    """One of the people, who knows two of those that come after."""
    name, first, second = (PEOPLE[(number + step) % len(PEOPLE)] for step in (0, *ahead))
    return Document(
        name.lower(), name, f"{name} knows {first} and {second} and grows plant {number}."
    )


def people(count: int) -> list[Document]:
    """The first so many of them."""
    return [person(number) for number in range(count)]


def asked_about(messages: list[dict[str, Any]]) -> str:
    """The title of the passage that a request is about, also when it is asked again."""
    turn = next(
        m for m in reversed(messages) if "[1] " in str(m["content"]) and m["role"] == "user"
    )
    found = _PASSAGE.search(str(turn["content"]))
    assert found
    return found[1]


def questions_about(title: str, text: str) -> dict[str, list[str]]:
    """Two questions that the passage answers, and two about each person it names besides."""
    others = [name for name in dict.fromkeys(_NAME.findall(text)) if name != title]
    return {
        "incoming": [f"Which plant does {title} grow?", f"Whom does {title} know?"],
        "outcoming": [
            question
            for name in others
            for question in (f"Which plant does {name} grow?", f"Whom does {name} know?")
        ],
    }


class Writer:
    """An answer function for `ModelServer` that writes questions.

    Attributes:
        instead: Answers for a title in place of good questions: an output, or outputs in turn, the
        last output forever.
        titles: The title of every request so far.
        before: Called with the title before each answer; may block.
    """

    def __init__(self) -> None:
        self.instead: dict[str, Any] = {}
        self.titles: list[str] = []
        self.before: Callable[[str], None] = lambda title: None
        self._lock = threading.Lock()

    def __call__(self, schema: str, messages: list[dict[str, Any]]) -> Any:
        assert schema == "PassageQuestions"
        title = asked_about(messages)
        with self._lock:
            self.titles.append(title)
            instead = self.instead.get(title)
            if isinstance(instead, list):
                instead = instead.pop(0) if len(instead) > 1 else instead[0]
        self.before(title)
        if instead is not None:
            return instead
        turn = next(m for m in messages[::-1] if "[1] " in str(m["content"]))
        text = _PASSAGE.search(str(turn["content"]))
        assert text
        return questions_about(title, text[2])

    @property
    def counts(self) -> Counter[str]:
        """Requests by title."""
        return Counter(self.titles)
