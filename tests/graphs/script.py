"""What the model says in a test: outputs by kind of request and by the question it is about."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableLambda

Said = dict[str, Any] | str
"""One output: an object, or the text as it is."""

_TITLES = {
    "Route": "route",
    "StandAlone": "rewrite",
    "Revised": "revise",
    "Decomposition": "split",
    "Rubric": "rubric",
    "BranchScores": "judge",
    "Replacement": "replace",
    "Split": "plan",
    "PartAnswer": "part",
    "Closing": "close",
    "ChainStep": "step",
    "NextSearch": "again",
    "StatementChecks": "check",
}
_STRAIGHT = str.maketrans("“”", '""')
_QUESTION = re.compile(r"^(?:(?:Last q|Q)uestion|Last message): (.*)$", re.MULTILINE)
_RUBRICS = ("wh_form", "specific", "relevant", "non_overlapping", "complete")
_SCORES = ("sufficiency", "non_redundancy", "consistency", "decomposition")

QUESTION = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"

SIMPLE: Said = {"kind": "simple", "first": "", "second": ""}
GARBAGE: Said = "I would rather talk about the weather."


def split(first: str, second: str) -> Said:
    """A decomposition."""
    return {"kind": "compound", "first": first, "second": second}


def rubric(points: int) -> Said:
    """The first so many rubrics are met."""
    return {name: int(number < points) for number, name in enumerate(_RUBRICS)}


def scores(total: int, weaker: str = "first") -> Said:
    """Four scores with that sum: θ=0.4 asks for 8 of 20."""
    each, more = divmod(total, 4)
    values = {name: each + (number < more) for number, name in enumerate(_SCORES)}
    return {**values, "weaker": weaker}


def said(answer: str) -> Said:
    """A short answer."""
    return {"answer": answer}


class Script:
    """An answer function for `ModelServer`.

    Outputs are looked up by (kind, question); a list gives one after the other, the last one for
    ever. Kinds: route, rewrite, revise, split, rubric, judge, replace, read (passages), aggregate
    (findings), direct; again (a search in other words); plan, part, close (of a tree with
    dependencies). What is not scripted is answered so that the run goes on: questions are simple,
    judges content, answers tell their question.

    Attributes:
        lines: The outputs.
        asked: (kind, question) of every request, in the order in which they came.
        turns: The last message of every request, in that order.
        before: Called with (kind, question) before each answer; may block.
    """

    def __init__(self, lines: dict[tuple[str, str], Said | list[Said]] | None = None) -> None:
        self.lines: dict[tuple[str, str], Said | list[Said]] = lines or {}
        self.asked: list[tuple[str, str]] = []
        self.turns: list[str] = []
        self.before: Callable[[str, str], None] = lambda kind, question: None
        self._lock = threading.Lock()

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        kind, question = request_of(title, messages)
        with self._lock:
            self.asked.append((kind, question))
            self.turns.append(str(messages[-1]["content"]))
            line = self.lines.get((kind, question), _otherwise(kind, question))
            if isinstance(line, list):
                line = line.pop(0) if len(line) > 1 else line[0]
        self.before(kind, question)
        return line

    @property
    def counts(self) -> dict[str, int]:
        """Requests by kind."""
        return dict(Counter(kind for kind, _ in self.asked))

    def turn(self, kind: str, question: str, number: int = 0) -> str:
        """The last message of the so-manieth request of that kind about that question."""
        places = [place for place, asked in enumerate(self.asked) if asked == (kind, question)]
        return self.turns[places[number]]


class ScriptedChat:
    """A chat model without a server: ten times as fast, where no test looks at the requests."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def with_structured_output(self, schema: dict[str, Any], **_: Any) -> RunnableLambda[Any, Any]:
        async def answer(messages: list[BaseMessage]) -> AIMessage:
            asked = [{"role": message.type, "content": message.content} for message in messages]
            said = await asyncio.to_thread(self._script, schema["title"], asked)  # it may block
            usage = UsageMetadata(input_tokens=100, output_tokens=10, total_tokens=110)
            text = said if isinstance(said, str) else json.dumps(said)
            cut = text.startswith("{") and not text.endswith("}")
            end = {"finish_reason": "length" if cut else "stop"}
            return AIMessage(text, usage_metadata=usage, response_metadata=end)

        return RunnableLambda(answer)


def request_of(title: str, messages: list[dict[str, Any]]) -> tuple[str, str]:
    """The kind of a request and the question that it is about."""
    turn = str(messages[-1]["content"])
    kind = _TITLES.get(title, "direct")
    if kind == "direct" and "\nFindings:\n" in turn:
        kind = "aggregate"
    elif kind == "direct" and turn.startswith("Passages:\n"):
        kind = "read"
    found = _QUESTION.findall(turn)
    asked = found[-1] if found else turn
    return kind, asked.translate(_STRAIGHT)  # what is to be rewritten has typographic quotes


def _otherwise(kind: str, question: str) -> Said:
    if kind == "again":
        return {"search": f"In other words: {question}"}
    if kind == "plan":
        return {"thought": "One fact.", "kind": "simple"}
    if kind in {"part", "close"}:
        return {"thought": "So it is.", "answer": f"{kind}: {question}", "passages": [1]}
    return _briefly(kind, question)


def _briefly(kind: str, question: str) -> Said:
    if kind == "route":
        return {"strategy": "single"}
    if kind == "split":
        return SIMPLE
    if kind == "rubric":
        return rubric(5)
    if kind == "judge":
        return scores(20)
    if kind in {"rewrite", "replace"}:
        return {"question": f"{question} Anew?"}
    return said(f"{kind}: {question}")


def full_tree(question: str, depth: int) -> dict[tuple[str, str], Any]:
    """Splits that make a full binary tree: each question has one about its left and its right."""
    if not depth:
        return {}
    halves = [f"{question.rstrip('?')} {side}?" for side in ("left", "right")]
    lines: dict[tuple[str, str], Any] = {("split", question): split(*halves)}
    for half in halves:
        lines |= full_tree(half, depth - 1)
    return lines
