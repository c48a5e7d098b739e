"""Draw every graph as mermaid: into README.md, and into docs/graphs.md. `make docs` runs this."""

from __future__ import annotations

import re
from pathlib import Path

from langchain_core.runnables import Runnable

from hopyard.graphs import router

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- graph -->\n).*?(<!-- /graph -->)", re.DOTALL)


def drawing(graph: Runnable) -> str:
    """A graph as a mermaid block."""
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```\n"


def readme() -> str:
    """README.md with the agent's picture brought up to date."""
    text = (ROOT / "README.md").read_text()
    return BLOCK.sub(lambda match: match[1] + drawing(router.graph) + match[2], text)


def page() -> str:
    """docs/graphs.md: the agent and every strategy."""
    parts = ["# The graphs\n\nDrawn from the code by `make docs`.\n\n## hopyard\n\n"]
    parts.append(drawing(router.graph))
    for name, graph in router.STRATEGY_GRAPHS.items():
        parts.append(f"\n## {name}\n\n{drawing(graph)}")
    return "".join(parts)


def main() -> None:
    """Write both files."""
    (ROOT / "README.md").write_text(readme())
    (ROOT / "docs" / "graphs.md").write_text(page())


if __name__ == "__main__":
    main()
