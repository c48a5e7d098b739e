"""Bring what the documentation takes from the code up to date. `make docs` runs this.

Every graph is drawn into docs/studio.md, langgraph.json is written from the registry, and
docs/extending.md gets the files of examples/plugin.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hopyard.agent.server import AGENT, configuration, describe
from hopyard.graphs import router
from hopyard.state.strategy import strategies

ROOT = Path(__file__).resolve().parent.parent
STUDIO = ROOT / "docs" / "studio.md"
CONFIGURATION = ROOT / "langgraph.json"
EXTENDING = ROOT / "docs" / "extending.md"
FILE = re.compile(r"(<!-- file: (\S+) -->\n).*?(<!-- /file -->)", re.DOTALL)
PICTURES = re.compile(r"(<!-- graphs -->\n).*?(<!-- /graphs -->)", re.DOTALL)


def drawing(graph: Any) -> str:
    """A graph as a mermaid block."""
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```\n"


def studio() -> str:
    """docs/studio.md with the picture of every graph brought up to date."""
    graphs = {AGENT: router.graph} | {
        strategy.name: strategy.load_graph() for strategy in strategies()
    }
    about = describe()
    pictures = "\n".join(
        f"### {name}\n\n{about[name]}\n\n{drawing(graph)}" for name, graph in graphs.items()
    )
    return PICTURES.sub(lambda match: match[1] + pictures + match[2], STUDIO.read_text("utf-8"))


def langgraph_json() -> str:
    """langgraph.json for the strategies of the registry."""
    return json.dumps(configuration(), indent=2, ensure_ascii=False) + "\n"


def extending() -> str:
    """docs/extending.md with the example's files brought up to date."""

    def with_file(match: re.Match[str]) -> str:
        file = ROOT / match[2]
        language = {".py": "python", ".toml": "toml"}[file.suffix]
        return f"{match[1]}```{language}\n{file.read_text('utf-8')}```\n{match[3]}"

    return FILE.sub(with_file, EXTENDING.read_text("utf-8"))


def main() -> None:
    """Write the three files."""
    STUDIO.write_text(studio(), "utf-8")
    CONFIGURATION.write_text(langgraph_json(), "utf-8")
    EXTENDING.write_text(extending(), "utf-8")


if __name__ == "__main__":
    main()
