"""How a run is drawn in the terminal: route, tree or hops, citations, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from hopyard.cli.console import printable
from hopyard.prompts.passages import one_line

__all__ = (
    "as_json",
    "citation_lines",
    "decisions",
    "event_line",
    "passage_names",
    "rendered",
    "usage_line",
)

_VERDICT_STYLE = {
    "leaf": "green",
    "split": "cyan",
    "pruned": "red",
    "necessary": "green",
    "indirect": "cyan",
}
_JSON_KEYS = (
    "question",
    "answer",
    "strategy",
    "gate",
    "route",
    "citations",
    "evidence",
    "steps",
    "truncated",
    "thread_id",
    "usage",
)


def as_json(result: Mapping[str, Any]) -> dict[str, Any]:
    """The object that `ask --json` prints."""
    return {key: result.get(key) for key in _JSON_KEYS}


def rendered(result: Mapping[str, Any], *, answered: bool = False) -> RenderableType:
    """A finished run.

    Args:
        result: The thread's state.
        answered: Whether question and answer stand on the screen already.
    """
    result = printable(result)
    panel = Panel(
        Text(result["answer"] or "—", style="bold"),
        title=escape(result["question"]),
        title_align="left",
        expand=False,
    )
    parts: list[RenderableType] = [
        *(() if answered else (panel,)),
        decisions(result),
        *(_drawn_step(result["steps"])),
        *citation_lines(result["citations"]),
    ]
    if result["truncated"]:
        parts.append(Text("The budget ended this run before it was through.", style="yellow"))
    parts.append(usage_line(result))
    return Group(*parts)


def event_line(graph: str, node: str, update: Mapping[str, Any]) -> str:
    """One finished step on one line, with what it found."""
    name = f"{graph} · {node}" if graph else node
    detail = ""
    if node == "route" and "route" in update:
        detail = update["route"]["strategy"]
    elif "tree" in update:
        detail = " | ".join(
            one["question"] + (f" → {one['answer']}" if "answer" in one else "")
            for one in update["tree"].values()
            if one
        )
    elif update.get("answer"):
        detail = update["answer"]
    return f"{name}: {one_line(detail)}" if detail else name


def decisions(result: Mapping[str, Any]) -> Text:
    """What gate and route decided, and why."""
    gate, route = result["gate"], result["route"]
    text = Text()
    text.append("gate   ", style="dim")
    text.append("retrieve" if gate["retrieve"] else "do not retrieve")
    text.append(f" · {gate['gate']}: {gate['reason']}\n", style="dim")
    text.append("route  ", style="dim")
    text.append(route["strategy"], style="bold cyan")
    text.append(f" · {route['by']}: {route['reason']}", style="dim")
    return text


def _drawn_step(steps: Iterable[Mapping[str, Any]]) -> list[RenderableType]:
    drawn: list[RenderableType] = []
    nodes = [step for step in steps if step["step"] == "tree-node"]
    if nodes:
        drawn.append(_tree(nodes))
    for step in steps:
        if step["step"] == "rewrite":
            drawn.append(Text(f"asked  {step['answer']}", style="dim"))
        elif step.get("verdict") in {"failed", "fallback"}:
            drawn.append(Text(f"{step['step']} {step['verdict']}: {step['reason']}", style="red"))
        elif step["step"] == "search":
            drawn.append(Text(f"search {passage_names(step['passages'])}", style="dim"))
        elif step["step"] == "hop":
            drawn.append(_hop(step))
        elif step["step"] == "link":
            drawn.append(_link(step))
        elif step["step"] == "rerank":
            kept = f"kept   {passage_names(step['passages'])} · {step['reason']}"
            drawn.append(Text(kept, style="dim"))
        elif step["step"] == "prune":
            drawn.append(Text(f"kept   {passage_names(step['passages'])}", style="dim"))
    return drawn


def _tree(nodes: list[Mapping[str, Any]]) -> Tree:
    branches: dict[str, Tree] = {}
    root = Tree(_node(nodes[0]), guide_style="dim")
    branches[nodes[0]["path"]] = root
    for node in nodes[1:]:
        parent = node["path"].rpartition(".")[0]
        branches[node["path"]] = branches[parent].add(_node(node))
    return root


def _node(node: Mapping[str, Any]) -> Group:
    verdict = node.get("verdict", "")
    head = Text(node["question"])
    if node.get("answer"):
        head.append(" → ", style="dim").append(node["answer"], style="bold")
    lines: list[RenderableType] = [head]
    about = Text(style="dim")
    about.append(verdict or "open", style=_VERDICT_STYLE.get(verdict, "yellow"))
    if node.get("rubric"):
        about.append(f" · rubric {sum(node['rubric'].values())}/5")
    if "score" in node:
        scores = ", ".join(
            f"{name.replace('_', ' ')} {score}" for name, score in node["scores"].items()
        )
        about.append(f" · branch {node['score']:.2f} ({scores})")
    if node.get("passages"):
        about.append(f" · {passage_names(node['passages'])}")
    if node.get("reason"):
        about.append(f" · {node['reason']}")
    lines.append(about)
    for thrown in node.get("replaced", []):
        what = thrown.get("question") or f"{thrown['first']} / {thrown['second']}"
        lines.append(Text(f"✗ {what} ({thrown['reason']})", style="dim red"))
    return Group(*lines)


def _hop(step: Mapping[str, Any]) -> Text:
    """Round, passage, question, passage; then what the question was found to be, and visits."""
    line = Text()
    if step["round"]:
        line.append(f"hop {step['round']:<3}", style="dim").append(step["tail"])
    else:
        line.append("enter ", style="dim")
    if "question" in step:
        line.append(f" · {step['question']}" if step["round"] else f" {step['question']}")
    if "head" in step:
        line.append(" → ", style="dim").append(step["head"], style="bold")
        line.append(f" · visits {step['visits']}", style="dim")
    if "verdict" in step:
        line.append(" · ", style="dim")
        line.append(step["verdict"], style=_VERDICT_STYLE.get(step["verdict"], "yellow"))
    if "reason" in step:
        line.append(f" · {step['reason']}", style="dim")
    return line


def _link(step: Mapping[str, Any]) -> Text:
    """A chain's sub-question, its answer, and where it was found."""
    line = Text(f"link {step['round']:<2}", style="dim")
    line.append(step["question"], style="not dim").append(" → ")
    line.append(step["answer"], style="not dim bold").append(
        f" · {passage_names(step['passages'])}"
    )
    if "reason" in step:
        line.append(f" · {step['reason']}")
    return line


def passage_names(passages: Iterable[Mapping[str, Any]]) -> str:
    """Passages with their scores, on one line."""
    return ", ".join(f"{one['passage_id']} {one['score']:.2f}" for one in passages) or "nothing"


def citation_lines(citations: Iterable[Mapping[str, Any]]) -> list[Text]:
    """The quotes, numbered, with their passages."""
    lines = []
    for number, citation in enumerate(citations, 1):
        line = Text(f"[{number}] ", style="cyan")
        line.append(f"“{citation['quote']}”", style="italic")
        line.append(f" {citation['title']} ({citation['passage_id']})", style="dim")
        lines.append(line)
    return lines


def usage_line(result: Mapping[str, Any]) -> Text:
    """What a run has spent, and its thread."""
    usage = result["usage"]
    return Text(
        f"{usage['model_calls']} model calls, {usage['cached_calls']} from the ledger, "
        f"{usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out, "
        f"{usage['seconds']:.1f} s · thread {result['thread_id']}",
        style="dim",
    )
