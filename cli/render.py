"""A finished run in the terminal: citations, gate and route, steps, what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hopyard.agent.answer import is_supported
from hopyard.cli.console import printable
from hopyard.state.references import name_sources
from hopyard.state.schemas import (
    NOT_SUPPORTED,
    NOTE,
    UNCONFIRMED,
    Citation,
    Source,
    notes_of,
    quotes_of,
    read_note,
    why_truncated,
)
from hopyard.state.storage.thread_names import shell_name
from hopyard.state.text.counting import counted
from hopyard.state.usage import about
from hopyard.tracing.describe import Names, gate_word, passages_of
from hopyard.tracing.model import nest_steps
from hopyard.tracing.terminal import draw_steps
from hopyard.tracing.texts import find_names

_SOURCES: Final = 5
"""Sources shown below an answer, unless all are asked for."""
_FRAME: Final = 6
"""Columns of a panel that its title cannot have."""
_JSON_KEYS = (
    "question", "answer", "model", "strategy", "gate", "route", "citations", "evidence", "steps",
    "finished", "ending", "truncated", "unconfirmed", "read_share", "explanation", "thread_id",
    "usage",
)  # fmt: skip


def as_json(result: Mapping[str, Any]) -> dict[str, Any]:
    """The object that `ask --json` prints."""
    kept = {key: result.get(key) for key in _JSON_KEYS}
    return {**kept, "notes": notes_of(result), "supported": is_supported(result)}


def draw_result(
    result: Mapping[str, Any], *, answered: bool = False, sources: bool = False
) -> RenderableType:
    """A finished run.

    Args:
        answered: Whether question and answer are on the screen already.
        sources: Whether to show all sources, not only the first five.
    """
    result = printable(result)
    panel = _Box(result["question"], result["answer"])
    steps = [step for step in result["steps"] if step["kind"] != NOTE]  # below the answer
    settings = result.get("settings", {})
    names = find_names(passages_of(steps), settings.get("index", ""), settings.get("groups"))
    parts: list[RenderableType] = [
        *(() if answered else (panel,)),
        *answer_lines(result, names, sources=sources),
        *warning_lines(result),
        _decisions(result),
        draw_steps(nest_steps(steps), names, told=result["answer"]),
        usage_line(result),
    ]
    return Group(*parts)


def answer_lines(
    result: Mapping[str, Any], names: Names | None = None, *, sources: bool = False
) -> list[RenderableType]:
    """The lines below an answer: sources, shares, doubts, passages.

    Args:
        names: Titles of passages by id.
        sources: Whether to show all sources, not only the first five.
    """
    citations = result["citations"]
    shown = citations if sources else citations[:_SOURCES]
    left = len(citations) - len(shown)
    more = f"… and {left} more: hopyard threads show {shell_name(result['thread_id'])} --sources"
    return [
        *_citation_lines(shown),
        *([Text(more, style="dim")] if left else []),
        *_explanation_line(result, names),
        *doubt_lines(result),
        *passage_lines(result["evidence"]),
    ]


def warning_lines(result: Mapping[str, Any]) -> list[Text]:
    """Why a run was cut short, and what a reader has to know."""
    return [Text(each, style="yellow") for each in (*why_truncated(result), *notes_of(result))]


@dataclass
class _Box:
    """The answer below the question, which is the box's title where it fits into one line."""

    question: str
    answer: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        answer = drawn_answer(self.answer)
        if "\n" not in self.question and cell_len(self.question) <= options.max_width - _FRAME:
            title = escape(self.question)
            yield Panel(answer, title=title, title_align="left", expand=False)
        else:
            yield Panel(Group(Text(self.question), Rule(style="dim"), answer))


def drawn_answer(answer: str) -> RenderableType:
    """An answer of several lines is Markdown: tables and lists are drawn as such."""
    if "\n" in answer:
        return Markdown(answer, hyperlinks=False)
    return Text(answer or "—", style="bold")


def _decisions(result: Mapping[str, Any]) -> Text:
    """The decisions of gate and route, with their reasons."""
    gate, route = result["gate"], result["route"]
    by = "" if gate["retrieve"] is None else f"{gate['gate']}: "
    text = Text()
    text.append("gate   ", style="dim").append(gate_word(gate))
    text.append(f" · {by}{gate['reason']}\n", style="dim")
    text.append("route  ", style="dim").append(route["strategy"], style="bold cyan")
    text.append(f" · {route['by']}: {route['reason']}", style="dim")
    return text


def _citation_lines(citations: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """The quotes, numbered, each above its document, section and page."""
    names = name_sources(cast("Sequence[Source]", citations))
    lines = Table.grid(padding=(0, 1))
    for number, citation in enumerate(citations, 1):
        quotes = (" ".join(quote.split()) for quote in quotes_of(cast("Citation", citation)))
        line = Text("\n".join(f"“{quote}”" for quote in quotes), style="italic")
        line.append(f"\n{names[citation['passage_id']]}", style="not italic dim")
        if not citation.get("supported", True):
            line.append(f" · {NOT_SUPPORTED}", style="not italic yellow")
        lines.add_row(Text(f"[{number}]", style="cyan"), line)
    return [lines] if citations else []


def passage_lines(evidence: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """The passages that the answer was read from, where their texts were asked for."""
    sources = {
        source["passage_id"]: source for unit in evidence for source in unit.get("sources", [])
    }
    names = name_sources(sources.values())
    whys = {name: f" · why: {u['why']}" for u in evidence if u.get("why") for name in u["passages"]}
    return [
        Padding(
            Text(f"{names[name]}{whys.get(name, '')}\n", style="dim").append(
                source["text"].strip(), style="not dim"
            ),
            (1, 0, 0, 4),
            expand=False,
        )
        for name, source in sources.items()
        if source.get("text")
    ]


def _explanation_line(result: Mapping[str, Any], names: Names | None = None) -> list[Text]:
    """The shares of the answer, if they were asked for: "This answer rests 80 % on [2]"."""
    explanation = result.get("explanation")
    if not explanation:
        return []
    numbers: dict[str, int] = {}
    for number, citation in enumerate(result["citations"], 1):
        numbers.setdefault(citation["passage_id"], number)
    parts = []
    for passage in sorted(explanation["passages"], key=lambda passage: -passage["share"]):
        name = passage["passage_id"]
        shown = f"[{numbers[name]}]" if name in numbers else (names or {}).get(name, name)
        if share := _percent(passage["share"]):
            parts.append(f"{share} on {shown}")
    others, without = explanation.get("others", 0.0), explanation["without"]
    if share := _percent(others):
        parts.append(f"{share} on the other passages")
    said = [f"This answer rests {', '.join(parts)}."] if parts else []
    if share := _percent(without):
        said.append(f"The model says {share} of it without these passages.")
    known = sum(passage["share"] for passage in explanation["passages"]) + others + without
    if share := _percent(1 - known):
        said.append(f"Asked again, it did not say {share}.")
    if calls := explanation.get("calls"):
        said.append(f"({counted(calls, 'call')})")
    return [Text(" ".join(said), style="dim")]


def _percent(share: float) -> str:
    """A share in per cent; "" if that is 0."""
    return f"{100 * share:.0f} %" if share >= 0.005 else ""


def doubt_lines(result: Mapping[str, Any]) -> list[Text]:
    """The part that the documents do not confirm, and the share that was read, if not all."""
    unconfirmed = result.get("unconfirmed") and f"{UNCONFIRMED} {result['unconfirmed']}"
    notes = (unconfirmed, read_note(result.get("read_share")))
    return [Text(note, style="yellow") for note in notes if note]


def usage_line(result: Mapping[str, Any]) -> Text:
    """The cost of a run, and its thread."""
    usage = result["usage"]
    return Text(
        f"{counted(usage['model_calls'], 'model call')}, "
        f"{usage['cached_calls']:,} from the ledger, "
        f"{about(usage)}{counted(usage['input_tokens'], 'token')} in, "
        f"{usage['output_tokens']:,} out, "
        f"{usage['seconds']:.1f} s · model {result['model']} · thread {result['thread_id']}",
        style="dim",
    )
