"""Draw every graph as mermaid: into README.md and docs/studio.md. `make docs` runs this."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hopyard.graphs import router
from hopyard.graphs.descriptions import AGENT, DESCRIPTIONS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
STUDIO = ROOT / "docs" / "studio.md"
BLOCK = re.compile(r"(<!-- (graphs?) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def drawing(graph: Any) -> str:
    """A graph as a mermaid block."""
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```\n"


def readme() -> str:
    """README.md with the agent's picture brought up to date."""
    return _drawn(README, drawing(router.graph))


def studio() -> str:
    """docs/studio.md with the picture of every graph brought up to date."""
    graphs = {AGENT: router.graph, **router.STRATEGY_GRAPHS}
    return _drawn(
        STUDIO,
        "\n".join(
            f"### {name}\n\n{DESCRIPTIONS[name]}\n\n{drawing(graph)}"
            for name, graph in graphs.items()
        ),
    )


def _drawn(file: Path, pictures: str) -> str:
    return BLOCK.sub(lambda match: match[1] + pictures + match[3], file.read_text("utf-8"))


def main() -> None:
    """Write both files."""
    README.write_text(readme(), "utf-8")
    STUDIO.write_text(studio(), "utf-8")


if __name__ == "__main__":
    main()
