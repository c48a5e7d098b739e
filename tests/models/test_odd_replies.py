"""Odd replies: none becomes an answer that it did not finally give; 1,000 in `make soak`.

Each reply is put together from parts, so what it finally gives is known. Most are LangChain
messages and streams in this process; the others go through the providers' own clients.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from protocols import ProtocolServer, Script

from hopyard.models.calls import call, request
from hopyard.models.calls.call import ModelCaller
from hopyard.models.calls.parse import parse
from hopyard.models.calls.stream import AnswerStream
from hopyard.models.chat import ChatProvider, chat_provider
from hopyard.models.ledger import Ledger, open_ledger
from hopyard.models.servers import abilities
from hopyard.prompts.strategies.direct import DIRECT, DirectAnswer
from hopyard.state.errors import ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context

from .asking import Told

IN_PROCESS, OVER_HTTP = (900, 100) if "SOAK_MINUTES" in os.environ else (160, 20)
FINAL, DRAFT = "final", "draft"
"""The first word of every answer says whether the reply finally gives it."""
THOUGHTS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
PROSE = ("", "So: ", "I am sure.\n", "```json\n", "\ud83d", "\x00")
GARBAGE = (*PROSE, "{", "}{", '"answer": "no"', "[" * 60, "{" * 60, '{"answer": null}', "[]", "7")
TAKEN_BACK = ("? No.", " Wait, no", " 不对")
FINISHED = ("stop", "end_turn", "STOP", "tool_calls")
CUT = ("length", "max_tokens")
FAILED = ("content_filter", "safety", "refusal", "error", "abort")
UNKNOWN = (None, "", 7, ["stop"])
USAGES = (
    None,
    {},
    [],
    "many",
    {"prompt_tokens": 5, "completion_tokens": 2},
    {"prompt_tokens": None, "completion_tokens": "2"},
    {"prompt_tokens": -1, "completion_tokens": 0},
)
BODIES = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"<html>",
    b'{"choices": null}',
    b'{"choices": []}',
    b'{"choices": [null]}',
    b'{"choices": [{"message": null, "finish_reason": "stop"}]}',
    b'{"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]}',
    b'{"message": null, "done": true}',
    b'{"content": null, "stop_reason": "end_turn"}',
    b'data: {"choices": null}\n\ndata: [DONE]\n\n',
    b'data: {"error": {"message": "no", "code": 500}}\n\n',
    b"data: [DONE]\n\n",
)


def whole(word: str) -> str:
    return json.dumps({"answer": f"{word} words of an answer"})


BROKEN_OFF = f"Maybe {whole(DRAFT)}? No, it is "
"""The answer would have come next."""


@dataclass(frozen=True)
class Odd:
    """An odd reply, and what it finally gives.

    Attributes:
        text: Its text.
        ending: What the text ends with: the `whole` answer, `half` of it, or something `else`.
        mark: The mark of its end.
        usage: What the server counted.
        refusal: A refusal beside the text.
        as_tool: Whether a stream sends the text as the arguments of a tool call.
        places: Where a stream is cut into pieces.
        marking: Whether its protocol marks the end of every reply.
    """

    text: str
    ending: str
    mark: Any = "stop"
    usage: Any = None
    refusal: Any = None
    as_tool: bool = False
    places: tuple[int, ...] = ()
    marking: bool = True

    @property
    def stopped(self) -> bool:
        """Whether a filter, the model or the server stopped it."""
        return bool(self.refusal) or self.mark in FAILED

    @property
    def must_answer(self) -> bool:
        """Whether nothing is missing."""
        return self.ending == "whole" and self.mark in FINISHED and not self.stopped

    def allows(self, answer: str, cut: bool) -> bool:
        """Whether the reply finally gives this answer, or its beginning up to a limit."""
        if self.stopped or self.ending == "else":
            return False
        if self.ending == "whole":
            return answer == f"{FINAL} words of an answer" and not cut
        return self.mark in CUT and cut and f"{FINAL} words of an answer".startswith(answer)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and what it ends with.

    A draft in prose comes before an answer, or is taken back: only these tell that it is a draft.
    """
    ending = draw(
        st.sampled_from((*["whole"] * 3, "half", "open thought", "taken back", "garbage"))
    )
    kinds = ["thought", "thought without its opening", "other object", "prose"]
    kinds += ["draft"] if ending in {"whole", "half"} else []
    parts: list[str] = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=3)):
        opening, closing = draw(st.sampled_from(THOUGHTS))
        drafts = ("Hm. ", f"Maybe {whole(DRAFT)}? No.", whole(DRAFT), whole(DRAFT)[:20])
        said = draw(st.sampled_from(drafts))
        part = {
            "thought": f"{opening}{said}{closing}",
            # A draft that nothing precedes cannot be told from an answer before its mark comes.
            "thought without its opening": f"Well: {said}{closing}",
            "other object": '{"note": [1, {"answer": 3}]} ',
            "prose": draw(st.sampled_from(PROSE)),
            "draft": f"Maybe {whole(DRAFT)}? ",
        }
        parts.append(part[kind])
    answer, opening = whole(FINAL), draw(st.sampled_from(THOUGHTS))[0]
    last = {
        "whole": answer + draw(st.sampled_from(("", "\n", "\n```", " Done."))),
        "half": answer[: draw(st.integers(1, len(answer) - 2))],
        "open thought": f"{opening}Maybe {whole(DRAFT)}? No, it",
        "taken back": f"Maybe {whole(DRAFT)}{draw(st.sampled_from(TAKEN_BACK))}",
        "garbage": draw(st.sampled_from(GARBAGE)),
    }
    return "".join([*parts, last[ending]]), ending if ending in {"whole", "half"} else "else"


@st.composite
def odd_replies(draw: st.DrawFn) -> Odd:
    if draw(st.integers(0, 9)) == 0:
        return Odd(BROKEN_OFF, "else", None, places=(20, 30))
    marks = (*FINISHED * 3, *CUT * 2, *FAILED, *UNKNOWN)
    return Odd(
        *draw(texts()),
        mark=draw(st.sampled_from(marks)),
        usage=draw(st.sampled_from(USAGES)),
        refusal=draw(st.sampled_from((*[None] * 6, "I will not.", {"why": 1}))),
        as_tool=draw(st.booleans()),
        places=tuple(draw(st.lists(st.integers(0, 300), max_size=8))),
        marking=draw(st.booleans()),
    )


class OddChat(BaseChatModel):
    """A model that sends an odd reply. Hopyard does not know whether it marks its end."""

    odd: Any

    @property
    def _llm_type(self) -> str:
        return "odd"

    def _around(self) -> dict[str, Any]:
        beside = {"refusal": self.odd.refusal} if self.odd.refusal else {}
        metadata = {"finish_reason": self.odd.mark, "token_usage": self.odd.usage}
        return {"additional_kwargs": beside, "response_metadata": metadata}

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        message = AIMessage(self.odd.text, **self._around())
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        text = self.odd.text
        edges = [0, *sorted(place % (len(text) + 1) for place in self.odd.places), len(text)]
        for begin, end in pairwise(edges):
            call = {"name": None, "args": text[begin:end], "id": None, "index": 0}
            piece = AIMessageChunk("" if self.odd.as_tool else text[begin:end])
            if self.odd.as_tool:
                piece.tool_call_chunks = [{**call, "type": "tool_call_chunk"}]
            yield ChatGenerationChunk(message=piece)
        yield ChatGenerationChunk(message=AIMessageChunk("", **self._around()))


class BaseChatOpenAI(OddChat):
    """The same with the name of a class of LangChain whose protocol marks the end."""


@dataclass
class Trial:
    """Asks one question after the other, and checks what comes out and what is kept."""

    ledger: Ledger
    numbers: Iterator[int]
    answered: int = 0
    failed: int = 0

    async def check(self, provider: ChatProvider, odd: Odd, *, streamed: bool) -> None:
        run, caller, told = f"run-{next(self.numbers)}", ModelCaller(provider, self.ledger), Told()
        context = Context(model="builtin", timeout=30)
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(call, "answer_stream", lambda markers: AnswerStream(told))
                output = await caller.call(
                    DIRECT, {"question": run}, context, run, final=streamed, retries=0
                )
        except (ModelOutputError, ModelUnreachableError) as error:
            self.failed += 1
            assert error.reason, error
            assert not odd.must_answer, error
        else:
            self.answered += 1
            assert odd.allows(output.answer, output.cut), output
            if streamed:
                assert told.text.rstrip() == output.answer
        assert DRAFT not in told.ever
        for use in self.ledger.uses(run):
            assert not odd.stopped
            assert odd.ending != "half" or odd.mark in CUT
            if use.entry.outcome != "failed":
                kept = parse(use.entry.output, DirectAnswer)[0]
                assert odd.allows(kept.answer, kept.cut)
            assert use.entry.input_tokens > 0


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    yield Trial(ledger, count())
    ledger.close()
    abilities._known.clear()


def many(examples: int) -> Any:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def test_no_odd_reply_becomes_an_answer_that_it_did_not_give(trial: Trial) -> None:
    with asyncio.Runner() as runner:

        @many(IN_PROCESS)
        @given(odd_replies(), st.booleans())
        def check(odd: Odd, streamed: bool) -> None:
            model = (BaseChatOpenAI if odd.marking else OddChat)(odd=odd)
            provider = ChatProvider("odd", lambda _: model, 4, cure="")
            runner.run(trial.check(provider, odd, streamed=streamed))

        check()
    assert trial.answered + trial.failed >= IN_PROCESS
    assert min(trial.answered, trial.failed) > IN_PROCESS / 5


ENDS = {"stop": "stop", "cut": "length", "filtered": "content_filter", "refused": "refusal"}
"""Ends of a script, and the mark that means the same here."""
MODELS = {
    "openai:m": ("stop", "cut", "filtered", "refused", ""),
    "groq:m": ("stop", "cut", "filtered", ""),
    "deepseek:m": ("stop", "cut", "filtered", ""),
    "ollama:m": ("stop", "cut", ""),
    "anthropic:claude-m": ("stop", "cut", "refused", ""),
}
"""The ends that each protocol knows."""


@st.composite
def odd_servers(draw: st.DrawFn) -> tuple[str, Script, Odd]:
    """A model, what its server sends, and what that finally gives."""
    model = draw(st.sampled_from(sorted(MODELS)))
    text, ending = draw(texts())
    text = text.encode("utf-8", "replace").decode()
    end = draw(st.sampled_from(MODELS[model]))
    if not end and draw(st.booleans()):
        text, ending = BROKEN_OFF, "else"
    shape = draw(st.sampled_from(("reply", "reply", "reply", "error", "body")))
    if shape == "body":
        return model, Script(raw=draw(st.sampled_from(BODIES))), Odd("", "else")
    counted = draw(st.booleans())
    script = Script(text, end=end, counted=counted, thought=draw(st.sampled_from(("", "Hm."))))
    if shape == "error":
        error = {"error": "upstream failed", "code": draw(st.sampled_from((None, 502, "x")))}
        return model, replace(script, **error), Odd(text, "else")
    return model, script, Odd(text, ending, ENDS.get(end))


def test_no_odd_server_gives_an_answer_that_it_did_not_send(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProtocolServer([Script()]) as server, asyncio.Runner() as runner:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        providers = {model: chat_provider(model) for model in MODELS}

        @many(OVER_HTTP)
        @given(odd_servers(), st.booleans())
        def check(sent: tuple[str, Script, Odd], streamed: bool) -> None:
            model, server.scripts[0], odd = sent
            runner.run(trial.check(providers[model], odd, streamed=streamed))

        check()
    assert trial.answered + trial.failed >= OVER_HTTP
    assert min(trial.answered, trial.failed) > OVER_HTTP / 10
