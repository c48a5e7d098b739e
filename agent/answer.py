"""The result of a question: the answer with its citations, evidence, steps and cost.

All parts are frozen pydantic models: read them as attributes, write them with `model_dump_json`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import Field

from hopyard.agent.texts import with_texts
from hopyard.nodes.citations import is_unknown
from hopyard.state.answer import Citation, Evidence, Gate, Model, Result, Route, Source, Step
from hopyard.state.references import name_sources
from hopyard.state.schemas import NOT_SUPPORTED, UNCONFIRMED, notes_of, read_note

__all__ = ("Answer", "Citation", "Evidence", "Waiting", "evidence_of", "is_supported")


class Waiting(Model):
    """One question that the run asks before it continues. Answer it with `Hopyard.resume`."""

    id: str
    action: str
    """The step to approve: route, decomposition or hops."""
    args: dict[str, Any] = Field(default_factory=dict)
    """The proposed action. An edit gives those that change."""
    description: str = ""
    decisions: tuple[str, ...] = ()
    """The decisions that can be given: approve, edit, reject."""

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> Self:
        """The question of a LangChain `HITLRequest`, with the interrupt's id."""
        [action], [review] = asked["action_requests"], asked["review_configs"]
        return cls(
            id=asked["id"],
            action=action["name"],
            args=action["args"],
            description=action.get("description", ""),
            decisions=tuple(review["allowed_decisions"]),
        )


class Answer(Result):
    """The answer to one question, or what its run waits for. `str(answer)` is the text."""

    text: str
    """The answer; [1] is the first citation. Empty while the run waits or is unfinished."""
    steps: tuple[Step, ...] = ()
    strategy: str = ""
    model: str = ""
    gate: Gate | None = None
    route: Route | None = None
    thread: str = ""
    """The thread's name: pass it to `ask` for a follow-up, or to `resume`."""
    finished: bool = True
    """Whether the run ended with an answer. An error that ends a run leaves it unfinished."""
    waiting: tuple[Waiting, ...] = ()
    """The approvals that the run waits for."""

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Self:
        """The answer of a thread's state, as `Session.result` gives it. It reads the index."""
        known = with_texts(result)
        named = {
            **known,
            "notes": notes_of(known),
            "text": known.get("answer", ""),
            "thread": known.get("thread_id", ""),
            "waiting": [Waiting.of(asked) for asked in known.get("waiting", ())],
        }
        return cls.model_validate(
            {name: value for name, value in named.items() if value is not None}
        )

    @property
    def supported(self) -> bool:
        """Whether there is an answer, and the documents support all of it that was checked."""
        return is_supported({**self.model_dump(), "answer": self.text})

    @property
    def unsupported(self) -> tuple[Citation, ...]:
        """The citations whose claim was not found in their passages."""
        return tuple(citation for citation in self.citations if not citation.supported)

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        """The answer with its quotes, for a notebook."""
        lines = [html.escape(self.text, quote=False), *_quotes(self.citations)]
        if self.unconfirmed:
            lines.append(f"*{UNCONFIRMED}* {html.escape(self.unconfirmed, quote=False)}")
        notes = filter(None, (*self.notes, read_note(self.read_share)))
        lines += [f"*{html.escape(note, quote=False)}*" for note in notes]
        asked = ", ".join(waiting.action for waiting in self.waiting)
        lines.append(f"*Waiting for approval: {html.escape(asked)}*" if asked else "")
        return "\n\n".join(filter(None, lines))


def is_supported(result: Mapping[str, Any]) -> bool:
    """Whether a result has an answer, and the documents support all of it that was checked.

    An answer that was read from passages and cites none is not supported. An answer without
    documents (`direct`) has nothing to check.

    Args:
        result: The state of a thread, as `Session.result` gives it.
    """
    answered = result.get("finished", True) and not is_unknown(result.get("answer", ""))
    citations = result.get("citations", ())
    cited = all(citation.get("supported", True) for citation in citations)
    cited = cited and bool(citations or not result.get("evidence"))
    return bool(answered and cited and not result.get("unconfirmed"))


def evidence_of(units: Iterable[Mapping[str, Any]]) -> tuple[Evidence, ...]:
    """Evidence as searches and answers give it, typed."""
    return tuple(Evidence.model_validate(unit) for unit in units)


def _quotes(citations: Iterable[Citation]) -> list[str]:
    shown = list(citations)
    sources = [citation.model_dump(include=set(Source.model_fields)) for citation in shown]
    names = name_sources(sources)  # type: ignore[arg-type]
    lines = []
    for number, citation in enumerate(shown, 1):
        quotes = [html.escape(" ".join(quote.split()), quote=False) for quote in citation.quotes]
        name = html.escape(names[citation.passage_id], quote=False)
        doubt = "" if citation.supported else f" ({NOT_SUPPORTED})"
        quoted = " ".join(f"“{quote}”" for quote in quotes)
        lines.append(f"[{number}] {quoted} — {name}{doubt}")
    return lines
